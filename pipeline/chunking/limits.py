"""The checks that all chunkers share."""

from __future__ import annotations

from typing import get_args

from pipeline.errors import SettingError
from pipeline.protocols import Tokenizer
from pipeline.records import Prefix


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


def check_prefix(prefix: Prefix) -> None:
    """SettingError for a kind of prefix that there is not."""
    if prefix not in get_args(Prefix):
        raise SettingError(f"chunker.prefix={prefix!r}: expected one of {', '.join(get_args(Prefix))}")
