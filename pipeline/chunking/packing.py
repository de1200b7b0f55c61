"""The one way borders become chunks: each chunk takes as many tokens as fit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.records import Bools, Chunks, Longs, TokenOffsets


class Window(NamedTuple):
    """Tokens [first, last)."""

    first: int
    last: int


def windows(borders: Sequence[int], size: int, overlap: int) -> Iterator[Window]:
    """Greedy windows between `borders`: token numbers, strictly ascending, from a document's first to past its last.

    A window ends at the last border that leaves it at most `size` tokens (or at the next border, where even that
    is too far). The next one begins at the first border that repeats at most `overlap` tokens and still lets it end
    later than this one. So first and last both grow strictly, and it always ends.
    """
    begin, final = 0, len(borders) - 1
    while begin < final:
        end = max(bisect_right(borders, borders[begin] + size, begin + 1) - 1, begin + 1)
        yield Window(borders[begin], borders[end])
        if end == final:
            return
        reach = min(borders[end + 1] - size, borders[end])
        begin = bisect_left(borders, max(borders[end] - overlap, reach), begin + 1, end)


def pack(texts: Sequence[str], tokens: TokenOffsets, marks: Bools, size: int, overlap: int) -> Chunks:
    """Chunks that begin at marked tokens, as many tokens in each as fit.

    The first chunk of a document begins at its character 0, the last ends at its end, and what lies between two
    tokens belongs to the earlier chunk. A blank document has no chunk; one that is not blank but has no token has one.
    """
    counts, bases = np.diff(tokens.indptr).tolist(), tokens.indptr.tolist()
    borders = np.flatnonzero(marks)
    slices = np.searchsorted(borders, tokens.indptr).tolist()
    docs: list[int] = []
    spans: list[Window] = []
    for doc, (text, count) in enumerate(zip(texts, counts, strict=True)):
        if not text or text.isspace():
            continue
        if count <= size:
            spans.append(Window(bases[doc], bases[doc] + count))
            docs.append(doc)
            continue
        inside = np.append(borders[slices[doc] : slices[doc + 1]], bases[doc + 1])
        spans.extend(windows(inside.data, size, overlap))
        docs.extend([doc] * (len(spans) - len(docs)))
    return _chunks(texts, tokens, np.array(docs, dtype=np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2))


def _chunks(texts: Sequence[str], tokens: TokenOffsets, doc: Longs, spans: Longs) -> Chunks:
    """Chunks of documents `doc` that hold the tokens [first, last) of `spans`, counted over the whole corpus."""
    first, last = spans[:, 0], spans[:, 1]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    starts = np.append(tokens.start, 0)
    start = np.where(first == tokens.indptr[doc], 0, starts[first])
    end = np.where(last == tokens.indptr[doc + 1], lengths[doc], starts[last])
    doc32, start32, end32, tokens32 = (column.astype(np.int32) for column in (doc, start, end, last - first))
    return Chunks(doc32, start32, end32, tokens32)


def chunk_texts(chunks: Chunks, texts: Sequence[str]) -> list[str]:
    """The text of every chunk: `texts[doc][start:end]`."""
    places = zip(chunks.doc.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True)
    return [texts[doc][start:end] for doc, start, end in places]
