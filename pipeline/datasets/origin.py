"""Questions that a machine wrote from documents: which they are, and which of them share a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pipeline.records import Bools, Corpus, Qrels, Queries

SYNTHETIC = frozenset({"synthetic", "generated", "llm", "machine"})  # in a column `origin`
YES = frozenset({"true", "yes", "1", "synthetic"})  # in a column `synthetic`


class Origin(NamedTuple):
    """What a column says of each query."""

    column: str
    synthetic: Bools


class Clustered(NamedTuple):
    """The queries with clusters, and what a person should know of that."""

    queries: Queries
    notes: tuple[str, ...]


def origin(slices: Mapping[str, tuple[str, ...]]) -> Origin | None:
    """Which queries are synthetic, by the first column `origin` or `synthetic` that says so of any."""
    for column, labels in slices.items():
        if column.lower() not in ("origin", "synthetic"):
            continue
        words = YES if column.lower() == "synthetic" else SYNTHETIC
        found = np.array([label.strip().lower() in words for label in labels], np.bool_)
        if found.any():
            return Origin(column, found)
    return None


def with_clusters(queries: Queries, qrels: Qrels, corpus: Corpus) -> Clustered:
    """The queries clustered by the document they were written from, where the dataset says that all were, or as given.

    The document is the relevant one of the highest grade, of equal ones the first by id; a query without one stands
    alone. Given clusters stay. Nothing is inferred where other questions stand beside synthetic ones (those never
    enter one mean, and who asked the others is not known to follow a document), or where no two share a document.
    """
    said = origin(queries.slices)
    if queries.cluster is not None or said is None or not said.synthetic.all():
        return Clustered(queries, ())
    names = [*corpus.ids, *qrels.missing]
    labels = []
    for query, name in enumerate(queries.ids):
        own = slice(qrels.indptr[query], qrels.indptr[query + 1])
        docs, grades = qrels.docs[own], qrels.grades[own]
        best = int(np.argmax(grades)) if grades.size else 0
        labels.append(f"document {names[docs[best]]}" if grades.size and grades[best] > 0 else f"query {name}")
    count = len(set(labels))
    if count == len(labels):
        return Clustered(queries, ())
    note = (
        f"all {len(labels)} questions were written from documents ({said.column}): they form {count} clusters by their"
        " most relevant document, and inference goes by cluster; a column cluster says otherwise"
    )
    return Clustered(replace(queries, cluster=tuple(labels)), (note,))
