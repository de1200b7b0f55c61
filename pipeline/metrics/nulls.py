"""Rankings that nobody ships, for scale: chance, and the best that the judgements allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipeline.ranking import padded
from pipeline.records import Context, Ints, Longs, Qrels, Run, Spans


class Null(NamedTuple):
    """A document ranking and the context that goes with it."""

    documents: Run
    context: Context


def chance(lengths: Ints, queries: int, depth: int, rng: np.random.Generator) -> Null:
    """Whole documents in random order; `lengths` = characters of each document."""
    width = min(depth, len(lengths))
    items = np.array([rng.permutation(len(lengths))[:width] for _ in range(queries)], np.int32).reshape(queries, width)
    scores = np.tile(-np.arange(width, dtype=np.float64), (queries, 1))
    return Null(Run("document", items, scores), _whole(items, lengths))


def oracle(lengths: Ints, qrels: Qrels, spans: Spans | None) -> Null:
    """Relevant documents, highest grade first; in the context the shortest evidence of every group before them.

    A judged document that the corpus lacks takes its rank but brings no context.
    """
    queries = len(qrels.indptr) - 1
    row = np.repeat(np.arange(queries), np.diff(qrels.indptr))
    kept = qrels.grades > 0
    row, doc, grade = row[kept], qrels.docs[kept], qrels.grades[kept]
    order = np.lexsort((doc, -grade, row))
    row, doc, grade = row[order], doc[order], grade[order]
    run = padded("document", row, doc, grade.astype(np.float64), queries)
    inside = np.where(run.items < len(lengths), run.items, -1).astype(np.int32)
    whole = _whole(inside, lengths)
    return Null(run, whole if spans is None else _behind(_evidence(spans, queries), whole))


def _whole(items: Ints, lengths: Ints) -> Context:
    ends = np.append(lengths, 0).astype(np.int32)[items]
    return Context(items, np.zeros_like(items), ends)


def _evidence(spans: Spans, queries: int) -> Context:
    """The shortest alternative of each group, in the order of the groups."""
    order = np.lexsort((spans.end - spans.start, spans.group, spans.query))
    query, group = spans.query[order], spans.group[order]
    first = np.ones(len(order), bool)
    first[1:] = (query[1:] != query[:-1]) | (group[1:] != group[:-1])
    chosen = order[first]
    rows: Longs = spans.query[chosen].astype(np.int64)
    counts = np.bincount(rows, minlength=queries)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (queries, int(counts.max(initial=0)))
    doc, start, end = np.full(shape, -1, np.int32), np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    doc[rows, column], start[rows, column], end[rows, column] = (
        spans.doc[chosen],
        spans.start[chosen],
        spans.end[chosen],
    )
    return Context(doc, start, end)


def _behind(first: Context, second: Context) -> Context:
    """Both contexts of every query, one after the other."""
    return Context(
        np.concatenate((first.doc, second.doc), axis=1),
        np.concatenate((first.start, second.start), axis=1),
        np.concatenate((first.end, second.end), axis=1),
    )
