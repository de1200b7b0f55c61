"""Hits with the section or document that they come from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from pipeline.context.bare import places
from pipeline.context.merging import merged
from pipeline.errors import SettingError
from pipeline.records import Chunks, Context, Ints, Run, TokenOffsets
from pipeline.sentences import paragraph_starts, section_starts

Of: TypeAlias = Literal["section", "document"]
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Parent:
    """Each hit grows to its section, or its document, of at most `cap` tokens.

    Sections begin at headings; in a text without any, at the blocks that blank lines part. A hit that reaches over
    several takes all of them. A longer parent is cut evenly on both sides of the hit, between words; what one side
    does not need goes to the other. A hit is never cut, even if it is longer than `cap`.
    """

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    of: Of = "section"
    cap: int = 1024  # tokens in the tokenizer that counts budgets
    merge_overlaps: bool = True  # text that the context holds already is left out

    def __post_init__(self) -> None:
        if self.of not in get_args(Of):
            raise SettingError(f"context.of={self.of!r}: expected one of {', '.join(get_args(Of))}")
        if isinstance(self.cap, bool) or not isinstance(self.cap, int) or self.cap < 1:
            raise SettingError(f"context.cap={self.cap!r}: expected 1 or more tokens")

    @property
    def kind(self) -> str:
        """`section:1024`, `document:1024-repeating`: the word in names and tables."""
        return f"{self.of}:{self.cap}" + ("" if self.merge_overlaps else "-repeating")

    def assemble(self, run: Run, chunks: Chunks, texts: Sequence[str], tokens: TokenOffsets) -> Context:
        """One piece a hit, in rank order; without merging, hits of one parent repeat it."""
        hits = places(run, chunks)
        there = run.items >= 0
        if not there.any():
            return hits
        items, inverse = np.unique(run.items[there], return_inverse=True)
        spans = np.array(self._parents(chunks, items, texts, tokens), np.int32)
        start, end = np.zeros_like(hits.start), np.zeros_like(hits.end)
        start[there], end[there] = spans[inverse, 0], spans[inverse, 1]
        context = Context(hits.doc, start, end)
        return merged(context) if self.merge_overlaps else context

    def _parents(self, chunks: Chunks, items: Ints, texts: Sequence[str], tokens: TokenOffsets) -> list[Span]:
        """The parent of each chunk of `items` (ascending, so documents come one after another)."""
        spans: list[Span] = []
        doc, borders = -1, [0]
        for item in items.tolist():
            if int(chunks.doc[item]) != doc:
                doc = int(chunks.doc[item])
                borders = _borders(texts[doc]) if self.of == "section" else [0, len(texts[doc])]
            hit = (int(chunks.start[item]), int(chunks.end[item]))
            first = borders[max(bisect_right(borders, hit[0]) - 1, 0)]
            last = borders[min(bisect_left(borders, hit[1]), len(borders) - 1)]
            starts = tokens.start[tokens.indptr[doc] : tokens.indptr[doc + 1]]
            spans.append(_capped(texts[doc], starts, (first, last), hit, self.cap))
        return spans


def _borders(text: str) -> list[int]:
    """0, where sections begin, and the end."""
    return [0, *(section_starts(text) or paragraph_starts(text)), len(text)]


def _capped(text: str, starts: Ints, parent: Span, hit: Span, cap: int) -> Span:
    """`parent` cut to `cap` tokens around `hit`; `starts` are those of the document's tokens."""
    first, hit_first, hit_last, last = (
        int(place) for place in np.searchsorted(starts, (parent[0], hit[0], hit[1], parent[1]))
    )
    room = cap - (hit_last - hit_first)
    if last - first <= cap:
        return parent
    if room <= 0:
        return hit
    before = min(hit_first - first, max(room // 2, room - (last - hit_last)))
    behind = min(last - hit_last, room - before)
    # Cut where a token begins, as a budget cuts; then inwards to a word's border.
    start = parent[0] if before == hit_first - first else int(starts[hit_first - before])
    end = parent[1] if behind == last - hit_last else int(starts[hit_last + behind])
    while start < hit[0] and _inside_word(text, start):
        start += 1
    while end > hit[1] and _inside_word(text, end):
        end -= 1
    return min(start, hit[0]), max(end, hit[1])


def _inside_word(text: str, place: int) -> bool:
    """Whether a border before character `place` would split a word."""
    return 0 < place < len(text) and _of_word(text[place - 1]) and _of_word(text[place])


def _of_word(character: str) -> bool:
    return character.isalnum() or character == "_" or "\u0300" <= character <= "\u036f"
