"""Which answers are scored: decided by the answer's own bytes and a seed, so that every run decides the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from pipeline.errors import SettingError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Sampling:
    """A rate, and a count of the new lines that are read at a time (a file's, at most 4 MiB of them)."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    rate: float = 1.0  # share of the answers
    count: int | None = None  # at most so many of the lines read at a time; None = no limit
    stratified: bool = False  # the count is shared out evenly over the strata
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks every number."""
        if not 0 < self.rate <= 1:
            raise SettingError(f"rate={self.rate}: share of answers to score, expected more than 0, at most 1")
        if self.count is not None and self.count < 1:
            raise SettingError(f"count={self.count}: answers to score, expected 1 or more")

    def takes(self, key: str) -> bool:
        """Whether the rate takes the answer with this key."""
        return self.draw(key) < self.rate

    def draw(self, key: str) -> float:
        """A number in [0, 1) that belongs to the key and the seed."""
        digest = hashlib.sha256(f"{self.seed}:{key}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64

    def chosen(self, items: Sequence[tuple[str, str, Item]]) -> list[Item]:
        """Those of (key, stratum, item) that are scored, in their order."""
        kept = [one for one in items if self.takes(one[0])]
        if self.count is None or len(kept) <= self.count:
            return [item for _, _, item in kept]
        picked = self._even(kept, self.count) if self.stratified else self._lowest(kept, self.count)
        return [item for key, _, item in kept if key in picked]

    def _lowest(self, items: Sequence[tuple[str, str, Item]], count: int) -> set[str]:
        return set(sorted((key for key, _, _ in items), key=self.draw)[:count])

    def _even(self, items: Sequence[tuple[str, str, Item]], count: int) -> set[str]:
        """As many of each stratum as possible; what a small one leaves goes to the others."""
        strata: dict[str, list[str]] = {}
        for key, stratum, _ in items:
            strata.setdefault(stratum, []).append(key)
        picked: set[str] = set()
        waiting = sorted(strata.values(), key=len)
        for i, keys in enumerate(waiting):
            share = (count - len(picked)) // (len(waiting) - i)
            picked |= set(sorted(keys, key=self.draw)[:share])
        return picked
