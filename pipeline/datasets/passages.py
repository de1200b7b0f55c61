"""Where a quoted passage stands: exact words, whatever blanks, line breaks, curly quotes and dashes they have."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from pipeline.datasets.raw import RawDocument

ALIKE = str.maketrans("‘’‚‛“”„‟‐‑‒–—−", "''''\"\"\"\"------")  # one sign for one, so that offsets stay
BETWEEN = "\x00"  # in no text, so that no passage is found across two documents


class Place(NamedTuple):
    """Characters [start, end) of a document's text."""

    doc_id: str
    start: int
    end: int


class Nearest(NamedTuple):
    """The document that has the longest beginning of a passage, and how many words of it."""

    doc_id: str
    words: int


class Passages:
    """All texts, ready to be searched."""

    def __init__(self, documents: Sequence[RawDocument]) -> None:
        self._ids = [document.id for document in documents]
        self._texts = [document.text.translate(ALIKE) for document in documents]
        folded = [" ".join(text.split()) for text in self._texts]
        self._all = BETWEEN.join(folded)
        self._starts = list(accumulate((len(text) + 1 for text in folded), initial=0))

    def find(self, passage: str) -> list[Place]:
        """Every place of the passage as whole words, by document and offset; empty = nowhere."""
        words = passage.translate(ALIKE).split()
        if not words:
            return []
        before, after = (r"\b" if sign.isalnum() else "" for sign in (words[0][0], words[-1][-1]))
        pattern = re.compile(before + r"\s+".join(map(re.escape, words)) + after)
        return [
            Place(self._ids[doc], *match.span())
            for doc in self._documents_with(" ".join(words))
            for match in pattern.finditer(self._texts[doc])
        ]

    def _documents_with(self, folded: str) -> Iterator[int]:
        at = self._all.find(folded)
        while at >= 0:
            doc = bisect_right(self._starts, at) - 1
            yield doc
            at = self._all.find(folded, self._starts[doc + 1])

    def nearest(self, passage: str) -> Nearest | None:
        """Where the longest run of the passage's first words stands; None = not even the first word does."""
        words = passage.translate(ALIKE).split()
        low, high = (
            0,
            len(words),
        )  # the first `low` words are found, a longer beginning is found no easier than a shorter
        while low < high:
            middle = (low + high + 1) // 2
            if " ".join(words[:middle]) in self._all:
                low = middle
            else:
                high = middle - 1
        if not low:
            return None
        return Nearest(self._ids[next(self._documents_with(" ".join(words[:low])))], low)
