"""Contexts of some queries with their tokens counted: what every budget measure is a function of.

The context of a query is the text of its chunks in rank order. A chunk's tokens are those of its document that
start inside it; every occurrence costs its tokens, text seen twice gains once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pipeline.metrics.blocks import UNLISTED, join, ragged
from pipeline.records import Context, Ints, Longs, Qrels, Spans, TokenOffsets

NEVER = np.iinfo(np.int64).max
"""Tokens before a document that no chunk of the context touches."""


class Pieces(NamedTuple):
    """Stretches of documents in the context, none overlapping another; sorted by (row, doc, start)."""

    row: Longs
    doc: Longs
    start: Longs
    end: Longs


class Evidence(NamedTuple):
    """Evidence spans of the queries of a block; `group` numbers the (query, group) pairs from 0."""

    row: Longs
    doc: Longs
    start: Longs
    end: Longs
    group: Longs
    group_row: Longs  # (groups,): query of each group


@dataclass(frozen=True, eq=False)
class Filled:
    """n contexts. `before` is the number of tokens ahead of a chunk, so budgets are comparisons."""

    doc: Ints  # (n, width), -1 = nothing
    start: Ints
    end: Ints
    first: Longs  # (n, width): place of the chunk's first token
    count: Longs  # (n, width): tokens of the chunk
    before: Longs  # (n, width)
    reach: Longs  # (n, j): tokens ahead of each judged document's first chunk, or NEVER
    grades: Ints  # (n, j): its grade, UNLISTED = padding
    tokens: TokenOffsets
    evidence: Evidence | None

    def used(self, budget: int, *, whole: bool = False) -> Longs:
        """(n, width): tokens of each chunk that fit; `whole` = a chunk that begins within the budget fits whole."""
        if whole:
            return np.where(self.before < budget, self.count, 0)
        return np.clip(budget - self.before, 0, self.count)

    def pieces(self, budget: int, *, whole: bool = False) -> Pieces:
        """The context cut after `budget` tokens, as non-overlapping stretches of documents.

        A chunk that is cut ends where the next token would start, as a chunk that ends there does.
        """
        used = self.used(budget, whole=whole)
        row, column = np.nonzero(used > 0)
        doc, start, end = (part[row, column].astype(np.int64) for part in (self.doc, self.start, self.end))
        cut = used[row, column] < self.count[row, column]
        end[cut] = self.tokens.start[(self.first + used)[row, column][cut]]
        return disjoint(row, doc, start, end)

    def token_range(self, doc: Longs, start: Longs, end: Longs) -> tuple[Longs, Longs]:
        """First and behind-last token that start in characters [start, end) of `doc`; three arrays of one shape."""
        low, high = self.tokens.indptr[doc], self.tokens.indptr[doc + 1]
        return _lower_bound(self.tokens.start, low, high, start), _lower_bound(self.tokens.start, low, high, end)


def disjoint(row: Longs, doc: Longs, start: Longs, end: Longs) -> Pieces:
    """The same stretches of text, each character once."""
    order = np.lexsort((end, start, doc, row))
    row, doc, start, end = row[order], doc[order], start[order], end[order]
    if not len(row):
        return Pieces(row, doc, start, end)
    fresh = np.ones(len(row), bool)
    fresh[1:] = (row[1:] != row[:-1]) | (doc[1:] != doc[:-1])
    lift = np.cumsum(fresh) * (int(end.max()) + 1)  # a running maximum that starts anew with every document
    reached = np.maximum.accumulate(end + lift) - lift
    start = start.copy()
    start[1:] = np.where(fresh[1:], start[1:], np.maximum(start[1:], reached[:-1]))
    keep = end > start
    return Pieces(row[keep], doc[keep], start[keep], end[keep])


def _lower_bound(values: Ints, low: Longs, high: Longs, wanted: Ints | Longs) -> Longs:
    """First place in [low, high) whose value is >= wanted, else high; values ascend within each range."""
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) >> 1
        right = open_ & (values[np.minimum(middle, len(values) - 1)] < wanted)
        low = np.where(right, middle + 1, low)
        high = np.where(open_ & ~right, middle, high)
    return low


def fill(context: Context, qrels: Qrels, tokens: TokenOffsets, rows: Longs, spans: Spans | None) -> Filled:
    """The contexts of the queries `rows`, counted."""
    doc, start, end = context.doc[rows], context.start[rows], context.end[rows]
    there = doc >= 0
    at = np.where(there, doc, 0)
    low, high = tokens.indptr[at], tokens.indptr[at + 1]
    first = _lower_bound(tokens.start, low, high, start)
    count = np.where(there, _lower_bound(tokens.start, low, high, end) - first, 0)
    before = np.cumsum(count, axis=1) - count
    entry = ragged(qrels.indptr, rows)
    judged = np.full((len(rows), entry.width), -1, np.int32)
    grades = np.full((len(rows), entry.width), UNLISTED, np.int32)
    judged[entry.row, entry.column] = qrels.docs[entry.at]
    grades[entry.row, entry.column] = np.maximum(qrels.grades[entry.at], UNLISTED + 1)
    pair = join(judged, np.where(count > 0, doc, -1).astype(np.int32), rows, repeats=True)
    reach = np.full(judged.shape, NEVER, np.int64)
    reach[pair.row, pair.judgement] = before[pair.row, pair.hit]
    evidence = None if spans is None else _evidence(spans, rows, len(context.doc))
    return Filled(doc, start, end, first, count, before, reach, grades, tokens, evidence)


def _evidence(spans: Spans, rows: Longs, queries: int) -> Evidence:
    """The spans of the queries `rows`."""
    indptr = np.searchsorted(spans.query, np.arange(queries + 1)).astype(np.int64)
    entry = ragged(indptr, rows)
    named, group = np.unique((entry.row << 32) | spans.group[entry.at], return_inverse=True)
    doc, start, end = (part[entry.at].astype(np.int64) for part in (spans.doc, spans.start, spans.end))
    return Evidence(entry.row, doc, start, end, group.astype(np.int64), named >> 32)


class Pairs(NamedTuple):
    """Which left entry shares (row, doc) with which right entry."""

    left: Longs
    right: Longs


def pairs(left_row: Longs, left_doc: Longs, right_row: Longs, right_doc: Longs) -> Pairs:
    """All pairs of equal (row, doc); the right side stands sorted by (row, doc)."""
    key = (right_row << 32) | right_doc
    wanted = (left_row << 32) | left_doc
    low = np.searchsorted(key, wanted, side="left").astype(np.int64)
    counts = np.searchsorted(key, wanted, side="right") - low
    left = np.repeat(np.arange(len(wanted), dtype=np.int64), counts)
    right = np.arange(len(left), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts - low, counts)
    return Pairs(left, right)


def covered(spans: Pieces | Evidence, pieces: Pieces) -> Longs:
    """(spans,): characters of each span inside the pieces; spans that only touch share none."""
    span, piece = pairs(spans.row, spans.doc, pieces.row, pieces.doc)
    overlap = np.minimum(spans.end[span], pieces.end[piece]) - np.maximum(spans.start[span], pieces.start[piece])
    return np.bincount(span, weights=np.maximum(overlap, 0), minlength=len(spans.row)).astype(np.int64)
