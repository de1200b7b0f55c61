"""Token offsets and what a model read, to and from a cache entry."""

from __future__ import annotations

from pathlib import Path

from pipeline.records import Reading, TokenOffsets
from pipeline.storage.arrays import load_array, load_meta, save_arrays


def save_offsets(tokens: TokenOffsets, folder: Path) -> bool:
    """Writes `tokens` below `folder`; always True."""
    return save_arrays(folder, {"indptr": tokens.indptr, "start": tokens.start, "end": tokens.end})


def load_offsets(folder: Path) -> TokenOffsets:
    """What `save_offsets` wrote."""
    return TokenOffsets(*(load_array(folder, name) for name in ("indptr", "start", "end")))


def save_reading(reading: Reading, folder: Path) -> bool:
    """Writes `reading` below `folder`; always True."""
    return save_arrays(folder, {}, {"read": reading.read, "total": reading.total, "limit": reading.limit})


def load_reading(folder: Path) -> Reading:
    """What `save_reading` wrote."""
    return Reading(**load_meta(folder))
