"""How several chunk rankings of the same queries become one.

A fused ranking holds every chunk that some ranking holds. Fused scores are rounded (ranking.SCORE_DECIMALS) and ordered
by the chunk rule, so the order of equal inputs does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from pipeline.errors import SettingError
from pipeline.ranking import padded, rank_chunks, rounded
from pipeline.records import Bools, Floats, Ints, Longs, Run

Normalisation: TypeAlias = Literal["min_max", "z_score", "rank"]


@dataclass(frozen=True)
class ReciprocalRankFusion:
    """Sum over the rankings of 1 / (k + rank), rank from 1 (Cormack, Clarke, Buettcher 2009); absent = no term."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    k: float = 60  # ranks; the larger, the less the first places stand out

    def __post_init__(self) -> None:
        """Checks the settings."""
        if not (isinstance(self.k, (int, float)) and math.isfinite(self.k) and self.k >= 0):
            raise SettingError(f"fusion.k={self.k!r}: expected a number of ranks, 0 or more; the paper has 60")

    def check(self, legs: int) -> None:
        """SettingError unless there is something to fuse."""
        if legs < 1:
            raise SettingError(f"fusion needs at least 1 ranking; got {legs}")

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """One chunk ranking; `doc` is each chunk's document."""
        self.check(len(runs))
        return _summed([_Terms(run, 1 / (self.k + 1 + _ranks(run)), np.zeros(len(run.items))) for run in runs], doc)


@dataclass(frozen=True)
class WeightedSum:
    """Sum over the rankings of weight x normalised score, each ranking normalised by itself.

    min_max  (score - lowest) / (highest - lowest); one score or equal scores: 1. Absent: 0, as the lowest hit.
    z_score  (score - mean) / standard deviation; one score or equal scores: 0. Absent: 1 below the lowest hit.
    rank     (n - rank + 1) / n with n hits, rank from 1. Absent: 0.
    """

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    weights: tuple[float, ...] = (0.5, 0.5)  # one a ranking, in their order (hybrid: sparse, dense); 0 or more
    normalisation: Normalisation = "min_max"

    def __post_init__(self) -> None:
        """Checks the settings."""
        object.__setattr__(self, "weights", tuple(self.weights))
        usable = all(isinstance(w, (int, float)) and math.isfinite(w) and w >= 0 for w in self.weights)
        if not usable or sum(self.weights) <= 0:
            raise SettingError(
                f"fusion.weights={list(self.weights)}: expected numbers of 0 or more, at least one above 0"
            )
        if self.normalisation not in get_args(Normalisation):
            raise SettingError(
                f"fusion.normalisation={self.normalisation!r}: expected one of {', '.join(get_args(Normalisation))}"
            )

    def check(self, legs: int) -> None:
        """SettingError unless there is one weight a ranking."""
        if legs != len(self.weights):
            raise SettingError(f"fusion.weights={list(self.weights)}: expected {legs}, one for each ranking")

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """One chunk ranking; `doc` is each chunk's document."""
        self.check(len(runs))
        normalise = {"min_max": _min_max, "z_score": _z_score, "rank": _rank}[self.normalisation]
        # Rounded first: scores that differ by noise alone must not be spread over the whole scale.
        terms = [normalise(replace(run, scores=rounded(run.scores))) for run in runs]
        return _summed(
            [_Terms(t.run, w * t.present, w * t.absent) for t, w in zip(terms, self.weights, strict=True)], doc
        )


class _Terms(NamedTuple):
    """What one ranking adds to a fused score."""

    run: Run
    present: Floats  # (queries, width): what a hit adds
    absent: Floats  # (queries,): what a chunk adds that this ranking does not hold


def _summed(terms: Sequence[_Terms], doc: Ints) -> Run:
    """The ranking by the sum of the terms over all chunks that some ranking holds."""
    queries = len(terms[0].run.items)
    there = [term.run.items >= 0 for term in terms]
    rows = np.concatenate([np.nonzero(mask)[0] for mask in there])
    items = np.concatenate([term.run.items[mask] for term, mask in zip(terms, there, strict=True)])
    # A hit adds its term instead of the absent one, so each ranking's absent term is added once a query.
    above = np.concatenate(
        [(term.present - term.absent[:, None])[mask] for term, mask in zip(terms, there, strict=True)]
    )
    order = np.lexsort((above, items, rows))  # by value last: the sum then ignores the order of the rankings
    rows, items, above = rows[order], items[order], above[order]
    first = np.flatnonzero(np.diff(rows, prepend=-1).astype(bool) | np.diff(items, prepend=-1).astype(bool))
    sums = np.add.reduceat(above, first) if first.size else above
    base: Floats = np.sort(np.stack([term.absent for term in terms]), axis=0).sum(axis=0)
    fused = padded("chunk", rows[first], items[first], rounded(sums + base[rows[first]]), queries)
    return rank_chunks(fused.items, fused.scores, doc)


def _ranks(run: Run) -> Longs:
    """Ranks from 0, as a row that stands for every query."""
    return np.arange(run.items.shape[1], dtype=np.int64)[None, :]


def _min_max(run: Run) -> _Terms:
    there = run.items >= 0
    low, high = _extreme(run, there, np.inf, np.minimum), _extreme(run, there, -np.inf, np.maximum)
    spread = high - low
    flat = ~(spread > 0)
    present = np.where(flat, 1.0, (run.scores - low) / np.where(flat, 1.0, spread))
    return _Terms(run, present, np.zeros(len(run.items)))


def _z_score(run: Run) -> _Terms:
    there = run.items >= 0
    hits = np.maximum(there.sum(axis=1, keepdims=True), 1)
    centred = np.where(there, run.scores, 0.0) - np.where(there, run.scores, 0.0).sum(axis=1, keepdims=True) / hits
    deviation = np.sqrt(np.where(there, centred**2, 0.0).sum(axis=1, keepdims=True) / hits)
    low, high = _extreme(run, there, np.inf, np.minimum), _extreme(run, there, -np.inf, np.maximum)
    flat = ~(high > low)  # the deviation of equal scores may come out above 0
    present = np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))
    lowest = np.where(there, present, np.inf).min(axis=1, initial=np.inf)
    return _Terms(run, present, np.where(there.any(axis=1), lowest - 1, 0.0))


def _rank(run: Run) -> _Terms:
    hits = (run.items >= 0).sum(axis=1, keepdims=True)
    return _Terms(run, (hits - _ranks(run)) / np.maximum(hits, 1), np.zeros(len(run.items)))


def _extreme(run: Run, there: Bools, nothing: float, pick: np.ufunc) -> Floats:
    """The lowest or highest score of each query, as a column; `nothing` where there is no hit."""
    extreme: Floats = pick.reduce(np.where(there, run.scores, nothing), axis=1, keepdims=True, initial=nothing)
    return extreme
