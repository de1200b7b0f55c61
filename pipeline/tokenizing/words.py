"""A tokenizer that needs no model."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pipeline.chunking.characters import blank, code_points, unbreakable
from pipeline.records import Ints, TokenOffsets
from pipeline.tokenizing.offsets import assemble, pieces


@dataclass(frozen=True)
class WordTokenizer:
    """Words, and every other character that is not blank by itself (with its marks, skin tone or joined pictures)."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    def content(self) -> str:
        """SHA-256 (hex) of the version of Unicode that says what a word is."""
        return hashlib.sha256(f"words {unicodedata.unidata_version}".encode()).hexdigest()

    def offsets(self, texts: Sequence[str]) -> TokenOffsets:
        """Offsets of every token, as characters of the texts."""
        spans: list[Ints] = []
        counts = np.zeros(len(texts), dtype=np.int64)
        for number, text in enumerate(texts):
            for start, end in pieces(text):
                spans.append(_spans(text[start:end]) + np.int32(start))
                counts[number] += len(spans[-1])
        return assemble(spans, counts)


def _spans(text: str) -> Ints:
    """int32 (tokens, 2): the stretches between places that may be cut, without those that begin with a blank."""
    start = np.flatnonzero(~unbreakable(text))
    end = np.append(start, len(text))[1:]
    return np.stack([start, end], axis=1)[~blank(code_points(text)[start])].astype(np.int32)
