"""From the history to alarms: all full batches are judged again in every run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from pipeline.citations import Settings
from pipeline.citations.baselines import Batch, ChartSettings
from pipeline.citations.charts import Point, Series, judge
from pipeline.errors import SettingError
from pipeline.monitoring.history import History
from pipeline.monitoring.sampling import Sampling
from pipeline.monitoring.scoring import Row

EXAMPLES = 3


@dataclass(frozen=True)
class Watch:
    """How production is watched."""

    batch: int = 200  # scored answers
    citations: Settings = field(default_factory=Settings)
    sampling: Sampling = field(default_factory=Sampling)
    charts: ChartSettings = field(default_factory=ChartSettings)
    baseline_from: str = ""  # ISO 8601: the baseline is the first batches that begin then or later

    def __post_init__(self) -> None:
        """Checks the size of a batch and the time."""
        if self.batch < 2:
            raise SettingError(f"batch={self.batch}: expected 2 answers or more")
        if self.batch < self.charts.minimum:
            raise SettingError(
                f"batch={self.batch}: below minimum={self.charts.minimum}, the answers that a batch needs to be judged:"
                " none ever would; a larger batch, or a smaller minimum"
            )
        if self.baseline_from:
            try:
                datetime.fromisoformat(self.baseline_from)
            except ValueError as error:
                raise SettingError(f"baseline_from={self.baseline_from}: expected ISO 8601, as 2025-03-01") from error

    def meaning(self) -> dict[str, object]:
        """The settings that shape the stored rows and the cut into batches."""
        return {"batch": self.batch, "citations": repr(self.citations), "sampling": repr(self.sampling)}


@dataclass(frozen=True)
class Alarm:
    """What fell or rose, from what to what, since when."""

    series: str
    batch: int
    before: float
    after: float
    since: str  # time of the first answer since when
    charts: tuple[str, ...]
    answers: int
    examples: tuple[Row, ...]

    @property
    def said(self) -> str:
        """One line."""
        what = WORDS[self.series]
        return (
            f"{what} from {self.before:.1%} to {self.after:.1%} since {self.since}"
            f" (batch {self.batch + 1}, {self.answers} answers, {', '.join(self.charts)})"
        )


@dataclass(frozen=True)
class Finding:
    """Where production stands."""

    series: tuple[Series, ...]
    alarms: tuple[Alarm, ...]  # the newest last
    times: tuple[tuple[str, str], ...]  # first and last time of each batch
    answers: int
    waiting: int  # answers of the batch that is not full yet
    states: dict[str, int]
    unreadable: tuple[Row, ...]


WORDS = {
    "citation_validity": "validity of citations fell",
    "cites_nothing": "answers that cite nothing rose",
    "format_changed": "the citation format changed: answers whose citations cannot be read rose",
}


def judged(history: History, watch: Watch) -> Finding:
    """All full batches of the history on their charts."""
    rows = list(history.rows())
    usable = [row for row in rows if row.state != "unreadable"]
    full = len(usable) // watch.batch
    batches = [usable[i * watch.batch : (i + 1) * watch.batch] for i in range(full)]
    times = tuple((_first_time(batch), _last_time(batch)) for batch in batches)
    first = _baseline_begins(times, watch.baseline_from)
    validity = judge(
        "citation_validity", "low", [_batch(_validities(one)) for one in batches], watch.charts, first=first
    )
    nothing = judge("cites_nothing", "high", [_batch(_nothings(one)) for one in batches], watch.charts, first=first)
    changed = judge("format_changed", "high", [_batch(_unread(one)) for one in batches], watch.charts, first=first)
    nothing = _explained(nothing, changed)
    series = (validity, nothing, changed)
    alarms = [_alarm(one, point, batches, times) for one in series for point in one.alarms]
    return Finding(
        series=series,
        alarms=tuple(sorted(alarms, key=lambda alarm: alarm.batch)),
        times=times,
        answers=len(usable),
        waiting=len(usable) - full * watch.batch,
        states=dict(Counter(row.state for row in rows)),
        unreadable=tuple(row for row in rows if row.state == "unreadable")[-EXAMPLES:],
    )


def _baseline_begins(times: Sequence[tuple[str, str]], wanted: str) -> int:
    """The first batch that may be baseline; SettingError where a time is wanted and no answer has one."""
    if wanted and times and not any(begin for begin, _ in times):
        raise SettingError(f"baseline_from={wanted}: no answer in the history has a time")
    return next((place for place, (begin, _) in enumerate(times) if begin >= wanted), len(times))


def _explained(nothing: Series, changed: Series) -> Series:
    """Answers without citations are no alarm of their own where at least half of their rise is a changed format."""
    if nothing.baseline is None or changed.baseline is None:
        return nothing
    points: list[Point] = []
    for point, other in zip(nothing.points, changed.points, strict=True):
        risen = point.mean - nothing.baseline.mean
        format_risen = other.mean - changed.baseline.mean
        explained = other.state == "alarm" and format_risen >= 0.5 * risen
        points.append(_calm(point) if explained and point.state == "alarm" else point)
    return Series(nothing.name, nothing.bad, nothing.baseline, tuple(points))


def _calm(point: Point) -> Point:
    return Point(point.batch, point.count, point.mean, "normal", point.z, point.limit, point.ewma, point.cusum)


def _alarm(series: Series, point: Point, batches: Sequence[Sequence[Row]], times: Sequence[tuple[str, str]]) -> Alarm:
    since = point.batch if point.since is None else point.since
    return Alarm(
        series=series.name,
        batch=point.batch,
        before=math.nan if series.baseline is None else series.baseline.mean,
        after=point.mean,
        since=times[since][0] or f"batch {since + 1}",
        charts=point.charts,
        answers=point.count,
        examples=_examples(series.name, batches[point.batch]),
    )


def _examples(series: str, batch: Sequence[Row]) -> tuple[Row, ...]:
    """Answers that show what is meant, the worst first."""
    if series == "citation_validity":
        bad = sorted((row for row in batch if row.citations > row.valid), key=lambda row: row.validity)
    elif series == "format_changed":
        bad = [row for row in batch if row.speaks and row.citations == 0 and row.bracketed]
    else:
        bad = [row for row in batch if row.speaks and row.citations == 0]
    return tuple(bad[:EXAMPLES])


def _validities(batch: Sequence[Row]) -> list[float]:
    return [row.validity for row in batch if row.citations]


def _nothings(batch: Sequence[Row]) -> list[float]:
    return [float(row.citations == 0) for row in batch if row.speaks]


def _unread(batch: Sequence[Row]) -> list[float]:
    return [float(row.citations == 0 and row.bracketed) for row in batch if row.speaks]


def _batch(values: Sequence[float]) -> Batch:
    return Batch(len(values), math.fsum(values), math.fsum(value * value for value in values))


def _first_time(batch: Sequence[Row]) -> str:
    return min((row.time for row in batch if row.time), default="")


def _last_time(batch: Sequence[Row]) -> str:
    return max((row.time for row in batch if row.time), default="")


def as_json(finding: Finding, history: Path) -> dict[str, object]:
    """The finding as JSON takes it."""
    return {
        "history": str(history),
        "answers": finding.answers,
        "waiting": finding.waiting,
        "states": finding.states,
        "unreadable": [{"where": row.where, "why": row.excerpt} for row in finding.unreadable],
        "alarms": [
            {
                "series": alarm.series,
                "said": alarm.said,
                "from": alarm.before,
                "to": alarm.after,
                "since": alarm.since,
                "batch": alarm.batch + 1,
                "charts": list(alarm.charts),
                "examples": [
                    {"id": row.answer_id, "where": row.where, "answer": row.excerpt} for row in alarm.examples
                ],
            }
            for alarm in finding.alarms
        ],
        "series": {one.name: [_point(point) for point in one.points] for one in finding.series},
    }


def _point(point: Point) -> dict[str, object]:
    row = asdict(point)
    row["batch"] = point.batch + 1
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }
