"""Queries in blocks of bounded size, and the one join of rankings with judgements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pipeline.errors import DataError
from pipeline.records import Ints, Longs

CELLS = 1 << 16
"""Cells (queries x columns) that a block holds at most: its work arrays stay in the processor's cache."""

UNLISTED = -(1 << 15)
"""Stands where a document is in no judgement of the query, and where there is no document."""


class Ragged(NamedTuple):
    """The entries of some rows of a CSR record: where they lie, and their place in a padded matrix."""

    at: Longs
    row: Longs
    column: Longs
    width: int


def ragged(indptr: Longs, rows: Longs) -> Ragged:
    """The entries of `rows` of a CSR record, row by row; `width` = length of the longest row, at least 1."""
    counts = indptr[rows + 1] - indptr[rows]
    row = np.repeat(np.arange(len(rows), dtype=np.int64), counts)
    column = np.arange(len(row), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    width = int(counts.max(initial=1))
    return Ragged(indptr[rows][row] + column, row, column, width)


def blocks(counts: Longs, width: int, cells: int = CELLS) -> Iterator[Longs]:
    """Queries in blocks, those with few judgements first, so that padding costs little.

    A block of n queries whose longest has c entries holds n * (c + width) <= `cells`, or one query alone.
    """
    order = np.argsort(counts, kind="stable").astype(np.int64)
    longest = counts[order] + max(width, 1)
    start = 0
    while start < len(order):
        ahead = longest[start : start + cells // int(longest[start]) + 1]
        sizes = np.arange(1, len(ahead) + 1) * ahead
        stop = start + max(1, int(np.searchsorted(sizes, cells, side="right")))
        yield order[start:stop]
        start = stop


class Join(NamedTuple):
    """Equal documents in two padded matrices of the same rows: which judgement is which hit."""

    row: Longs
    judgement: Longs  # column in the judgements
    hit: Longs  # column in the hits; the leftmost where a document is hit several times


def join(judged: Ints, hits: Ints, row_names: Longs, *, repeats: bool) -> Join:
    """Where judged documents (n, j) stand among hits (n, k); -1 = nothing in both.

    The documents of a query are sorted together, each with its place in the low bits, judgements before hits: equal
    neighbours are the pairs. DataError where a document is hit twice and `repeats` is not allowed.
    """
    columns = judged.shape[1]
    bits = int(columns + hits.shape[1]).bit_length()
    key = np.concatenate((judged, hits), axis=1).astype(np.int64)
    key <<= bits
    key |= np.arange(key.shape[1], dtype=np.int64)
    key.sort(axis=1)
    document = key >> bits
    same = document[:, 1:] == document[:, :-1]
    same &= key[:, :-1] >= 0
    row, column = np.nonzero(same)
    place = (1 << bits) - 1
    left, right = key[row, column] & place, key[row, column + 1] & place
    pair = (left < columns) & (right >= columns)
    if not repeats and not pair.all():
        first = int(np.flatnonzero(~pair)[0])
        raise DataError(
            f"query at position {int(row_names[row[first]])} holds document {int(document[row[first], column[first]])} "
            "twice; a ranking or judgement names a document once: fold or de-duplicate first"
        )
    return Join(row[pair], left[pair], right[pair] - columns)
