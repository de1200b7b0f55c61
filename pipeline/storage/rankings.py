"""The document rankings of several finished jobs at once, to a depth: what a comparison of many jobs looks at."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pipeline.errors import DataError
from pipeline.records import Dataset, Run
from pipeline.storage.job_files import RUN

Hits = Sequence[tuple[str, float]]


def read_rankings(folders: Mapping[str, Path], dataset: Dataset, depth: int | None = None) -> dict[str, Run]:
    """Name -> the ranking of the job in that folder, a row a query of the dataset, at most `depth` documents wide.

    All have the same `foreign`: a document outside the dataset is one position in all of them.
    """
    found = {name: _read(folder / RUN, depth) for name, folder in folders.items()}
    known = [*dataset.corpus.ids, *dataset.qrels.missing]
    place = {doc: position for position, doc in enumerate(known)}
    seen = {doc for ranking in found.values() for hits in ranking.values() for doc, _ in hits}
    foreign = tuple(sorted(seen.difference(place)))
    place |= {doc: len(known) + position for position, doc in enumerate(foreign)}
    return {name: _placed(ranking, dataset.queries.ids, place, foreign) for name, ranking in found.items()}


def _read(path: Path, depth: int | None) -> dict[str, list[tuple[str, float]]]:
    """Query -> its first hits. These lines were written here (`write_run`), so they are not checked one by one.

    Raises:
        DataError: the file is gone, damaged, or was changed into something else.
    """
    ranking: dict[str, list[tuple[str, float]]] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
            lines = stream.read().split("\n")
        for line in filter(None, lines):
            query, _, doc, rank, score, _ = line.split("\t" if "\t" in line else " ")
            if depth is None or int(rank) <= depth:
                ranking.setdefault(query, []).append((doc, float(score)))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DataError(f"cannot be read ({error}); run the job again", path=path) from error
    return ranking


def _placed(
    ranking: Mapping[str, Hits], queries: Sequence[str], place: Mapping[str, int], foreign: tuple[str, ...]
) -> Run:
    width = max(map(len, ranking.values()), default=0)
    items = np.full((len(queries), width), -1, dtype=np.int32)
    scores = np.full(items.shape, np.nan)
    for row, query in enumerate(queries):
        hits = ranking.get(query, ())
        items[row, : len(hits)] = [place[doc] for doc, _ in hits]
        scores[row, : len(hits)] = [score for _, score in hits]
    return Run("document", items, scores, foreign)
