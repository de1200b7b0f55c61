"""Which tokens a chunk may begin at: marks, bool, one value a token of the whole corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pipeline.chunking.characters import unbreakable
from pipeline.records import Bools, Longs, TokenOffsets

_BLOCK = 1 << 20  # characters of documents joined at a time, so that small ones cost little each


def positions(tokens: TokenOffsets) -> Bools:
    """True for the first of the tokens that begin at one character (a byte-level tokenizer has several)."""
    first = np.ones(len(tokens.start), dtype=bool)
    first[1:] = tokens.start[1:] != tokens.start[:-1]
    begins = tokens.indptr[:-1][np.diff(tokens.indptr) > 0]
    first[begins] = True
    return first


def words(texts: Sequence[str], tokens: TokenOffsets) -> Bools:
    """True for the tokens at whose start no word and no cluster of characters is split.

    ValueError where the offsets belong to other texts.
    """
    check_fit(texts, tokens)
    marks = positions(tokens)
    for first, last in _blocks(texts):
        low, high = int(tokens.indptr[first]), int(tokens.indptr[last])
        if low == high:
            continue
        bases = _bases(texts[first:last])
        split = unbreakable("\n".join(texts[first:last]))  # a line feed joins nothing across documents
        counts = np.diff(tokens.indptr[first : last + 1])
        marks[low:high] &= ~split[tokens.start[low:high] + np.repeat(bases, counts)]
    begins = tokens.indptr[:-1][np.diff(tokens.indptr) > 0]
    marks[begins] = True
    return marks


def at_starts(texts: Sequence[str], tokens: TokenOffsets, size: int, starts: Callable[[str], list[int]]) -> Bools:
    """True for the first token at or after each of `starts(text)` (ascending characters), and for first tokens.

    Documents of at most `size` tokens are not looked at: they stay whole whatever stands in them.
    """
    marks = np.zeros(len(tokens.start) + 1, dtype=bool)
    counts = np.diff(tokens.indptr)
    marks[tokens.indptr[:-1]] = True
    for doc in np.flatnonzero(counts > size).tolist():
        low, high = int(tokens.indptr[doc]), int(tokens.indptr[doc + 1])
        marks[low + np.searchsorted(tokens.start[low:high], starts(texts[doc]))] = True
    return marks[:-1]


def refine(levels: Sequence[Bools], size: int) -> Bools:
    """The coarsest marks; where more than `size` tokens lie between two of them, the next finer marks as well.

    `levels` from coarse to fine; every level marks the first token of each document.
    """
    marks = levels[0]
    for finer in levels[1:]:
        gaps = np.diff(np.append(np.flatnonzero(marks), len(marks)))
        too_long = gaps > size
        if not too_long.any():
            break
        marks = marks | (finer & np.repeat(too_long, gaps))
    return marks


def check_fit(texts: Sequence[str], tokens: TokenOffsets) -> None:
    """ValueError where the offsets cannot belong to these texts."""
    if len(tokens.indptr) != len(texts) + 1:
        raise ValueError(f"token offsets of {len(tokens.indptr) - 1} texts were given for {len(texts)} texts")
    filled = np.flatnonzero(np.diff(tokens.indptr) > 0)
    lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    beyond = filled[tokens.end[tokens.indptr[filled + 1] - 1] > lengths[filled]]
    if len(beyond):
        raise ValueError(f"token offsets of text {int(beyond[0])} reach beyond its end: they belong to other texts")


def _blocks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of texts of about `_BLOCK` characters together."""
    first = characters = 0
    for number, text in enumerate(texts):
        if characters and characters + len(text) > _BLOCK:
            yield first, number
            first, characters = number, 0
        characters += len(text)
    if first < len(texts):
        yield first, len(texts)


def _bases(texts: Sequence[str]) -> Longs:
    """Where each text begins when all are joined by one character."""
    bases = np.zeros(len(texts), dtype=np.int64)
    np.cumsum([len(text) + 1 for text in texts[:-1]], out=bases[1:])
    return bases
