"""Intervals of means and of mean differences. Without two units nothing is known: the interval is (-inf, inf)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from pipeline.records import Floats, Interval, Longs
from pipeline.stats.pairing import Pairs
from pipeline.stats.tables import NOISE
from pipeline.stats.weights import effective, scaled


@dataclass(frozen=True, eq=False)
class Moments:
    """Means over queries and their standard errors from the sums per unit, one value a pair."""

    mean: Floats
    error: Floats  # standard error; NaN with fewer than 2 units
    degrees: Floats  # of freedom: units - 1, fewer where weights are unequal
    units: Longs


def moments(pairs: Pairs) -> Moments:
    """Mean differences, query-weighted, with the cluster-robust error CR2 (Bell & McCaffrey 2002).

    For a mean, CR2 is sum_g r_g**2 / (1 - n_g/n) / n**2 with r_g the sum of residuals of unit g and n_g its queries;
    with one query a unit this is the usual s**2 / n. With weights r_g is the sum of weight x residual (the ratio
    sum w d / sum w, linearised), n_g the unit's weight and n that of all.
    """
    shape = (pairs.left.size, pairs.units)
    counts = np.broadcast_to(pairs.counts, shape)
    return moments_of(pairs.of(pairs.sums), counts, np.broadcast_to(pairs.sizes, shape) if pairs.weighted else None)


def degrees_of(pairs: Pairs) -> Floats:
    """Degrees of freedom of every pair's standard error."""
    degrees = _degrees(pairs.counts, pairs.sizes if pairs.weighted else None)
    every: Floats = np.broadcast_to(degrees, pairs.left.shape)
    return every


def _degrees(counts: Floats, sizes: Floats | None) -> Floats:
    """Units with a query of the pair, less one.

    With weights the units are as many equal ones as would be as sure (Kish 1965). Clusters of unequal size alone do
    not count as fewer; weights do as far as they make clusters more unequal than their sizes do.
    """
    units = (counts > 0).sum(axis=1)
    if sizes is not None:
        units = units * np.minimum(1.0, effective(counts) / np.maximum(effective(sizes), 1.0))
    degrees: Floats = np.maximum(units - 1.0, 0.0)
    return degrees


def moments_of(sums: Floats, counts: Floats, sizes: Floats | None = None) -> Moments:
    """`moments` from sums, counts and, where these are weights, numbers of queries, all (…, units)."""
    queries = counts.sum(axis=1)
    units = (counts > 0).sum(axis=1)
    safe = np.where(queries > 0, queries, 1.0)
    mean = sums.sum(axis=1) / safe
    residual = sums - counts * mean[:, None]
    room = np.where(units[:, None] > 1, 1 - counts / safe[:, None], 1.0)
    variance = (residual**2 / room).sum(axis=1) / safe**2
    _settle_constant(variance, sums, counts)
    return Moments(mean, np.where(units > 1, np.sqrt(variance), np.nan), _degrees(counts, sizes), units)


def _settle_constant(variance: Floats, sums: Floats, counts: Floats) -> None:
    """Sets the variance of rows whose units all have the same mean to 0: no rounding error may look like spread.

    Products with weights are rounded, so there the means agree up to noise.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        each = sums / counts
    lowest = np.min(each, axis=1, initial=np.inf, where=counts > 0)
    highest = np.max(each, axis=1, initial=-np.inf, where=counts > 0)
    variance[(highest <= lowest) | (variance <= NOISE**2)] = 0.0


def t_interval(found: Moments, place: int, level: float, method: str = "t") -> Interval:
    """Mean +- t quantile x standard error (Student 1908) of the pair at `place`."""
    mean, error, degrees = (float(values[place]) for values in (found.mean, found.error, found.degrees))
    if degrees < 1:
        return Interval(-np.inf, np.inf, level, method)
    return around(mean, error, float(stdtrit(degrees, 0.5 + level / 2)), level, method)


def around(mean: float, error: float, critical: float, level: float, method: str) -> Interval:
    """Mean +- critical x standard error."""
    half = critical * error if error > 0 else 0.0
    return Interval(float(mean - half), float(mean + half), level, method)


def interval_of_mean(
    values: Sequence[float] | Floats,
    *,
    level: float = 0.95,
    clusters: Sequence[str] | None = None,
    weights: Floats | None = None,
) -> Interval:
    """Interval (t) of one experiment's mean; NaN left out; cluster-robust where clusters are given.

    `weights`: how much each value counts. ComparisonError where they are no weights.
    """
    array = np.asarray(values, np.float64)
    defined = ~np.isnan(array) if weights is None else ~np.isnan(array) & (weights != 0)
    codes = np.arange(array.size) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    codes = np.unique(codes[defined], return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)[None]
    shares = None if weights is None or not defined.any() else scaled(weights[defined])
    if shares is None:
        sums = np.bincount(codes, array[defined]).astype(np.float64)[None]
        return t_interval(moments_of(sums, sizes), 0, level)
    sums, counts = (np.bincount(codes, row).astype(np.float64)[None] for row in (shares * array[defined], shares))
    return t_interval(moments_of(sums, counts, sizes), 0, level, "weighted t")
