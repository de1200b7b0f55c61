"""Differences of pairs of experiments, summed per unit of resampling: a query, or a cluster of queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipeline.records import Bools, Floats, Longs
from pipeline.stats.tables import weighed

CELLS = 1_000_000  # pairs x queries held at a time


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences left - right of many pairs of experiments on one measure, kept as sums per unit.

    Where all experiments are defined for the same queries a row is an experiment, and a difference of rows is a
    difference of experiments; elsewhere a row is a pair, because each pair has its own queries. Where queries have
    weights, a query adds its weight times its value to `sums`, and its weight to `counts`.
    """

    left: Longs  # (pairs,) positions of experiments
    right: Longs
    sums: Floats  # (experiments or pairs, units)
    counts: Floats  # (1 or pairs, units): what the unit contributes: queries, or their weights
    sizes: Floats  # (1 or pairs, units): queries of the unit; `counts` itself without weights
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

    @property
    def weighted(self) -> bool:
        """Whether some queries count more than others."""
        return self.sizes is not self.counts

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


def pair_up(
    values: Floats, left: Longs, right: Longs, units: Longs | None = None, weights: Floats | None = None
) -> Pairs:
    """Pairs of rows of `values` (experiments, queries), on the grid as `weights` are; `units` = unit of each query.

    Queries undefined for one of a pair are left out of that pair; units without any query left are dropped.
    """
    defined = ~np.isnan(values)
    filled = np.where(defined, values, 0.0)
    used = defined.any(axis=0)
    common = bool((defined == used).all())
    groups = np.arange(values.shape[1]) if units is None else units
    _, codes = np.unique(groups[used], return_inverse=True)
    wins, ties, losses, left_out = _tallies(filled, defined, left, right)
    heavy = weighed(filled, weights)
    if common:
        both = np.ones((1, codes.size))
        sums = _by_unit(heavy[:, used], codes)
    else:
        both = (defined[left] & defined[right])[:, used].astype(np.float64)
        sums = _by_unit(np.where(both, (heavy[left] - heavy[right])[:, used], 0.0), codes)
    sizes = _by_unit(both, codes)
    counts = sizes if weights is None else _by_unit(both * weights[used], codes)
    return Pairs(left, right, sums, counts, sizes, common, wins + ties + losses, wins, ties, losses, left_out)


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
