"""From a library's raw offsets to the offsets everybody relies on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.chunking.characters import blank, cluster_starts, code_points, inside_clusters
from pipeline.records import Ints, Longs, TokenOffsets

PIECE = 1 << 20  # characters encoded at a time: the library needs some 100 bytes a character while it works
SURROGATES = {code: 0xFFFD for code in range(0xD800, 0xE000)}


def clean(text: str, raw: Ints) -> Ints:
    """int32 (tokens, 2): [start, end) by the rules of `HuggingFaceTokenizer.offsets`, from one text's raw offsets."""
    spans = raw[raw[:, 1] > raw[:, 0]]
    if not len(spans):
        return spans
    points = code_points(text)
    start, end = _after_blanks(spans[:, 0], spans[:, 1], points), spans[:, 1]
    if not text.isascii() or "\r\n" in text:
        start = cluster_starts(inside_clusters(points))[start]
    start = np.maximum.accumulate(start)
    return np.stack([start, np.maximum(end, start + 1)], axis=1).astype(np.int32)


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of at most `PIECE` characters that cover the text, cut after a line, else after a blank, else anywhere."""
    start = 0
    while len(text) - start > PIECE:
        limit = start + PIECE
        cut = max(text.rfind("\n", start, limit), start - 1) + 1
        if cut == start:
            cut = max(text.rfind(" ", start, limit), start - 1) + 1
        if cut == start:
            cut = limit
        yield start, cut
        start = cut
    yield start, len(text)


def batches(texts: Sequence[str]) -> Iterator[list[tuple[int, int, int]]]:
    """Ranges (text, start, end) in order, at most about `PIECE` characters together."""
    batch: list[tuple[int, int, int]] = []
    characters = 0
    for number, text in enumerate(texts):
        for start, end in pieces(text):
            if batch and characters + end - start > PIECE:
                yield batch
                batch, characters = [], 0
            batch.append((number, start, end))
            characters += end - start
    if batch:
        yield batch


def assemble(spans: Sequence[Ints], counts: Longs) -> TokenOffsets:
    """CSR offsets from the spans of consecutive pieces and the tokens of each text."""
    indptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    table = np.concatenate([np.zeros((0, 2), dtype=np.int32), *spans])
    return TokenOffsets(indptr, np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))


def _after_blanks(start: Ints, end: Ints, points: NDArray[np.uint32]) -> Longs:
    """Starts moved to the first character that is not blank; a token of blanks alone stays as it is."""
    if not blank(points[start]).any():
        return start.astype(np.int64)
    places = np.arange(len(points), dtype=np.int64)
    following = np.minimum.accumulate(np.where(blank(points), len(points), places)[::-1])[::-1]
    moved = following[start]
    kept: Longs = np.where(moved < end, moved, start)
    return kept
