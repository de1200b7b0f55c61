"""Intervals of means and of mean differences. Without two units nothing is known: the interval is (-inf, inf)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from pipeline.records import Floats, Interval, Longs
from pipeline.stats.pairing import Pairs


@dataclass(frozen=True, eq=False)
class Moments:
    """Means over queries and their standard errors from the sums per unit, one value a pair."""

    mean: Floats
    error: Floats  # standard error; NaN with fewer than 2 units
    degrees: Floats  # of freedom: units - 1
    units: Longs


def moments(pairs: Pairs) -> Moments:
    """Mean differences, query-weighted, with the cluster-robust error CR2 (Bell & McCaffrey 2002).

    For a mean, CR2 is sum_g r_g**2 / (1 - n_g/n) / n**2 with r_g the sum of residuals of unit g and n_g its queries;
    with one query a unit this is the usual s**2 / n.
    """
    return moments_of(pairs.of(pairs.sums), np.broadcast_to(pairs.counts, (pairs.left.size, pairs.units)))


def degrees_of(pairs: Pairs) -> Floats:
    """Degrees of freedom of every pair's standard error: units with a query of the pair, less one."""
    degrees: Floats = np.maximum((pairs.counts > 0).sum(axis=1) - 1.0, 0.0)
    return np.broadcast_to(degrees, pairs.left.shape)


def moments_of(sums: Floats, counts: Floats) -> Moments:
    """`moments` from sums and counts, both (…, units)."""
    queries = counts.sum(axis=1)
    units = (counts > 0).sum(axis=1)
    safe = np.maximum(queries, 1.0)
    mean = sums.sum(axis=1) / safe
    residual = sums - counts * mean[:, None]
    room = np.where(units[:, None] > 1, 1 - counts / safe[:, None], 1.0)
    variance = (residual**2 / room).sum(axis=1) / safe**2
    _settle_constant(variance, sums, counts)
    return Moments(mean, np.where(units > 1, np.sqrt(variance), np.nan), np.maximum(units - 1.0, 0.0), units)


def _settle_constant(variance: Floats, sums: Floats, counts: Floats) -> None:
    """Sets the variance of rows whose units all have the same mean to 0: no rounding error may look like spread."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each = sums / counts
    lowest = np.min(each, axis=1, initial=np.inf, where=counts > 0)
    highest = np.max(each, axis=1, initial=-np.inf, where=counts > 0)
    variance[highest <= lowest] = 0.0


def t_interval(mean: float, error: float, degrees: float, level: float) -> Interval:
    """Mean +- t quantile x standard error (Student 1908)."""
    if degrees < 1:
        return Interval(-np.inf, np.inf, level, "t")
    return around(mean, error, float(stdtrit(degrees, 0.5 + level / 2)), level, "t")


def around(mean: float, error: float, critical: float, level: float, method: str) -> Interval:
    """Mean +- critical x standard error."""
    half = critical * error if error > 0 else 0.0
    return Interval(float(mean - half), float(mean + half), level, method)


def interval_of_mean(
    values: Sequence[float] | Floats, *, level: float = 0.95, clusters: Sequence[str] | None = None
) -> Interval:
    """Interval (t) of one experiment's mean; NaN left out; cluster-robust where clusters are given."""
    array = np.asarray(values, np.float64)
    defined = ~np.isnan(array)
    codes = np.arange(array.size) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    codes = np.unique(codes[defined], return_inverse=True)[1]
    sums = np.bincount(codes, array[defined]).astype(np.float64)[None]
    found = moments_of(sums, np.bincount(codes).astype(np.float64)[None])
    return t_interval(float(found.mean[0]), float(found.error[0]), float(found.degrees[0]), level)
