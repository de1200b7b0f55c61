"""A TREC run of another system as a retriever: scored and compared like ours."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from pipeline.errors import DataError
from pipeline.ranking import cut, padded, rank_documents
from pipeline.records import Dataset, Run
from pipeline.storage.trec_files import read_run


class Reading(NamedTuple):
    """A run aligned to a dataset."""

    documents: Run
    unknown_queries: tuple[str, ...]  # in the run, not in the dataset: ignored


@dataclass(frozen=True)
class RunFile:
    """Document rankings from a file `query Q0 document rank score tag`; scores decide, ranks are ignored."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"path"})  # the content stands in the key

    path: str

    def __post_init__(self) -> None:
        """Checks that the file is there."""
        if not self.path or not Path(self.path).expanduser().is_file():
            raise DataError(
                "no such file; retriever.path must name a TREC run (query Q0 document rank score tag)",
                path=self.path or "retriever.path",
            )

    @property
    def kind(self) -> str:
        """`run_file`."""
        return "run_file"

    def content(self) -> str:
        """SHA-256 of the file."""
        with Path(self.path).expanduser().open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def documents(self, dataset: Dataset, depth: int) -> Run:
        """The `depth` best documents of each query of the dataset."""
        return self.read(dataset, depth).documents

    def read(self, dataset: Dataset, depth: int) -> Reading:
        """The rankings, and the queries of the run that the dataset lacks.

        Documents that the dataset does not know keep their ranks, as `Run.foreign`. DataError if no query is known, or
        no document: chunk ids in place of document ids would score 0 without a word.
        """
        path = Path(self.path).expanduser()
        found = read_run(path)
        known = {query: row for row, query in enumerate(dataset.queries.ids)}
        unknown = tuple(sorted(query for query in found if query not in known))
        if found and len(unknown) == len(found):
            raise DataError(
                f"none of its {len(found)} queries is in {dataset.name}: it has {_examples(unknown)},"
                f" the dataset {_examples(dataset.queries.ids)}; the query ids must be the same",
                path=path,
            )
        rankings = {known[query]: hits for query, hits in sorted(found.items()) if query in known}
        documents = {document for hits in rankings.values() for document, _ in hits}
        if documents and documents.isdisjoint((*dataset.corpus.ids, *dataset.qrels.missing)):
            raise DataError(
                f"none of its {len(documents)} documents is in {dataset.name}: it has"
                f" {_examples(tuple(sorted(documents)))}, the dataset {_examples(dataset.corpus.ids)};"
                " give document ids, not those of chunks",
                path=path,
            )
        return Reading(cut(_ranked(rankings, dataset), depth), unknown)


def _ranked(rankings: Mapping[int, list[tuple[str, float]]], dataset: Dataset) -> Run:
    """The rankings by score descending, then id descending as strings, as positions."""
    flat = [(row, name, score) for row in sorted(rankings) for name, score in rankings[row]]
    names = sorted({name for _, name, _ in flat})
    place = {name: number for number, name in enumerate(names)}
    hits = padded(
        "document",
        np.array([row for row, _, _ in flat], dtype=np.int64),
        np.array([place[name] for _, name, _ in flat], dtype=np.int32),
        np.array([score for _, _, score in flat], dtype=np.float64),
        len(dataset.queries.ids),
    )
    run = rank_documents(hits.items, hits.scores)
    # Only now positions: those of missing and foreign documents do not stand in the order of the ids.
    positions = {name: at for at, name in enumerate((*dataset.corpus.ids, *dataset.qrels.missing))}
    foreign = tuple(name for name in names if name not in positions)
    positions |= {name: len(positions) + at for at, name in enumerate(foreign)}
    table = np.array([*(positions[name] for name in names), -1], dtype=np.int32)  # the last one stands for nothing
    return Run("document", table[run.items], run.scores, foreign)


def _examples(ids: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in ids[:3])
