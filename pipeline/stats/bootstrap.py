"""Bootstrap intervals of mean differences, all from the one set of weights: percentile, BCa and studentised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from pipeline.records import Floats
from pipeline.stats.intervals import moments
from pipeline.stats.options import StatsOptions
from pipeline.stats.pairing import Pairs
from pipeline.stats.resampling import resampled

CHUNK = 64  # pairs at a time, for memory


def percentile_ends(many: Sequence[Pairs], seed: int, options: StatsOptions) -> list[Floats]:
    """Percentile interval ends (pairs, 2), for each of `many`; (-inf, inf) with fewer than two units.

    Those with equally many units share one set of weights, and one product.
    """
    found: list[Floats] = [np.empty((0, 2))] * len(many)
    for units in {pairs.units for pairs in many}:
        places = [i for i, pairs in enumerate(many) if pairs.units == units]
        rows = [part for i in places for part in (many[i].sums, many[i].counts)]
        totals = resampled(rows, seed, options.resamples) if units else rows
        for i, (sums, counts) in zip(places, zip(totals[::2], totals[1::2], strict=True), strict=True):
            found[i] = _known(many[i], _quantiles(many[i], sums, counts, options.alpha / 2))
    return found


def _known(pairs: Pairs, ends: Floats) -> Floats:
    ends[moments(pairs).units < 2] = (-np.inf, np.inf)
    return ends


def _means(pairs: Pairs, sums: Floats, counts: Floats, part: slice) -> Floats:
    """Resampled mean differences (pairs of `part`, resamples); NaN where a resample holds none of a pair's queries."""
    weight = pairs.counts_of(counts, part.start, part.stop)
    with np.errstate(invalid="ignore"):
        means: Floats = pairs.of(sums, part.start, part.stop) / weight
    return means


def _parts(pairs: Pairs) -> list[slice]:
    return [slice(start, min(start + CHUNK, pairs.left.size)) for start in range(0, pairs.left.size, CHUNK)]


def _quantiles(pairs: Pairs, sums: Floats, counts: Floats, tail: float) -> Floats:
    """Linear between order statistics; resamples without any query of a pair say nothing about it and are left out."""
    ends = np.tile((-np.inf, np.inf), (pairs.left.size, 1))
    if not sums.shape[1]:
        return ends
    found = moments(pairs)
    reach = -ndtri(2 * tail) * found.error  # a normal distribution has twice the tail outside
    for part in _parts(pairs):
        for i, row in enumerate(_means(pairs, sums, counts, part), part.start):
            values = row if counts.all() else row[~np.isnan(row)]
            if not values.size:
                continue
            position = tail * (values.size - 1)
            ends[i, 0] = _order_statistic(values, position, found.mean[i] - reach[i])
            ends[i, 1] = -_order_statistic(-values, position, -found.mean[i] - reach[i])
    return ends


def _order_statistic(values: Floats, position: float, guess: float) -> float:
    """The value at a fractional place in ascending order; only those up to `guess` are ordered where that suffices."""
    low = int(position)
    near = values[values <= guess]
    ordered = np.partition(near if near.size > low + 1 else values, (low, low + 1))
    return float(ordered[low] + (position - low) * (ordered[low + 1] - ordered[low]))


def _ends(values: Floats, low: float, high: float) -> Floats:
    return np.quantile(values, (low, high)) if values.size else np.array((-np.inf, np.inf))


def bca_ends(pairs: Pairs, seed: int, options: StatsOptions) -> Floats:
    """Bias-corrected and accelerated ends (pairs, 2) (Efron 1987), accelerated by leaving out a unit at a time."""
    sums, counts = resampled([pairs.sums, pairs.counts], seed, options.resamples)
    observed, acceleration = moments(pairs).mean, _acceleration(pairs)
    ends = np.empty((pairs.left.size, 2))
    z = ndtri(np.array((options.alpha / 2, 1 - options.alpha / 2)))
    for part in _parts(pairs):
        for i, row in enumerate(_means(pairs, sums, counts, part), part.start):
            values = row[~np.isnan(row)]
            below = ((values < observed[i]).mean() + (values <= observed[i]).mean()) / 2 if values.size else 0.5
            if not 0 < below < 1:  # no resample on one side: no spread to correct
                ends[i] = _ends(values, options.alpha / 2, 1 - options.alpha / 2)
                continue
            shift = ndtri(below)
            shares = ndtr(shift + (shift + z) / (1 - acceleration[i] * (shift + z)))
            ends[i] = _ends(values, *shares)
    return _known(pairs, ends)


def _acceleration(pairs: Pairs) -> Floats:
    differences = pairs.of(pairs.sums)
    counts = np.broadcast_to(pairs.counts, differences.shape)
    left = differences.sum(axis=1, keepdims=True) - differences
    room = counts.sum(axis=1, keepdims=True) - counts
    without = left / np.where(room > 0, room, 1.0)
    away = without.mean(axis=1, keepdims=True) - without
    spread = (away**2).sum(axis=1)
    return np.where(spread > 0, (away**3).sum(axis=1) / (6 * np.where(spread > 0, spread, 1.0) ** 1.5), 0.0)


def studentised_ends(pairs: Pairs, seed: int, options: StatsOptions) -> Floats:
    """Bootstrap-t ends (pairs, 2) (Efron & Tibshirani 1993, chapter 12), each resample with its own standard error.

    The quantiles are the order statistics next outside, so that a resample without spread widens the interval.
    """
    found = moments(pairs)
    differences = pairs.of(pairs.sums)
    counts = np.array(np.broadcast_to(pairs.counts, differences.shape))
    rows = [differences, counts, differences**2, differences * counts, counts**2]
    total, weight, squares, crossed, sizes = resampled(rows, seed, options.resamples)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / weight
        variance = (squares - 2 * mean * crossed + mean**2 * sizes) / weight**2
        ratio = (mean - found.mean[:, None]) / np.sqrt(np.maximum(variance, 0.0))
    ratio[mean == found.mean[:, None]] = 0.0
    low = np.nanquantile(ratio, options.alpha / 2, axis=1, method="lower")
    high = np.nanquantile(ratio, 1 - options.alpha / 2, axis=1, method="higher")
    error = _plug_in(differences, counts)
    with np.errstate(invalid="ignore"):
        ends = np.column_stack((found.mean - high * error, found.mean - low * error))
    ends[error == 0] = np.repeat(found.mean[error == 0][:, None], 2, axis=1)
    return _known(pairs, ends)


def _plug_in(differences: Floats, counts: Floats) -> Floats:
    """Standard errors by the formula that `studentised_ends` uses in every resample."""
    queries = counts.sum(axis=1)
    queries = np.where(queries > 0, queries, 1.0)
    residual = differences - counts * (differences.sum(axis=1) / queries)[:, None]
    errors: Floats = np.sqrt((residual**2).sum(axis=1)) / queries
    return errors
