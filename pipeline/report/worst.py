"""The worst queries of one experiment as a table: what was found, what was missed, its rank, which stage lost it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pipeline.records import Bools, Dataset, Run, ScoreTable
from pipeline.report.tables import Cell

SHOWN = 20  # queries
FOUND = 3  # hits shown a query
MISSED = 5  # relevant documents shown a query
EXCERPT = 200  # characters


@dataclass(frozen=True, eq=False)
class Job:
    """One experiment's results. `documents_held` and `spans_held` say what its context holds within `budget` tokens."""

    scores: ScoreTable
    documents: Run  # a row a query of the dataset
    documents_held: Bools  # (judgements,)
    spans_held: Bools  # (spans,)
    straddled: Bools  # (spans,): no chunk holds the span whole; empty = there were no chunks
    depth: int  # documents
    cutoff: int  # documents that the measure looks at
    budget: int  # context tokens


def worst_rows(dataset: Dataset, job: Job, measure: str) -> tuple[dict[str, Cell], ...]:
    """A row a missed document of the SHOWN queries with the lowest values; one row without document if none is missed.

    A relevant document is missed if fewer places than there are relevant documents would have sufficed for it, or if
    the context lacks it or its evidence.
    """
    values = job.scores.values[job.scores.measures.index(measure)]
    rows = [row for row in range(len(values)) if not math.isnan(values[row])]
    chosen = sorted(rows, key=lambda row: (values[row], row))[:SHOWN]
    return tuple(cells for row in chosen for cells in _query(dataset, job, measure, row))


def _query(dataset: Dataset, job: Job, measure: str, row: int) -> Iterator[dict[str, Cell]]:
    value = float(job.scores.values[job.scores.measures.index(measure), row])
    head: dict[str, Cell] = {
        "query_id": dataset.queries.ids[row],
        "question": dataset.queries.texts[row],
        measure: value,
        "found": _found(dataset, job.documents, row),
    }
    missed = list(_missed(dataset, job, row))
    for cells in missed[:MISSED] or [_nothing()]:
        yield head | cells


def _nothing() -> dict[str, Cell]:
    return {"missed": "", "grade": None, "rank": None, "lost": "", "excerpt": ""}


def _missed(dataset: Dataset, job: Job, row: int) -> Iterator[dict[str, Cell]]:
    """The missed documents, highest grade first."""
    start, end = int(dataset.qrels.indptr[row]), int(dataset.qrels.indptr[row + 1])
    relevant = [at for at in range(start, end) if dataset.qrels.grades[at] > 0]
    for at in sorted(relevant, key=lambda at: (-int(dataset.qrels.grades[at]), at)):
        doc = int(dataset.qrels.docs[at])
        places = np.flatnonzero(job.documents.items[row] == doc)
        rank = int(places[0]) + 1 if len(places) else None
        stage = _stage(dataset, job, (row, at, doc), rank)
        if not stage and (rank is None or rank <= len(relevant)):
            continue
        yield {
            "missed": _name(dataset, job.documents, doc),
            "grade": int(dataset.qrels.grades[at]),
            "rank": rank,
            "lost": stage or "ranked late",
            "excerpt": " ".join(dataset.corpus.texts[doc][:EXCERPT].split()) if doc < len(dataset.corpus.ids) else "",
        }


def _stage(dataset: Dataset, job: Job, judgement: tuple[int, int, int], rank: int | None) -> str:
    """Where a judged document was lost, "" if it was not: (row, place of the judgement, document)."""
    row, at, doc = judgement
    if doc >= len(dataset.corpus.ids):
        return "not in the corpus"
    spans = _spans(dataset, row, doc)
    whole = bool(job.spans_held[spans].any()) if len(spans) else bool(job.documents_held[at])
    if rank is not None and rank <= job.cutoff and whole:
        return ""
    if len(spans) and job.straddled.size and job.straddled[spans].all():
        return "in no chunk whole"
    if rank is None:
        return f"not retrieved to depth {job.depth}"
    if rank > job.cutoff:
        return f"below the cutoff of {job.cutoff}"
    return f"outside the budget of {job.budget} tokens"


def _spans(dataset: Dataset, row: int, doc: int) -> np.ndarray:
    if dataset.spans is None:
        return np.zeros(0, np.int64)
    return np.flatnonzero((dataset.spans.query == row) & (dataset.spans.doc == doc))


def _found(dataset: Dataset, run: Run, row: int) -> str:
    """The first hits with their grades; `?` = nobody judged it."""
    start, end = dataset.qrels.indptr[row], dataset.qrels.indptr[row + 1]
    grades = dict(zip(dataset.qrels.docs[start:end].tolist(), dataset.qrels.grades[start:end].tolist(), strict=True))
    hits = [int(item) for item in run.items[row, :FOUND] if item >= 0]
    return "; ".join(f"{_name(dataset, run, doc)} ({grades.get(doc, '?')})" for doc in hits) or "nothing"


def _name(dataset: Dataset, run: Run, doc: int) -> str:
    names = (dataset.corpus.ids, dataset.qrels.missing, run.foreign)
    for part in names:
        if doc < len(part):
            return part[doc]
        doc -= len(part)
    return "?"
