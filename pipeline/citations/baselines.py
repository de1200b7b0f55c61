"""What is normal for a series of batches, and how far a batch is from it. The unit is the answer, not the citation.

A series has one value in [0, 1] an answer. Each batch becomes z, its distance from the baseline in standard errors of a
prediction: the normal score of the beta-binomial tail of its count, given the baseline's (Jeffreys' prior), so that an
uncertain baseline raises no false alarms. Values between 0 and 1 vary less than zeros and ones of the same mean: an
answer then counts as so many of them as vary like it, mean (1 - mean) / variance. z is divided by Laney's sigma_z
(2002, p'-chart): how much wider batches scatter than their answers explain.

Only the bad direction is far: validity down, answers without citations up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import betaln, gammaln, ndtri

from pipeline.citations.limits import SHEWHART, height, scatter
from pipeline.errors import SettingError
from pipeline.records import Floats

Bad: TypeAlias = Literal["low", "high"]
FARTHEST = 8.0  # |z| is cut there: tails beyond it are no more than words
_BEYOND = 37.0  # standard errors where a tail is no longer a floating-point number
_FINEST = 1000.0  # zeros and ones that an answer counts for, at most
_WIDEST = 0.1 / 3  # believed standard deviation of a batch, at most: 10 points must stay 3 of them apart


@dataclass(frozen=True)
class ChartSettings:
    """What is normal, and how rarely it may alarm."""

    baseline: int = 5  # batches
    minimum: int = 20  # answers with a value; a smaller batch is shown, not judged
    false_alarms: float = 0.008  # share of the batches of a series in control that alarm, by any chart
    wander: float = 0.02  # standard deviation of the level from batch to batch that is believed beforehand

    def __post_init__(self) -> None:
        """Checks every number."""
        if self.baseline < 2:
            raise SettingError(f"baseline={self.baseline}: expected 2 batches or more")
        if self.minimum < 2:
            raise SettingError(f"minimum={self.minimum}: expected 2 answers or more in a batch")
        if not 0.0005 <= self.false_alarms <= 0.2:
            raise SettingError(f"false_alarms={self.false_alarms}: expected a share of batches, 0.0005 to 0.2")
        if not 0 <= self.wander < 1:
            raise SettingError(f"wander={self.wander}: expected a standard deviation of shares, 0 to 1")


@dataclass(frozen=True)
class Batch:
    """The answers of one batch that have a value: how many, their sum and the sum of their squares."""

    count: int
    total: float
    squares: float

    @property
    def mean(self) -> float:
        """NaN without an answer."""
        return self.total / self.count if self.count else math.nan


@dataclass(frozen=True)
class Baseline:
    """What is normal: estimated from batches, never assumed."""

    count: int  # answers
    mean: float
    worth: float  # zeros and ones that vary like one answer; 1 for zeros and ones, else more
    batches: tuple[int, ...]  # their places
    laney: float  # sigma_z; 1 = the batches scatter no more than their answers explain
    height: float  # of the limits of all three charts

    @property
    def deviation(self) -> float:
        """Between answers; not 0 where all of them were right, because the next need not be (Jeffreys' prior)."""
        mean = (self.mean * self.count * self.worth + 0.5) / (self.count * self.worth + 1)
        return math.sqrt(mean * (1 - mean) / self.worth)


def estimate(batches: Sequence[Batch], settings: ChartSettings, *, first: int = 0) -> Baseline | None:
    """The baseline: the first batches of enough answers, from `first` on; None while there are too few."""
    places = [i for i, one in enumerate(batches) if i >= first and one.count >= settings.minimum]
    places = places[: settings.baseline]
    if len(places) < settings.baseline:
        return None
    chosen = [batches[i] for i in places]
    count = sum(one.count for one in chosen)
    mean = sum(one.total for one in chosen) / count
    variance = max(sum(one.squares for one in chosen) / count - mean**2, 0.0)
    worth = min(max(mean * (1 - mean) / variance, 1.0), _FINEST) if variance > 0 else 1.0
    plain = Baseline(count, mean, worth, tuple(places), 1.0, 1.0)
    expected = _expected(plain, settings)
    squares = sum(one.count * (one.mean - mean) ** 2 for one in chosen) / plain.deviation**2
    return replace(
        plain,
        laney=float(scatter(squares, len(places), expected)),
        height=height(len(places), expected, settings.false_alarms),
    )


def _expected(baseline: Baseline, settings: ChartSettings) -> float:
    """Variance of batch means over what their answers explain, as believed beforehand: the level wanders a little.

    Less near 0 and 1, and less where answers alone vary so much that 10 points would no longer be found.
    """
    explained = baseline.deviation**2 * len(baseline.batches) / baseline.count
    room = max(_WIDEST**2 - explained, 0.0)
    edge = min(baseline.mean, 1 - baseline.mean) / 2
    return 1 + min(settings.wander**2, edge**2, room) / explained


def distance(batch: Batch, baseline: Baseline, bad: Bad) -> float:
    """Z of a batch in the bad direction."""
    tail = _tail(batch, baseline, bad)
    z = -float(ndtri(tail)) if 0 < tail < 1 else math.copysign(_BEYOND, 0.5 - tail)
    return min(max(z / baseline.laney, -FARTHEST), FARTHEST)


def _tail(batch: Batch, baseline: Baseline, bad: Bad) -> float:
    """Mid-p of a count at least as bad as this one, beta-binomial; linear between whole counts."""
    count = round(batch.count * baseline.worth)
    hits = min(max((batch.mean if bad == "high" else 1 - batch.mean) * count, 0.0), float(count))
    low = math.floor(hits + 1e-9)
    mass = _mass(low, count, baseline, bad)
    part = max(hits - low, 0.0)
    return float(mass[1:].sum() + 0.5 * mass[0] - part * 0.5 * mass[:2].sum())


def _mass(low: int, count: int, baseline: Baseline, bad: Bad) -> Floats:
    """Probabilities of `low` to `count` bad ones among `count`: beta-binomial, given the baseline's."""
    known = baseline.count * baseline.worth
    share = baseline.mean if bad == "high" else 1 - baseline.mean
    a, b = share * known + 0.5, (1 - share) * known + 0.5
    k = np.arange(low, count + 1, dtype=np.float64)
    chosen = gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
    mass: Floats = np.exp(chosen + betaln(k + a, count - k + b) - betaln(a, b))
    return mass


@lru_cache(maxsize=1024)
def limit_of(count: int, baseline: Baseline, bad: Bad) -> float:
    """The mean from which a batch of `count` answers alarms by itself, to the next whole count; NaN where none does."""
    trials = round(count * baseline.worth)
    mass = _mass(0, trials, baseline, bad)
    tails = np.cumsum(mass[::-1])[::-1] - 0.5 * mass
    far = np.flatnonzero(-ndtri(np.clip(tails, 0.0, 1.0)) > SHEWHART * baseline.height * baseline.laney)
    if not count or not len(far):
        return math.nan
    share = float(far[0]) / trials
    return share if bad == "high" else 1 - share
