"""What a chunking does to the evidence, whatever is retrieved."""

from __future__ import annotations

import numpy as np

from pipeline.metrics.contexts import disjoint
from pipeline.records import Bools, Chunks, Spans


def straddled(chunks: Chunks, spans: Spans) -> Bools:
    """(spans,): whether no chunk holds the span whole; the mean is the straddle rate."""
    if not len(chunks.doc):
        return np.ones(len(spans.doc), bool)
    size = int(max(chunks.end.max(), spans.end.max(initial=0))) + 1
    lift = chunks.doc.astype(np.int64) * size
    reach = np.maximum.accumulate(chunks.end + lift)  # furthest end of a chunk that starts here or before
    base = spans.doc.astype(np.int64) * size
    last = np.searchsorted(chunks.start + lift, spans.start + base, side="right") - 1
    whole: Bools = (last >= 0) & (reach[np.maximum(last, 0)] >= spans.end + base)
    return ~whole


def duplication(chunks: Chunks) -> float:
    """Characters of all chunks / characters they cover, less 1: what overlap adds to the index; NaN without chunks."""
    start, end = chunks.start.astype(np.int64), chunks.end.astype(np.int64)
    once = disjoint(np.zeros(len(start), np.int64), chunks.doc.astype(np.int64), start, end)
    covered = int((once.end - once.start).sum())
    return int((end - start).sum()) / covered - 1.0 if covered else float("nan")
