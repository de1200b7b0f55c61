"""Windows of a fixed number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pipeline.chunking.borders import positions, refine, words
from pipeline.chunking.limits import check_limits, check_prefix
from pipeline.chunking.packing import pack
from pipeline.protocols import Tokenizer
from pipeline.records import Chunks, Prefix, TokenOffsets


@dataclass(frozen=True)
class TokenWindow:
    """As many tokens as fit, cut between words."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    size: int  # tokens
    overlap: int  # tokens, at most
    tokenizer: Tokenizer
    prefix: Prefix = "none"  # put before each chunk by `chunking.cut`, counted in its size

    def __post_init__(self) -> None:
        check_limits(self.size, self.overlap, self.tokenizer)
        check_prefix(self.prefix)

    def cut(self, texts: Sequence[str], tokens: TokenOffsets) -> Chunks:
        """Chunks of at most `size` tokens; a word is split only if it has more than `size` tokens by itself."""
        marks = refine([words(texts, tokens), positions(tokens)], self.size)
        return pack(texts, tokens, marks, self.size, self.overlap)
