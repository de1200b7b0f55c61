"""One ranking from words and one from vectors, fused once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pipeline.protocols import Fusion, Leg
from pipeline.records import Ints, Run


@dataclass(frozen=True)
class Hybrid:
    """Both legs' chunk lists fused; nothing deepens a fused list."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    sparse: Leg
    dense: Leg
    fusion: Fusion

    def __post_init__(self) -> None:
        """Checks that the fusion takes two rankings."""
        self.fusion.check(2)

    @property
    def kind(self) -> str:
        """`hybrid`."""
        return "hybrid"

    @property
    def legs(self) -> tuple[Leg, Leg]:
        """The sparse leg, then the dense one: the order of a weighted fusion's weights."""
        return (self.sparse, self.dense)

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """The fused chunk ranking; `doc` is each chunk's document."""
        return self.fusion.fuse(runs, doc)
