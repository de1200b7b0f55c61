"""Control charts over batches of answers: what is normal (`baselines`), three charts (`limits`), and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from pipeline.citations.baselines import Bad, Baseline, Batch, ChartSettings, distance, estimate, limit_of
from pipeline.citations.limits import CHARTS, Chart, Memory, moved, started


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
    """What the charts remember; an alarm starts them again."""

    memory: Memory = field(default_factory=started)
    since: int | None = None

    @property
    def ewma(self) -> float:
        return float(self.memory.ewma[0])

    @property
    def cusum(self) -> float:
        return float(self.memory.cusum[0])


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
    points = tuple(_point(i, one, baseline, bad, settings.minimum, run) for i, one in enumerate(batches))
    return Series(name, bad, baseline, points)


def _waiting(place: int, batch: Batch, settings: ChartSettings, first: int) -> Literal["baseline", "too few"]:
    return "too few" if batch.count < settings.minimum or place < first else "baseline"


def _point(place: int, batch: Batch, baseline: Baseline, bad: Bad, minimum: int, run: _Run) -> Point:
    limit = limit_of(batch.count, baseline, bad)
    if place in baseline.batches or place < baseline.batches[0]:
        return Point(place, batch.count, batch.mean, "baseline", math.nan, limit, math.nan, math.nan)
    if batch.count < minimum:
        return Point(place, batch.count, batch.mean, "too few", math.nan, limit, run.ewma, run.cusum)
    z = distance(batch, baseline, bad)
    charts = _step(place, z, batch.count / (batch.count + baseline.count), baseline.height, run)
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
        run.memory = started()
    elif run.cusum == 0 and run.ewma <= 0:
        run.since = None
    return point


def _step(place: int, z: float, rho: float, height: float, run: _Run) -> tuple[Chart, ...]:
    """Moves the charts on by one batch and names those that are beyond their limits."""
    run.memory, standing = moved(run.memory, np.array([z]), rho)
    beyond = tuple(chart for chart, one in zip(CHARTS, standing[:, 0], strict=True) if one > height)
    if run.since is None and (beyond or run.cusum > 0 or z > 1):
        run.since = place
    return beyond
