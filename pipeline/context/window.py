"""Hits with the chunks around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pipeline.context.bare import places
from pipeline.context.merging import merged
from pipeline.errors import SettingError
from pipeline.records import Chunks, Context, Run, TokenOffsets


@dataclass(frozen=True)
class Window:
    """Each hit reaches from its `neighbours`-th chunk before to that behind, within its document."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    neighbours: int = 1  # chunks on each side
    merge_overlaps: bool = True  # text that the context holds already is left out

    def __post_init__(self) -> None:
        if isinstance(self.neighbours, bool) or not isinstance(self.neighbours, int) or self.neighbours < 1:
            raise SettingError(f"context.neighbours={self.neighbours!r}: expected 1 or more chunks; or context=chunk")

    @property
    def kind(self) -> str:
        """`window:1`, `window:1-repeating`: the word in names and tables."""
        return f"window:{self.neighbours}" + ("" if self.merge_overlaps else "-repeating")

    def assemble(self, run: Run, chunks: Chunks, texts: Sequence[str], tokens: TokenOffsets) -> Context:
        """One piece a hit, in rank order; without merging, neighbouring hits repeat each other's text."""
        hits = places(run, chunks)
        there = hits.doc >= 0
        if not there.any():
            return hits
        begin = np.searchsorted(chunks.doc, hits.doc[there], side="left")
        last = np.searchsorted(chunks.doc, hits.doc[there], side="right") - 1
        items = run.items[there]
        start, end = np.zeros_like(hits.start), np.zeros_like(hits.end)
        start[there] = chunks.start[np.maximum(items - self.neighbours, begin)]
        end[there] = chunks.end[np.minimum(items + self.neighbours, last)]
        context = Context(hits.doc, start, end)
        return merged(context) if self.merge_overlaps else context
