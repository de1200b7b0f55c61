"""The hits as they were retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pipeline.context.merging import merged
from pipeline.records import Chunks, Context, Run, TokenOffsets


def places(run: Run, chunks: Chunks) -> Context:
    """The chunks of `run` as places in documents."""
    there = run.items >= 0
    if not len(chunks.doc):
        nothing = np.full(run.items.shape, -1, dtype=np.int32)
        return Context(nothing, np.zeros_like(nothing), np.zeros_like(nothing))
    at = np.where(there, run.items, 0)
    return Context(
        np.where(there, chunks.doc[at], -1).astype(np.int32),
        np.where(there, chunks.start[at], 0).astype(np.int32),
        np.where(there, chunks.end[at], 0).astype(np.int32),
    )


@dataclass(frozen=True)
class Chunk:
    """The chunks themselves."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    merge_overlaps: bool = False  # text that the context holds already is left out

    @property
    def kind(self) -> str:
        """`chunk`, `chunk-merged`: the word in names and tables."""
        return "chunk-merged" if self.merge_overlaps else "chunk"

    def assemble(self, run: Run, chunks: Chunks, texts: Sequence[str], tokens: TokenOffsets) -> Context:
        """One piece a hit, in rank order."""
        context = places(run, chunks)
        return merged(context) if self.merge_overlaps else context


def width_for(run: Run, chunks: Chunks, tokens: int) -> int:
    """How many ranks hold `tokens` tokens of chunks for every query (or all that there is), at least one."""
    if run.items.size == 0:
        return 1
    sizes = np.where(run.items >= 0, chunks.tokens[np.maximum(run.items, 0)], 0)
    enough = np.cumsum(sizes, axis=1) >= tokens
    first = np.where(enough.any(axis=1), enough.argmax(axis=1) + 1, run.items.shape[1])
    return int(max(first.max(), 1))


def whole_documents(run: Run, texts: Sequence[str]) -> Context:
    """The documents of a document ranking, whole, in rank order.

    Beyond the corpus there is no text: such a document takes a rank but brings no context.
    """
    lengths = np.array([*map(len, texts), 0], dtype=np.int32)
    doc = np.where(run.items < len(texts), run.items, -1).astype(np.int32)
    return Context(doc, np.zeros_like(doc), lengths[doc])
