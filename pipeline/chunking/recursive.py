"""Paragraphs first, then sentences, then words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pipeline.chunking.borders import at_starts, positions, refine, words
from pipeline.chunking.limits import check_limits, check_prefix
from pipeline.chunking.packing import pack
from pipeline.protocols import Tokenizer
from pipeline.records import Chunks, Prefix, TokenOffsets
from pipeline.sentences import check_language, paragraph_starts, sentence_starts


@dataclass(frozen=True)
class Recursive:
    """Neighbouring paragraphs up to `size` tokens; only a paragraph longer than that is opened, at its sentences."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    size: int  # tokens
    overlap: int  # tokens, at most: as many whole pieces as fit into it
    tokenizer: Tokenizer
    language: str = "en"  # whose abbreviations are known
    prefix: Prefix = "none"  # put before each chunk by `chunking.cut`, counted in its size

    def __post_init__(self) -> None:
        check_limits(self.size, self.overlap, self.tokenizer)
        check_prefix(self.prefix)
        check_language(self.language)

    def cut(self, texts: Sequence[str], tokens: TokenOffsets) -> Chunks:
        """Chunks of at most `size` tokens, cut at the coarsest borders that fit."""
        between = words(texts, tokens)
        paragraphs = at_starts(texts, tokens, self.size, paragraph_starts) & between
        sentences = at_starts(texts, tokens, self.size, partial(sentence_starts, language=self.language)) & between
        marks = refine([paragraphs, sentences, between, positions(tokens)], self.size)
        return pack(texts, tokens, marks, self.size, self.overlap)
