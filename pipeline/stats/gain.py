"""The gain to expect of choosing the best: chosen on half the queries, measured on the other half."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from pipeline.records import Floats, Interval, Longs
from pipeline.stats.resampling import weight_blocks
from pipeline.stats.sweep import Sweep
from pipeline.stats.tables import weighed

OUTER = 200  # outer resamples: the standard error of the gain to about 5 %
LEAST = 10  # units: halves of five are the least that can choose
SPLITS = 3  # the stream of half-splits of one seed


@dataclass(frozen=True)
class Gain:
    """Gain over the baseline of choosing the best with half the queries, measured on the other half."""

    mean: float
    interval: Interval  # mean +- normal quantile x standard deviation over outer resamples
    chosen: Mapping[str, float]  # experiment -> share of half-splits that chose it


def expected_gain(sweep: Sweep, primary: str, baseline: str) -> Gain | None:
    """Mean gain over half-splits, both directions; None with fewer than LEAST units or without a second experiment.

    Queries undefined for any experiment are left out. The interval comes from an outer bootstrap of units in which all
    copies of a unit fall on the same side: a copy on either side would let the choice see what it is measured on.
    """
    values = sweep.of(primary)
    used = ~np.isnan(values).any(axis=0)
    groups = np.arange(used.size) if sweep.units is None else sweep.units
    codes = np.unique(groups[used], return_inverse=True)[1]
    units = int(codes.max(initial=-1)) + 1
    if units < LEAST or len(values) < 2 or not sweep.options.half_splits:
        return None
    shares = np.ones(codes.size) if sweep.weights is None else sweep.weights[used]
    heavy = weighed(values, sweep.weights)[:, used]
    sums = np.stack([np.bincount(codes, row, units) for row in heavy]).astype(np.float64)
    counts = np.bincount(codes, shares, units).astype(np.float64)
    halves = halves_of(sweep.seed, units, sweep.options.half_splits)
    place = sweep.aligned.names.index(baseline)
    gains, chosen = gains_of(sums, counts, halves, place)
    outer = np.concatenate(list(weight_blocks(sweep.seed, units, OUTER)))
    resampled = [gains_of(sums * w, counts * w, halves, place)[0] for w in outer]
    spread = np.std([found.mean() for found in resampled if found.size], ddof=1)
    mean, half = float(gains.mean()), float(spread * ndtri(0.5 + sweep.options.level / 2))
    shares = np.bincount(chosen, minlength=len(values)) / chosen.size
    named = {name: float(share) for name, share in zip(sweep.aligned.names, shares, strict=True) if share}
    return Gain(mean, Interval(mean - half, mean + half, sweep.options.level, "half-splits"), named)


def halves_of(seed: int, units: int, splits: int) -> Floats:
    """(units, splits) of 0 and 1: a random half of the units each time."""
    rng = np.random.default_rng([seed, SPLITS])
    order = rng.permuted(np.tile(np.arange(units), (splits, 1)), axis=1)
    return (order < units // 2).astype(np.float64).T


def gains_of(sums: Floats, counts: Floats, halves: Floats, baseline: int) -> tuple[Floats, Longs]:
    """Gain and choice of every half-split in both directions: (2 x splits,). Splits with an empty side are left out."""
    inside, outside = sums @ halves, sums @ (1 - halves)
    sizes = counts @ halves, counts @ (1 - halves)
    usable = (sizes[0] > 0) & (sizes[1] > 0)
    gains, choices = [], []
    for (here, n), (there, m) in (((inside, sizes[0]), (outside, sizes[1])), ((outside, sizes[1]), (inside, sizes[0]))):
        best = np.argmax(here[:, usable] / n[usable], axis=0)
        away = there[:, usable] / m[usable]
        gains.append(away[best, np.arange(best.size)] - away[baseline])
        choices.append(best)
    return np.concatenate(gains), np.concatenate(choices)
