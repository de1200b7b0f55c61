"""Control charts over batches of answers. The unit is the answer: citations within one are not independent.

A series has one value in [0, 1] an answer. Each batch becomes z, its distance from the baseline in standard errors of a
prediction, so that an uncertain baseline does not raise false alarms:

    shares (0 or 1)   beta-binomial tail of the count, given the baseline's (Jeffreys' prior)
    other values      Student's t of the mean, with the spread between answers of the baseline

Where the baseline's own batches scatter more than answers explain, z is divided by Laney's sigma_z (2002, p'-chart).
Batches share the error of the baseline, so their z correlate with rho = share of it in the variance of a prediction;
the limits of EWMA (Roberts 1959) and the allowance of CUSUM (Page 1954) take it in.

    shewhart   z > 2.9
    ewma       s = 0.4 z + 0.6 s, above 2.7 of its standard deviations
    cusum      s = max(0, s + z - k), k = 0.5 + 2 sqrt(rho), above 3.5

Only the bad direction alarms: validity down, answers without citations up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import betaln, gammaln, ndtri, stdtr
from scipy.stats import chi2

from pipeline.errors import SettingError
from pipeline.records import Floats

Bad: TypeAlias = Literal["low", "high"]
Chart: TypeAlias = Literal["shewhart", "ewma", "cusum"]
FARTHEST = 8.0  # |z| is cut there: tails beyond it are no more than words


@dataclass(frozen=True)
class ChartSettings:
    """How far is too far."""

    baseline: int = 5  # batches
    minimum: int = 20  # answers with a value; a smaller batch is shown, not judged
    shewhart: float = 2.9  # standard errors
    ewma_weight: float = 0.4  # of the newest batch
    ewma: float = 2.7  # standard deviations
    cusum_allowance: float = 0.5  # standard errors, for a baseline without error
    cusum: float = 3.5  # standard errors
    overdispersion: float = 0.1  # level of the test that turns Laney's factor on

    def __post_init__(self) -> None:
        """Checks every number."""
        if self.baseline < 2:
            raise SettingError(f"baseline={self.baseline}: expected 2 batches or more")
        if self.minimum < 2:
            raise SettingError(f"minimum={self.minimum}: expected 2 answers or more in a batch")
        if not 0 < self.ewma_weight <= 1:
            raise SettingError(f"ewma_weight={self.ewma_weight}: expected more than 0, at most 1")
        for name in ("shewhart", "ewma", "cusum"):
            if not getattr(self, name) > 0:
                raise SettingError(f"{name}={getattr(self, name)}: expected more than 0")


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
    deviation: float  # between answers
    batches: tuple[int, ...]  # their places
    laney: float  # sigma_z; 1 = the batches scatter no more than their answers explain


@dataclass(frozen=True)
class Point:
    """One batch on its charts."""

    batch: int
    count: int
    mean: float
    state: Literal["baseline", "too few", "normal", "alarm"]
    z: float  # in the bad direction; NaN where not judged
    limit: float  # the mean from which the batch alone alarms
    ewma: float
    cusum: float
    charts: tuple[Chart, ...] = ()  # that alarm
    since: int | None = None  # batch from which on things have been worse


@dataclass(frozen=True)
class Series:
    """A series judged."""

    name: str
    bad: Bad
    baseline: Baseline | None  # None = not enough batches yet
    points: tuple[Point, ...]

    @property
    def alarms(self) -> tuple[Point, ...]:
        """Batches that alarm."""
        return tuple(point for point in self.points if point.state == "alarm")


@dataclass
class _Run:
    """What EWMA and CUSUM remember; an alarm of either starts both again."""

    ewma: float = 0.0
    steps: int = 0
    cusum: float = 0.0
    since: int | None = None
    above: int | None = field(default=None)


def judge(name: str, bad: Bad, batches: Sequence[Batch], settings: ChartSettings, *, first: int = 0) -> Series:
    """The series on its charts; its baseline is the first batches of enough answers, from `first` on."""
    baseline = estimate(batches, settings, first=first)
    if baseline is None:
        points = tuple(
            Point(i, one.count, one.mean, _waiting(i, one, settings, first), math.nan, math.nan, math.nan, math.nan)
            for i, one in enumerate(batches)
        )
        return Series(name, bad, None, points)
    run = _Run()
    points = tuple(_point(i, one, baseline, bad, settings, run) for i, one in enumerate(batches))
    return Series(name, bad, baseline, points)


def estimate(batches: Sequence[Batch], settings: ChartSettings, *, first: int = 0) -> Baseline | None:
    """The baseline; None while there are too few batches."""
    places = [i for i, one in enumerate(batches) if i >= first and one.count >= settings.minimum]
    places = places[: settings.baseline]
    if len(places) < settings.baseline:
        return None
    count = sum(batches[i].count for i in places)
    mean = sum(batches[i].total for i in places) / count
    within = sum(batches[i].squares - batches[i].total ** 2 / batches[i].count for i in places)
    deviation = math.sqrt(max(within, 0.0) / max(count - len(places), 1))
    return Baseline(
        count, mean, deviation, tuple(places), _laney([batches[i] for i in places], mean, deviation, settings)
    )


def _laney(batches: Sequence[Batch], mean: float, deviation: float, settings: ChartSettings) -> float:
    """sigma_z from the moving ranges of the baseline's z, where a chi-square test finds more scatter than expected."""
    if deviation <= 0:
        return 1.0
    z = np.array([(one.mean - mean) / (deviation / math.sqrt(one.count)) for one in batches])
    if float((z**2).sum()) <= chi2.isf(settings.overdispersion, len(z) - 1):
        return 1.0
    return max(1.0, float(np.abs(np.diff(z)).mean()) / 1.128)


