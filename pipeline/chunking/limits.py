"""The checks that all chunkers share."""

from __future__ import annotations

from pipeline.errors import SettingError
from pipeline.protocols import Tokenizer


def check_limits(size: int, overlap: int, tokenizer: Tokenizer) -> None:
    """SettingError unless size >= 1 and overlap in [0, size), both whole numbers of tokens."""
    for knob, value in (("chunk_size", size), ("chunk_overlap", overlap)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise SettingError(f"{knob}: expected a whole number of tokens, got {value!r}")
    if size < 1:
        raise SettingError(f"chunk_size: must be at least 1 token, got {size}")
    if not 0 <= overlap < size:
        raise SettingError(
            f"chunk_overlap: must be in 0 … chunk_size - 1, got chunk_overlap {overlap} with chunk_size {size}"
        )
    if not hasattr(tokenizer, "offsets"):
        raise SettingError(f"chunker.tokenizer: expected a tokenizer, got {tokenizer!r}; make one of its name first")
