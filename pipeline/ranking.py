"""The only sort: which hit comes before which, where a ranking ends, how chunks become documents.

Documents: score descending, then id descending (trec_eval's order; ids compare as positions, see records.py).
Chunks: score descending, then document descending, then start ascending. Scores are doubles; NaN is refused.
Everything works on whole query sets: arrays of shape (queries, width), -1 = nothing.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from pipeline.errors import SettingError
from pipeline.records import Bools, Floats, Ints, Longs, Run, Stop, Unit

VERSION = 2  # part of every key: raise it when the same scores come out in another order

SCORE_DECIMALS = 6
"""Dense and fused scores are rounded to this many decimals before ranking: beyond it lies the noise of summation
order, and equal texts must be equal."""

LEAST_CHUNKS = 1000
"""Where all documents of a corpus are wanted, a ranking goes on to this many chunks (see `least_chunks`)."""

Fold: TypeAlias = Literal["max", "sum"]
FOLDS: tuple[Fold, ...] = ("max", "sum")


def rounded(scores: Floats) -> Floats:
    """The scores to `SCORE_DECIMALS` decimals, where -0.0 is 0.0."""
    return np.round(scores, SCORE_DECIMALS) + 0.0


def rank_documents(items: Ints, scores: Floats) -> Run:
    """Documents by score descending, then id descending. SettingError names a query row whose score is NaN."""
    return _ranked("document", items, scores, -items.astype(np.int64))


def rank_chunks(items: Ints, scores: Floats, doc: Ints) -> Run:
    """Chunks by score descending, then document descending, then start ascending; `doc` is each chunk's document.

    Chunks stand sorted by (document, start), so within a document the smaller position starts earlier.
    SettingError names a query row whose score is NaN.
    """
    chunks = items.astype(np.int64)
    return _ranked("chunk", items, scores, chunks - (_documents(items, doc).astype(np.int64) << 32))


def _ranked(unit: Unit, items: Ints, scores: Floats, tie: Longs) -> Run:
    """Rows by (nothing last, score descending, tie ascending), cut to the widest row."""
    there = items >= 0
    bad = np.flatnonzero((there & np.isnan(scores)).any(axis=1))
    if bad.size:
        raise SettingError(f"query row {bad[0]}: a score is NaN ({bad.size} queries in all); scores must be numbers")
    order = np.lexsort((tie, -np.where(there, scores, 0.0), ~there), axis=1)
    width = int(there.sum(axis=1).max(initial=0))
    order = order[:, :width]
    kept = np.take_along_axis(there, order, axis=1)
    return Run(
        unit=unit,
        items=np.where(kept, np.take_along_axis(items, order, axis=1), -1).astype(np.int32),
        scores=np.where(kept, np.take_along_axis(scores, order, axis=1), np.nan).astype(np.float64),
    )


def padded(unit: Unit, rows: Longs, items: Ints, scores: Floats, queries: int) -> Run:
    """A flat list of hits (query row, item, score), rows ascending, as arrays of one row a query; order is kept."""
    counts = np.bincount(rows, minlength=queries)
    column = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (queries, int(counts.max(initial=0)))
    run = Run(unit=unit, items=np.full(shape, -1, np.int32), scores=np.full(shape, np.nan))
    run.items[rows, column] = items
    run.scores[rows, column] = scores
    return run


def reachable_depth(stop: Stop) -> int:
    """The depth in documents, but no more than the documents that have chunks."""
    return min(stop.depth, int(np.count_nonzero(np.diff(stop.doc, prepend=-1))))


def least_chunks(stop: Stop) -> int:
    """Chunks that a ranking holds at least where it matches so many: 0 unless every document of the corpus is wanted.

    Then the documents run out long before a context is full: small chunks of few documents would be measured on
    contexts cut short.
    """
    wanted_all = stop.depth >= reachable_depth(Stop(stop.doc, stop.depth + 1))
    return LEAST_CHUNKS if wanted_all else 0


def end_at_depth(run: Run, stop: Stop) -> Run:
    """Each ranking cut exactly at the chunk that brings in its last document, but not before `least_chunks`."""
    new = _first_of_document(run.items, stop.doc)
    before: Longs = np.cumsum(new, axis=1) - new
    inside = (before < reachable_depth(stop)) | (np.arange(run.items.shape[1]) < least_chunks(stop))
    kept = (run.items >= 0) & inside
    width = int(kept.sum(axis=1).max(initial=0))
    return Run(
        unit=run.unit,
        items=np.where(kept, run.items, -1)[:, :width].astype(np.int32),
        scores=np.where(kept, run.scores, np.nan)[:, :width],
    )


def cut(run: Run, width: int) -> Run:
    """Each ranking's first `width` hits."""
    return Run(unit=run.unit, items=run.items[:, :width], scores=run.scores[:, :width], foreign=run.foreign)


def count_documents(run: Run, doc: Ints) -> Longs:
    """How many documents each chunk ranking touches."""
    counts: Longs = _first_of_document(run.items, doc).sum(axis=1, dtype=np.int64)
    return counts


def count_short(run: Run, width: int) -> int:
    """Rankings with fewer than `width` hits."""
    return int(((run.items >= 0).sum(axis=1) < width).sum())


def fold(run: Run, doc: Ints, how: Fold = "max") -> Run:
    """The document ranking of a chunk ranking: a document scores its best chunk (`max`) or all of them (`sum`)."""
    if how not in FOLDS:
        raise SettingError(f"fold must be one of {', '.join(FOLDS)}; got {how!r}")
    rows, columns = np.nonzero(run.items >= 0)
    documents = doc[run.items[rows, columns]]
    scores = run.scores[rows, columns]
    order = np.lexsort((scores, documents, rows))
    rows, documents, scores = rows[order], documents[order], scores[order]
    first = np.flatnonzero(_starts(rows, documents))
    if first.size:
        scores = np.maximum.reduceat(scores, first) if how == "max" else np.add.reduceat(scores, first)
    hits = padded("document", rows[first], documents[first], scores, len(run.items))
    return rank_documents(hits.items, hits.scores)


def _starts(rows: Longs, items: Ints) -> Bools:
    """Where a new (row, item) begins, in hits sorted by row and item."""
    starts = np.ones(rows.size, dtype=np.bool_)
    starts[1:] = (rows[1:] != rows[:-1]) | (items[1:] != items[:-1])
    return starts


def _documents(items: Ints, doc: Ints) -> Ints:
    """The document of every chunk, -1 where there is nothing."""
    if not doc.size:
        return np.full_like(items, -1)
    return np.where(items >= 0, doc[items], -1).astype(np.int32)


def _first_of_document(items: Ints, doc: Ints) -> Bools:
    """True where a chunk is the first of its document in its row."""
    documents = _documents(items, doc).astype(np.int64)
    rows = np.arange(len(items), dtype=np.int64)[:, None]
    _, first = np.unique((rows << 32) + documents + 1, return_index=True)
    new = np.zeros(items.size, dtype=np.bool_)
    new[first] = True
    return new.reshape(items.shape) & (items >= 0)
