"""Corrections for many comparisons: p values that hold for a family, and the critical value of its intervals.

max_t   step-down max-T on sign flips (Westfall & Young 1993; Romano & Wolf 2005): uses that the comparisons are related
holm    Holm (1979) on the single p values; intervals by Bonferroni
bh      Benjamini & Hochberg (1995): the expected share of false findings, not the chance of any; intervals as holm
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from pipeline.records import Floats, Longs
from pipeline.stats.intervals import degrees_of
from pipeline.stats.options import StatsOptions
from pipeline.stats.pairing import Pairs
from pipeline.stats.resampling import FlipTest


@dataclass(frozen=True, eq=False)
class Family:
    """Tests of all pairs of one family. `critical` values are on the scale of t: |difference| / standard error."""

    p: Floats  # (pairs,) of each pair by itself
    corrected: Floats  # (pairs,)
    critical: Floats  # (pairs,) of simultaneous intervals at `level`; inf = too few units for one
    critical_margin: Floats  # (pairs,) of the two one-sided tests against the margin, each at alpha

    def of(self, chosen: Longs) -> Family:
        """The same tests for some of the pairs; they stay corrected for all."""
        return Family(self.p[chosen], self.corrected[chosen], self.critical[chosen], self.critical_margin[chosen])


def family(pairs: Pairs, seed: int, options: StatsOptions) -> Family:
    """Tests of all pairs together."""
    degrees = degrees_of(pairs)
    test = FlipTest(pairs, seed, options.resamples)
    if options.correction == "max_t":
        return _max_t(test, degrees, options)
    p = test.plain_p()
    corrected = holm(p) if options.correction == "holm" else benjamini_hochberg(p)
    size = max(p.size, 1)
    return Family(
        p, corrected, _t_quantile(options.alpha / size, degrees), _t_quantile(2 * options.alpha / size, degrees)
    )


def _max_t(test: FlipTest, degrees: Floats, options: StatsOptions) -> Family:
    ascending = np.argsort(test.observed, kind="stable")
    observed = test.observed[ascending]
    plain = np.zeros(observed.size, np.int64)
    stepped = np.zeros(observed.size, np.int64)
    highest = []
    for block in test.blocks():
        statistic = block[ascending]
        plain += (statistic >= observed[:, None]).sum(axis=1)
        np.maximum.accumulate(statistic, axis=0, out=statistic)
        stepped += (statistic >= observed[:, None]).sum(axis=1)
        highest.append(statistic[-1].copy())
    p = np.empty(observed.size)
    corrected = np.empty(observed.size)
    p[ascending] = test.share(plain)
    p = p if test.exact else test.refined(p)
    corrected[ascending] = np.maximum.accumulate(test.share(stepped)[::-1])[::-1]
    maxima = np.sort(np.concatenate(highest))[::-1]
    critical = _on_t_scale(_exceeded_by(maxima, options.alpha, test.exact), degrees)
    critical_margin = _on_t_scale(_exceeded_by(maxima, 2 * options.alpha, test.exact), degrees)
    return Family(p, np.maximum(corrected, p), critical, critical_margin)


def _exceeded_by(maxima: Floats, alpha: float, exact: bool) -> float:
    """The value that a statistic must exceed for its single-step p to be at most alpha (maxima: descending)."""
    allowed = int(alpha * maxima.size + 1e-9) if exact else int(alpha * (1 + maxima.size) + 1e-9) - 1
    return float(maxima[allowed]) if 0 <= allowed < maxima.size else np.inf


def _on_t_scale(statistic: float, degrees: Floats) -> Floats:
    """T = sum(D)/sqrt(sum(D**2)) as t: T**2 = u t**2 / (u - 1 + t**2) with u = degrees + 1 units; inf below 1."""
    room = degrees + 1 - statistic**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((degrees >= 1) & (room > 0), statistic * np.sqrt(degrees / room), np.inf)


def _t_quantile(alpha: float, degrees: Floats) -> Floats:
    """Two-sided critical value of Student's t at alpha; inf without a degree of freedom."""
    return np.where(degrees >= 1, stdtrit(np.maximum(degrees, 1.0), 1 - alpha / 2), np.inf)


def holm(p: Floats) -> Floats:
    """Step-down Bonferroni: the k-th smallest of m is multiplied by m - k + 1, made monotone, cut at 1."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p: Floats) -> Floats:
    """Step-up false discovery rate: the k-th smallest of m is multiplied by m / k, made monotone from the top."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    return _back(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0), order)


def _back(values: Floats, order: Longs) -> Floats:
    placed = np.empty_like(values)
    placed[order] = values
    return placed