def _waiting(place: int, batch: Batch, settings: ChartSettings, first: int) -> Literal["baseline", "too few"]:
    return "too few" if batch.count < settings.minimum or place < first else "baseline"


def _point(place: int, batch: Batch, baseline: Baseline, bad: Bad, settings: ChartSettings, run: _Run) -> Point:
    limit = limit_of(batch.count, baseline, bad, settings)
    if place in baseline.batches or place < baseline.batches[0]:
        return Point(place, batch.count, batch.mean, "baseline", math.nan, limit, math.nan, math.nan)
    if batch.count < settings.minimum:
        return Point(place, batch.count, batch.mean, "too few", math.nan, limit, run.ewma, run.cusum)
    z = distance(batch, baseline, bad) / baseline.laney
    rho = batch.count / (batch.count + baseline.count)
    charts = _step(place, z, rho, settings, run)
    point = Point(
        batch=place,
        count=batch.count,
        mean=batch.mean,
        state="alarm" if charts else "normal",
        z=z,
        limit=limit,
        ewma=run.ewma,
        cusum=run.cusum,
        charts=charts,
        since=run.since if charts else None,
    )
    if charts:
        run.ewma, run.steps, run.cusum = 0.0, 0, 0.0
    else:
        run.since = None if run.cusum == 0 and run.ewma <= 0 else run.since
    return point


def _step(place: int, z: float, rho: float, settings: ChartSettings, run: _Run) -> tuple[Chart, ...]:
    """Moves EWMA and CUSUM on by one batch and names the charts that are beyond their limits."""
    weight = settings.ewma_weight
    run.steps += 1
    run.ewma = weight * z + (1 - weight) * run.ewma
    run.cusum = max(0.0, run.cusum + z - settings.cusum_allowance - 2 * math.sqrt(rho))
    if run.since is None and (run.cusum > 0 or z > 1):
        run.since = place
    kept = (1 - weight) ** run.steps
    variance = (1 - rho) * weight / (2 - weight) * (1 - kept**2) + rho * (1 - kept) ** 2
    beyond: list[Chart] = []
    if z > settings.shewhart:
        beyond.append("shewhart")
    if run.ewma > settings.ewma * math.sqrt(variance):
        beyond.append("ewma")
    if run.cusum > settings.cusum:
        beyond.append("cusum")
    if beyond and run.since is None:
        run.since = place
    return tuple(beyond)


def distance(batch: Batch, baseline: Baseline, bad: Bad) -> float:
    """Z of a batch in the bad direction, before Laney's factor."""
    tail = _share_tail(batch, baseline, bad) if _is_share(batch, baseline) else _mean_tail(batch, baseline, bad)
    return float(np.clip(-ndtri(tail), -FARTHEST, FARTHEST)) if 0 < tail < 1 else FARTHEST if tail <= 0 else -FARTHEST


def _is_share(batch: Batch, baseline: Baseline) -> bool:
    """Whether all values are 0 or 1: then squares add up to the values themselves."""
    binomial = math.sqrt(max(baseline.mean * (1 - baseline.mean), 0.0))
    return abs(batch.squares - batch.total) < 1e-9 and abs(baseline.deviation - binomial) < 0.02


def _share_tail(batch: Batch, baseline: Baseline, bad: Bad) -> float:
    """Mid-p of a count at least as bad as this one, beta-binomial (Jeffreys' prior updated by the baseline)."""
    hits = round(batch.total) if bad == "high" else batch.count - round(batch.total)
    share = baseline.mean if bad == "high" else 1 - baseline.mean
    a, b = share * baseline.count + 0.5, (1 - share) * baseline.count + 0.5
    k = np.arange(hits, batch.count + 1, dtype=np.float64)
    mass = np.exp(_log_choose(batch.count, k) + betaln(k + a, batch.count - k + b) - betaln(a, b))
    return float(mass[1:].sum() + 0.5 * mass[0])


def _log_choose(n: int, k: Floats) -> Floats:
    chosen: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return chosen


def _mean_tail(batch: Batch, baseline: Baseline, bad: Bad) -> float:
    """One-sided p of Student's t for one more batch, with the spread of the baseline's answers.

    A baseline without spread takes that of one answer in a hundred being wrong, so that a single slip is no alarm.
    """
    deviation = max(baseline.deviation, 0.1)
    error = deviation * math.sqrt(1 / batch.count + 1 / baseline.count)
    worse = batch.mean - baseline.mean if bad == "high" else baseline.mean - batch.mean
    return float(stdtr(max(baseline.count - len(baseline.batches), 1), -worse / error))


def limit_of(count: int, baseline: Baseline, bad: Bad, settings: ChartSettings) -> float:
    """The mean from which a batch of `count` answers alone alarms, by the normal approximation: a line to draw."""
    if not count:
        return math.nan
    error = baseline.deviation * math.sqrt(1 / count + 1 / baseline.count) * baseline.laney
    edge = baseline.mean + (settings.shewhart if bad == "high" else -settings.shewhart) * error
    return min(max(edge, 0.0), 1.0)
