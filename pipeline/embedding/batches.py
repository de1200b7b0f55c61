"""How texts are cut into windows and packed into batches. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.records import Ints, Vectors

# Padded tokens a batch: measured best between 1,024 and 2,048 on one thread, where the batch stays in the caches.
BATCH_TOKENS = 2048


class Distinct(NamedTuple):
    """`texts[places[i]]` is the i-th text asked for; `counts[j]` is how often `texts[j]` was asked for."""

    texts: list[str]
    places: Ints
    counts: Ints


class Window(NamedTuple):
    """Characters [start, end) of a text and how many tokens they are."""

    start: int
    end: int
    tokens: int


def distinct(texts: Sequence[str]) -> Distinct:
    """Every text once, in order of first appearance; lone surrogates, which no tokenizer takes, as U+FFFD."""
    first: dict[str, int] = {}
    places = np.fromiter(
        (first.setdefault(encodable(text), len(first)) for text in texts), dtype=np.int32, count=len(texts)
    )
    return Distinct(list(first), places, np.bincount(places, minlength=len(first)).astype(np.int32))


def encodable(text: str) -> str:
    """`text` with pairs of surrogates joined and lone ones replaced by U+FFFD; any other text as it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def longest_first(lengths: NDArray[np.integer]) -> Ints:
    """Positions by falling length, equal lengths in order of position."""
    return np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable").astype(np.int32)


def batches(lengths: NDArray[np.integer], most_texts: int, most_tokens: int = BATCH_TOKENS) -> list[Ints]:
    """Positions in batches, longest first: at most `most_texts` each and at most `most_tokens` once padded.

    A text longer than `most_tokens` is a batch of its own. Every position occurs exactly once.
    """
    order = longest_first(lengths)
    packed, at = [], 0
    while at < len(order):
        widest = max(int(lengths[order[at]]), 1)
        count = max(1, min(most_texts, most_tokens // widest))
        packed.append(order[at : at + count])
        at += count
    return packed


def windows(text: str, starts: Sequence[int], ends: Sequence[int], limit: int) -> list[Window]:
    """Consecutive windows of at most `limit` tokens that cover every token once, in text order.

    A window ends before a white space; where a run without white space fills a whole window, it is split.
    `starts` and `ends` are the character offsets of the tokens. A text without tokens is one empty window.
    """
    cut, at = [], 0
    while at < len(starts):
        stop = min(at + limit, len(starts))
        if stop < len(starts):
            stop = next((place for place in range(stop, at, -1) if _parted(text, starts, ends, place)), stop)
        cut.append(Window(starts[at], max(ends[stop - 1], starts[at]), stop - at))
        at = stop
    return cut or [Window(0, len(text), 0)]


def _parted(text: str, starts: Sequence[int], ends: Sequence[int], place: int) -> bool:
    """Whether white space lies between token `place - 1` and token `place` (some tokenizers count it into a token)."""
    return any(sign.isspace() for sign in text[max(ends[place - 1] - 1, 0) : starts[place] + 1])


def mean_by_owner(vectors: Vectors, owners: Ints, weights: NDArray[np.integer], texts: int) -> Vectors:
    """Per text the mean of its windows' vectors, weighted by their tokens; not normalised.

    vectors: float32 (windows, dim); owners: the text of every window. A weight of 0 counts as 1: it belongs to a text
    without tokens, which is a single window.
    """
    share = np.maximum(weights, 1).astype(np.float64)
    sums = np.zeros((texts, vectors.shape[1]), dtype=np.float64)
    np.add.at(sums, owners, vectors * share[:, None])
    return (sums / np.bincount(owners, weights=share, minlength=texts)[:, None]).astype(np.float32)


def normalised(vectors: NDArray[np.floating]) -> Vectors:
    """Rows of unit length; a zero row stays zero (a text in which a static model finds no token)."""
    wide = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(norms > 0, norms, 1.0)).astype(np.float32)
