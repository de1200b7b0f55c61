"""Differences of pairs of experiments, summed per unit of resampling: a query, or a cluster of queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.records import Bools, Floats, Longs

CELLS = 1_000_000  # pairs x queries held at a time


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences left - right of many pairs of experiments on one measure, kept as sums per unit.

    Where all experiments are defined for the same queries a row is an experiment, and a difference of rows is a
    difference of experiments; elsewhere a row is a pair, because each pair has its own queries.
    """

    left: Longs  # (pairs,) positions of experiments
    right: Longs
    sums: Floats  # (experiments or pairs, units)
    counts: Floats  # (1 or pairs, units): queries that the unit contributes
    by_experiment: bool
    queries: Longs  # (pairs,) queries where both are defined
    wins: Longs  # (pairs,) queries where left is higher
    ties: Longs
    losses: Longs
    left_out: Longs  # queries defined for one of the two only

    @property
    def units(self) -> int:
        """Queries or clusters that can be resampled."""
        return int(self.sums.shape[1])

    def of(self, product: Floats, start: int = 0, stop: int | None = None) -> Floats:
        """Pairs `start:stop` of anything with a row a row of `sums`: (pairs, …)."""
        if not self.by_experiment:
            return product[start:stop]
        difference: Floats = product[self.left[start:stop]]
        difference -= product[self.right[start:stop]]  # in place: a third array of this size costs more than the rest
        return difference

    def counts_of(self, product: Floats, start: int = 0, stop: int | None = None) -> Floats:
        """The same for rows of `counts`."""
        return product if product.shape[0] == 1 else product[start:stop]


def pair_up(values: Floats, left: Longs, right: Longs, units: Longs | None = None) -> Pairs:
    """Pairs of rows of `values` (experiments, queries), already on the grid; `units` = unit of each query.

    Queries undefined for one of a pair are left out of that pair; units without any query left are dropped.
    """
    defined = ~np.isnan(values)
    filled = np.where(defined, values, 0.0)
    used = defined.any(axis=0)
    common = bool((defined == used).all())
    groups = np.arange(values.shape[1]) if units is None else units
    _, codes = np.unique(groups[used], return_inverse=True)
    wins, ties, losses, left_out = _tallies(filled, defined, left, right)
    if common:
        sums = _by_unit(filled[:, used], codes)
        counts = _by_unit(np.ones((1, codes.size)), codes)
    else:
        both = (defined[left] & defined[right])[:, used]
        sums = _by_unit(np.where(both, (filled[left] - filled[right])[:, used], 0.0), codes)
        counts = _by_unit(both.astype(np.float64), codes)
    return Pairs(left, right, sums, counts, common, wins + ties + losses, wins, ties, losses, left_out)


def _tallies(filled: Floats, defined: Bools, left: Longs, right: Longs) -> list[Longs]:
    """Wins, ties, losses and queries left out of every pair; some pairs at a time, for memory."""
    rows = np.zeros((4, left.size), np.int64)
    step = max(1, CELLS // max(filled.shape[1], 1))
    for start in range(0, left.size, step):
        i, j = left[start : start + step], right[start : start + step]
        both = defined[i] & defined[j]
        difference = np.where(both, filled[i] - filled[j], 0.0)
        wins, losses, pairs = (difference > 0).sum(axis=1), (difference < 0).sum(axis=1), both.sum(axis=1)
        left_out = (defined[i] ^ defined[j]).sum(axis=1)
        rows[:, start : start + step] = wins, pairs - wins - losses, losses, left_out
    return list(rows)


def _by_unit(rows: Floats, codes: Longs) -> Floats:
    """Rows (…, queries) summed per unit: (…, units)."""
    order = np.argsort(codes, kind="stable")
    if not codes.size:
        return np.zeros((rows.shape[0], 0))
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    totals: Floats = np.add.reduceat(rows[:, order], starts, axis=1)
    return totals
