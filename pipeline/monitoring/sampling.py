"""Which answers are scored: decided by the answer's own bytes and a seed, so that every run decides the same."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from pipeline.errors import SettingError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Sampling:
    """A rate of all answers, or at most so many of those that are new in a run, or both."""

    VERSION: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ()

    rate: float = 1.0  # share of the answers
    count: int | None = None  # at most so many of the answers that are new in a run; None = no limit
    stratified: bool = False  # the count is shared out evenly over the strata
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks every number."""
        if not 0 < self.rate <= 1:
            raise SettingError(f"rate={self.rate}: share of answers to score, expected more than 0, at most 1")
        if self.count is not None and self.count < 1:
            raise SettingError(f"count={self.count}: answers to score, expected 1 or more")
        if self.stratified and self.count is None:
            raise SettingError("stratified without count: only a count is shared out over the strata; give --count")

    def takes(self, key: str) -> bool:
        """Whether the rate takes the answer with this key."""
        return self.draw(key) < self.rate

    def draw(self, key: str) -> float:
        """A number in [0, 1) that belongs to the key and the seed."""
        digest = hashlib.sha256(f"{self.seed}:{key}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64

    def chosen(self, items: Iterable[tuple[str, str, Item]]) -> list[Item]:
        """Those of (key, stratum, item) that are scored, in their order; holds no more than `count` of each stratum."""
        if self.count is None:
            return [item for key, _, item in items if self.takes(key)]
        lowest: dict[str, list[_Candidate[Item]]] = {}
        for place, (key, stratum, item) in enumerate(items):
            if self.takes(key):
                heap = lowest.setdefault(stratum if self.stratified else "", [])
                candidate = _Candidate(self.draw(key), place, item)
                if len(heap) < self.count:
                    heapq.heappush(heap, candidate)
                else:
                    heapq.heappushpop(heap, candidate)
        return [one.item for one in sorted(_even(list(lowest.values()), self.count), key=lambda one: one.place)]


@dataclass(frozen=True)
class _Candidate(Generic[Item]):
    """An answer that may be scored; the highest draw is given up first."""

    draw: float
    place: int
    item: Item

    def __lt__(self, other: _Candidate[Item]) -> bool:
        return (self.draw, self.place) > (other.draw, other.place)


def _even(strata: list[list[_Candidate[Item]]], count: int) -> list[_Candidate[Item]]:
    """As many of each stratum as possible; what a small one leaves goes to the others."""
    picked: list[_Candidate[Item]] = []
    waiting = sorted(strata, key=len)
    for i, candidates in enumerate(waiting):
        share = (count - len(picked)) // (len(waiting) - i)
        picked += sorted(candidates, reverse=True)[:share]
    return picked
