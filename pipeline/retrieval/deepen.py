"""Search until each query's ranking reaches its last document, so that a deeper search never changes what is above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pipeline.ranking import count_documents, end_at_depth, least_chunks, rank_chunks, reachable_depth
from pipeline.records import Bools, Floats, Ints, Longs, Run, Stop


@dataclass(frozen=True, eq=False)
class Found:
    """The best chunks of some queries so far, in any order; -1 = nothing."""

    items: Ints  # (queries, k)
    scores: Floats  # (queries, k), as they are ranked
    bound: Floats  # (queries,): no chunk left out scores above it; -inf = none was left out


Fetch: TypeAlias = Callable[[Longs, int], Found]
"""(query rows, k) -> the k best chunks of these queries, or more, or all that match."""


def search_until(fetch: Fetch, queries: int, stop: Stop) -> Run:
    """Chunk rankings that end as `stop` says. k doubles for the queries that have not got there.

    Only chunks that score above `bound` are ranked: equals of the last one fetched may still be missing.
    """
    run = Run("chunk", np.full((queries, 0), -1, np.int32), np.full((queries, 0), np.nan))
    rows, k, depth = np.arange(queries), 2 * stop.depth, reachable_depth(stop)
    while rows.size:
        found = fetch(rows, k)
        sure = found.scores > found.bound[:, None]
        ranked = end_at_depth(rank_chunks(np.where(sure, found.items, -1), found.scores, stop.doc), stop)
        enough = (count_documents(ranked, stop.doc) >= depth) & ((ranked.items >= 0).sum(axis=1) >= least_chunks(stop))
        done = np.isneginf(found.bound) | enough
        run = _with_rows(run, rows[done], ranked, done)
        rows, k = rows[~done], 2 * k
    return run


def _with_rows(run: Run, rows: Longs, part: Run, chosen: Bools) -> Run:
    """`run` with the chosen rows of `part` in its `rows`, as wide as needed."""
    wide = padded_to(run, max(run.items.shape[1], part.items.shape[1]))
    wide.items[rows, : part.items.shape[1]] = part.items[chosen]
    wide.scores[rows, : part.items.shape[1]] = part.scores[chosen]
    return wide


def padded_to(run: Run, width: int) -> Run:
    """A copy of `run` that is `width` wide, filled up with nothing."""
    more = ((0, 0), (0, width - run.items.shape[1]))
    return Run(
        run.unit,
        np.pad(run.items, more, constant_values=-1),
        np.pad(run.scores, more, constant_values=np.nan),
    )


def below(runs: Sequence[Run]) -> Run:
    """The rankings of several blocks of queries, one block below the other."""
    width = max((run.items.shape[1] for run in runs), default=0)
    none = Run("chunk", np.zeros((0, 0), np.int32), np.zeros((0, 0)))
    wide = [padded_to(run, width) for run in (none, *runs)]
    return Run("chunk", np.concatenate([run.items for run in wide]), np.concatenate([run.scores for run in wide]))
