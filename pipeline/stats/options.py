"""The settings of every statistical statement of a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pipeline.errors import SettingError

CORRECTIONS = ("max_t", "holm", "bh")
SPLITS = ("none", "holdout", "kfold")
INTERVALS = ("t", "bca", "studentised")


@dataclass(frozen=True)
class StatsOptions:
    """How differences are tested and worded. One family = all treatments (or all pairs) on the primary measure."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    level: float = 0.95  # of every interval; 1 - level is the error allowed per family
    resamples: int = 10_000  # bootstrap resamples and sign flips
    correction: str = "max_t"  # of the family: max_t (step-down, sign flips) | holm | bh
    describe: str = "none"  # correction of the other measures, over all of them at once: none | bh
    interval: str = "t"  # the leading interval: t | bca | studentised; t and percentile bootstrap always stand beside
    margin: float = 0.02  # differences within +- margin do not matter, in units of the measure
    minimum_differing: int = 15  # queries that must differ before there is a verdict
    minimum_clusters: int = 10  # clusters below which there is no verdict
    power: float = 0.8  # of `detectable` and `queries_needed`
    half_splits: int = 100  # behind the expected gain of choosing the best; 0 = leave it out
    split: str = "none"  # none | holdout: chosen on one part, confirmed on the other | kfold
    select_share: float = 0.5  # of the queries, to choose on, with split=holdout
    folds: int = 5  # with split=kfold
    stratify: str = ""  # query column of which every part gets its share; "" = none

    def __post_init__(self) -> None:
        _within("stats.level", self.level, 0.5, 1.0)
        _within("stats.power", self.power, 0.0, 1.0)
        _at_least("stats.resamples", self.resamples, 199)
        _at_least("stats.minimum_differing", self.minimum_differing, 1)
        _at_least("stats.minimum_clusters", self.minimum_clusters, 2)
        _at_least("stats.half_splits", self.half_splits, 0)
        _one_of("stats.correction", self.correction, CORRECTIONS)
        _one_of("stats.describe", self.describe, ("none", "bh"))
        _one_of("stats.interval", self.interval, INTERVALS)
        _one_of("split", self.split, SPLITS)
        _within("stats.select_share", self.select_share, 0.0, 1.0)
        _at_least("stats.folds", self.folds, 2)
        if not 0.0 <= self.margin < float("inf"):
            raise SettingError(f"stats.margin must be a number >= 0, in units of the measure; got {self.margin}")

    @property
    def alpha(self) -> float:
        """The error allowed: 1 - level, without the noise of the subtraction."""
        return round(1.0 - self.level, 12)


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise SettingError(f"{name} must lie between {low} and {high}, ends excluded; got {value}")


def _at_least(name: str, value: int, low: int) -> None:
    if value < low:
        raise SettingError(f"{name} must be at least {low}; got {value}")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SettingError(f"{name} must be one of {', '.join(known)}; got {value!r}")
