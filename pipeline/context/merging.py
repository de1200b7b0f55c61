"""What a context holds already is not put into it again."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from pipeline.records import Context

Piece = tuple[int, int, int]


def merged(context: Context) -> Context:
    """The same text in the same order, each character at its first place alone; a piece may fall into several.

    Characters of neighbouring ranks are never joined: what follows still stands where it stood.
    """
    rows = [
        _fresh([(d, s, e) for d, s, e in zip(*columns, strict=True) if d >= 0])
        for columns in zip(context.doc.tolist(), context.start.tolist(), context.end.tolist(), strict=True)
    ]
    width = max(map(len, rows), default=0)
    out = np.full((3, len(rows), width), 0, np.int32)
    out[0] = -1
    for row, pieces in enumerate(rows):
        if pieces:
            out[:, row, : len(pieces)] = np.array(pieces, np.int32).T
    return Context(out[0], out[1], out[2])


def _fresh(pieces: list[Piece]) -> list[Piece]:
    """The parts of `pieces` that none of the earlier ones covers."""
    taken: dict[int, list[tuple[int, int]]] = {}
    fresh: list[Piece] = []
    for doc, start, end in pieces:
        covered = taken.setdefault(doc, [])
        parts = _gaps(covered, start, end)
        for part in parts:
            insort(covered, part)
        fresh.extend((doc, *part) for part in parts)
    return fresh


def _gaps(covered: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """What of [start, end) lies outside the disjoint ranges of `covered` (ascending)."""
    gaps = []
    at = max(bisect_left(covered, (start, start)) - 1, 0)
    for low, high in covered[at:]:
        if low >= end:
            break
        if low > start:
            gaps.append((start, low))
        start = max(start, high)
    if start < end:
        gaps.append((start, end))
    return gaps
