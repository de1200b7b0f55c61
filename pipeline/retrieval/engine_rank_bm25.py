"""BM25 weights by rank_bm25: its own fitted statistics, its formulas over arrays instead of a loop per document."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from pipeline.records import Floats
from pipeline.retrieval.postings import Postings, vocabulary

VARIANTS = {"okapi": "BM25Okapi", "bm25l": "BM25L", "bm25+": "BM25Plus"}  # variant -> class of rank_bm25


def fit(chunks: Sequence[list[str]], variant: str, k1: float, b: float, delta: float) -> Postings:
    """The weights that the library's `get_scores` adds up (equal to 1e-9); `chunks` hold at least one term."""
    import rank_bm25

    settings = {"k1": k1, "b": b} | ({} if variant == "okapi" else {"delta": delta})
    model = getattr(rank_bm25, VARIANTS[variant])(chunks, **settings)
    terms = vocabulary(chunks)
    position = {term: index for index, term in enumerate(terms)}
    term = np.fromiter((position[word] for word in chain.from_iterable(model.doc_freqs)), dtype=np.int64)
    count = np.fromiter(chain.from_iterable(found.values() for found in model.doc_freqs), dtype=np.float64)
    chunk = np.repeat(np.arange(len(chunks)), [len(found) for found in model.doc_freqs])
    order = np.argsort(term, kind="stable")  # postings by term, chunks ascending
    term, count, chunk = term[order], count[order], chunk[order]
    idf = np.array([model.idf[word] for word in terms])
    share = np.array(model.doc_len)[chunk] / model.avgdl
    return Postings(
        terms=terms,
        indptr=np.searchsorted(term, np.arange(len(terms) + 1)),
        chunk=chunk.astype(np.int32),
        weight=idf[term] * _saturation(model, variant, count, 1 - b + b * share),
        base=idf * delta if variant == "bm25+" else np.zeros(len(terms)),
        chunks=len(chunks),
    )


def _saturation(model: Any, variant: str, count: Floats, length: Floats) -> Floats:
    """What `get_scores` multiplies the idf with, without the part that a chunk gets without the term."""
    if variant == "bm25l":
        shifted = count / length + model.delta
        factor: Floats = count * (model.k1 + 1) * shifted / (model.k1 + shifted)
    else:
        factor = count * (model.k1 + 1) / (count + model.k1 * length)
    return factor
