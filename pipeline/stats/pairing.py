"""Differences of pairs of experiments, summed per unit of resampling: a query, or a cluster of queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.records import Bools, Floats, Longs


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences left - right of many pairs of experiments on one measure, kept as sums per unit.

    Where all experiments are defined for the same queries a column is an experiment, and a difference of columns is a
    difference of experiments; elsewhere a column is a pair, because each pair has its own queries.
    """

    left: Longs  # (pairs,) positions of experiments
    right: Longs
    sums: Floats  # (units, experiments or pairs)
    counts: Floats  # (units, 1 or pairs): queries that the unit contributes
    by_experiment: bool
    queries: Longs  # (pairs,) queries where both are defined
    wins: Longs  # (pairs,) queries where left is higher
    ties: Longs
    losses: Longs
    left_out: Longs  # queries defined for one of the two only

    @property
    def units(self) -> int:
        """Queries or clusters that can be resampled."""
        return int(self.sums.shape[0])

    def of(self, product: Floats, start: int = 0, stop: int | None = None) -> Floats:
        """Pairs `start:stop` of a (rows, columns) product with `sums`: (rows, pairs)."""
        if not self.by_experiment:
            return product[:, start:stop]
        return product[:, self.left[start:stop]] - product[:, self.right[start:stop]]

    def counts_of(self, product: Floats, start: int = 0, stop: int | None = None) -> Floats:
        """The same of a product with `counts`."""
        return product if product.shape[1] == 1 else product[:, start:stop]


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
    """Wins, ties, losses and queries left out of every pair; a pair at a time, for memory."""
    rows = np.zeros((left.size, 4), np.int64)
    for row, i, j in zip(rows, left, right, strict=True):
        both = defined[i] & defined[j]
        wins, losses = ((filled[i] > filled[j]) & both).sum(), ((filled[i] < filled[j]) & both).sum()
        row[:] = wins, both.sum() - wins - losses, losses, (defined[i] ^ defined[j]).sum()
    return list(rows.T)


def _by_unit(rows: Floats, codes: Longs) -> Floats:
    """Rows (columns, queries) summed per unit: (units, columns), contiguous."""
    order = np.argsort(codes, kind="stable")
    if not codes.size:
        return np.zeros((0, rows.shape[0]))
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.ascontiguousarray(np.add.reduceat(rows[:, order], starts, axis=1).T)
