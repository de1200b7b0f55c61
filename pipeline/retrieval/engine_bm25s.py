"""BM25 weights by bm25s (Lù 2024): scores are computed when the index is built."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.retrieval.postings import Postings, vocabulary

VARIANTS = {  # variant -> method of bm25s (Kamphuis et al. 2020 describes them)
    "lucene": "lucene",  # idf = ln(1 + (N - df + 0.5) / (df + 0.5)), always above 0
    "robertson": "robertson",  # idf = ln((N - df + 0.5) / (df + 0.5)), floored at 0
    "atire": "atire",  # idf = ln(N / df)
    "bm25l": "bm25l",
    "bm25+": "bm25+",
}


def fit(chunks: Sequence[list[str]], variant: str, k1: float, b: float, delta: float) -> Postings:
    """The weights that `bm25s.BM25.get_scores` adds up, in double precision; `chunks` hold at least one term."""
    import bm25s

    terms = vocabulary(chunks)
    position = {term: index for index, term in enumerate(terms)}
    model = bm25s.BM25(k1=k1, b=b, delta=delta, method=VARIANTS[variant], dtype="float64")
    ids = [[position[term] for term in chunk] for chunk in chunks]
    model.index((ids, position), create_empty_token=False, show_progress=False)
    base = np.zeros(len(terms)) if model.nonoccurrence_array is None else model.nonoccurrence_array
    return Postings(
        terms=terms,
        indptr=model.scores["indptr"].astype(np.int64),
        chunk=model.scores["indices"].astype(np.int32),
        weight=model.scores["data"].astype(np.float64),
        base=base.astype(np.float64),
        chunks=len(chunks),
    )
