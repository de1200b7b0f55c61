"""Newer documents first, where they are as relevant: scores mixed with an exponential decay of age."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.recency import leaks
from pipeline.ranking import fold, rank_chunks, rank_documents, rounded
from pipeline.records import Bools, Dates, Floats, Ints, Longs, Run

Later: TypeAlias = Literal["exclude", "clamp"]
Undated: TypeAlias = Literal["stale", "fresh"]
DAY = 86400.0  # seconds


@dataclass(frozen=True)
class Decay:
    """s' = (1 - weight) * minmax(s) + weight * 2^(-age / half_life).

    The decay is e^(-lambda * age) with lambda = ln 2 / half_life.
    minmax: (s - lowest) / (highest - lowest) over the document scores of a query, 1 where they are all equal. Age is in
    days before the day of the query. A query without a day keeps its ranking.
    """

    VERSION: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    half_life: float  # days after which a document's freshness is half
    weight: float = 0.2  # share of freshness in the new score, 0 to 1
    later: Later = (
        "exclude"  # documents dated after the query's day: exclude = leave the ranking, counted; clamp = as of that day
    )
    undated: Undated = "stale"  # documents without a date: stale = as old as can be, fresh = as new

    def __post_init__(self) -> None:
        if not (math.isfinite(self.half_life) and self.half_life > 0):
            raise SettingError(f"decay.half_life={self.half_life}: expected days, above 0")
        if not 0 <= self.weight <= 1:
            raise SettingError(f"decay.weight={self.weight}: expected a share from 0 to 1")
        for name, kind in (("later", Later), ("undated", Undated)):
            if getattr(self, name) not in get_args(kind):
                raise SettingError(f"decay.{name}={getattr(self, name)!r}: expected one of {', '.join(get_args(kind))}")

    @property
    def kind(self) -> str:
        """`0.2-30d`: weight and half-life."""
        return f"{self.weight:g}-{self.half_life:g}d"

    def chunks(self, run: Run, doc: Ints, dates: Dates, as_of: Dates) -> Run:
        """The chunk ranking by s', with lowest and highest those of its documents; `doc` is each chunk's document."""
        items = np.where(run.items >= 0, doc[np.maximum(run.items, 0)] if len(doc) else -1, -1)
        kept, scores = self._mixed(items, run.scores, fold(run, doc).scores, dates, as_of)
        return rank_chunks(np.where(kept, run.items, -1), scores, doc)

    def documents(self, run: Run, dates: Dates, as_of: Dates) -> Run:
        """The document ranking by s'; documents outside the corpus have no date."""
        kept, scores = self._mixed(run.items, run.scores, run.scores, dates, as_of)
        ranked = rank_documents(np.where(kept, run.items, -1), scores)
        return Run(ranked.unit, ranked.items, ranked.scores, run.foreign)

    def excluded(self, run: Run, dates: Dates, as_of: Dates) -> Longs:
        """(queries,): documents of `run` that leave it, as they are dated after the query's day: a leak."""
        counts = leaks(run, dates, as_of)
        return counts if self.later == "exclude" else np.zeros_like(counts)

    def _mixed(self, docs: Ints, scores: Floats, over: Floats, dates: Dates, as_of: Dates) -> tuple[Bools, Floats]:
        """Which hits stay, and their new scores; `over` holds the scores that are normalised over."""
        there = docs >= 0
        low = np.min(over, axis=1, initial=np.inf, where=~np.isnan(over))[:, None]
        high = np.max(over, axis=1, initial=-np.inf, where=~np.isnan(over))[:, None]
        flat = ~(high > low)
        scaled = np.where(flat, 1.0, (scores - low) / np.where(flat, 1.0, high - low))
        ages = _ages(docs, dates, as_of)
        fresh = np.where(np.isnan(ages), float(self.undated == "fresh"), np.exp2(-np.maximum(ages, 0) / self.half_life))
        mixed = rounded((1 - self.weight) * scaled + self.weight * fresh)
        untouched = np.isnat(as_of)[:, None] | (self.weight == 0)  # rounding must not make ties of its own
        kept = there & ~((ages < 0) & (self.later == "exclude"))
        return kept, np.where(kept, np.where(untouched, scores, mixed), np.nan)


def _ages(docs: Ints, dates: Dates, as_of: Dates) -> Floats:
    """Days from the document to the query's day, below 0 where it is later, NaN where either is not known."""
    known = (docs >= 0) & (docs < len(dates))
    when = np.full(docs.shape, np.datetime64("NaT", "s"))
    when[known] = dates[docs[known]]
    apart = as_of[:, None] - when
    return np.where(np.isnat(apart), np.nan, apart.astype("timedelta64[s]").astype(np.float64) / DAY)
