"""Exact search by inner product over embedding vectors.

An engine names candidates from single-precision products; the candidates are then scored in double precision, rounded,
and ranked by `ranking`. So both engines give the same ranking, and equal texts are equal wherever they stand.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pipeline.errors import MissingExtraError, ModelError, SettingError
from pipeline.protocols import Embedder
from pipeline.ranking import rounded
from pipeline.records import Floats, Ints, Longs, Run, Stop, Vectors
from pipeline.retrieval.deepen import Found, search_until

SINGLE = float(np.finfo(np.float32).eps)
BLOCK = 16_000_000  # numbers held at a time by the NumPy engine and by the scoring in double precision
MATRIX_PRODUCT_FROM = 20  # queries; faiss 1.15 scans one by one below 128,000, many times slower for a query set


@dataclass(frozen=True, eq=False)
class DenseIndex:
    """The vectors; what faiss needs is made when it is first asked for."""

    vectors: Vectors  # (chunks, dim)
    longest: float  # greatest vector length, 1 for unit vectors

    @cached_property
    def flat(self) -> Any:
        """The exact index of faiss over the same vectors."""
        index = _faiss().IndexFlatIP(self.vectors.shape[1])
        index.add(np.ascontiguousarray(self.vectors))
        return index


class Candidates(NamedTuple):
    """The k best chunks of each query by single-precision scores, in any order; -1 = nothing."""

    items: Ints  # (queries, k)
    scores: Vectors  # (queries, k)


class _Checked(NamedTuple):
    vectors: Vectors
    lengths: Floats


@dataclass(frozen=True)
class Dense:
    """Chunks by the inner product of their vectors with the query's."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "faiss-cpu")

    embedding: Embedder
    engine: str = "faiss"

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.engine not in ENGINES:
            raise SettingError(f"dense.engine={self.engine!r}: expected one of {', '.join(ENGINES)}")
        if self.engine == "faiss" and find_spec("faiss") is None:
            raise MissingExtraError(
                "dense.engine=faiss: faiss is not installed; pip install faiss-cpu, or dense.engine=numpy"
            )

    @property
    def kind(self) -> str:
        """`dense`."""
        return "dense"

    @property
    def legs(self) -> tuple[Dense, ...]:
        """Itself."""
        return (self,)

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """The only ranking."""
        return runs[0]

    @property
    def embedder(self) -> Embedder:
        """The model that makes the vectors."""
        return self.embedding

    def index_parts(self) -> Mapping[str, Any]:
        """The model alone: the engines share the vectors."""
        return {"embedding": self.embedding, "role": "document"}

    def index(self, texts: Sequence[str], vectors: Vectors | None) -> DenseIndex:
        """The vectors, checked. ModelError names a chunk whose vector is not finite."""
        checked = self._checked(vectors, texts, "chunk")
        return DenseIndex(checked.vectors, float(checked.lengths.max(initial=0.0)))

    def save(self, index: DenseIndex, folder: Path) -> bool:
        """False: the vectors are kept by the embedder's stage, and a flat index is a copy of them."""
        return False

    def load(self, folder: Path) -> DenseIndex:
        """Never called: `save` keeps nothing."""
        raise SettingError(f"dense keeps no index of its own; nothing to load from {folder}")

    def nbytes(self, index: DenseIndex) -> int:
        """Bytes of the vectors."""
        return index.vectors.nbytes

    def search(self, index: DenseIndex, queries: Sequence[str], vectors: Vectors | None, stop: Stop) -> Run:
        """Chunk rankings that end at the `stop.depth`-th document.

        ModelError names a query whose vector is not finite.
        """
        asked_for = self._checked(vectors, queries, "query")
        # A single-precision product is off by at most this much, so a chunk left out may score this much more.
        slack = index.vectors.shape[1] * SINGLE * index.longest * asked_for.lengths

        def fetch(rows: Longs, k: int) -> Found:
            asked, found = asked_for.vectors[rows], min(k, len(index.vectors))
            best = ENGINES[self.engine](index, asked, found) if found else _nothing(rows.size)
            lowest = best.scores.min(axis=1, initial=np.inf).astype(np.float64)
            bound = rounded(lowest + slack[rows]) if found < len(index.vectors) else np.full(rows.size, -np.inf)
            return Found(best.items, rounded(_in_double(index.vectors, asked, best.items)), bound)

        return search_until(fetch, len(queries), stop)

    def _checked(self, vectors: Vectors | None, texts: Sequence[str], what: str) -> _Checked:
        """The vectors and their lengths; ModelError names the first text whose vector is not finite."""
        if vectors is None or len(vectors) != len(texts):
            got = "none" if vectors is None else len(vectors)
            raise SettingError(f"dense needs one vector for each {what}; got {got} for {len(texts)} texts")
        squares: Floats = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(squares))
        if bad.size:
            raise ModelError(
                f"{self.embedding.name}: the vector of {what} {bad[0]} ({texts[bad[0]][:40]!r}) is not finite"
                f" ({bad.size} of {len(texts)}); try another dtype or model"
            )
        return _Checked(vectors, np.sqrt(squares))


def _by_faiss(index: DenseIndex, queries: Vectors, k: int) -> Candidates:
    """Candidates by faiss, the whole query set in one call."""
    faiss = _faiss()
    usual = faiss.cvar.distance_compute_blas_threshold
    faiss.cvar.distance_compute_blas_threshold = MATRIX_PRODUCT_FROM
    try:
        scores, items = index.flat.search(np.ascontiguousarray(queries), k)
    finally:
        faiss.cvar.distance_compute_blas_threshold = usual
    return Candidates(items.astype(np.int32), scores)


def _by_numpy(index: DenseIndex, queries: Vectors, k: int) -> Candidates:
    """Candidates by matrix products over blocks of queries."""
    count = len(index.vectors)
    block = max(BLOCK // count, 1)
    items = np.empty((len(queries), k), np.int32)
    scores = np.empty((len(queries), k), np.float32)
    for start in range(0, len(queries), block):
        products = queries[start : start + block] @ index.vectors.T
        best = np.argpartition(products, count - k, axis=1)[:, count - k :]
        items[start : start + block] = best
        scores[start : start + block] = np.take_along_axis(products, best, axis=1)
    return Candidates(items, scores)


ENGINES = {"faiss": _by_faiss, "numpy": _by_numpy}


def _nothing(queries: int) -> Candidates:
    return Candidates(np.full((queries, 0), -1, np.int32), np.zeros((queries, 0), np.float32))


def _in_double(vectors: Vectors, queries: Vectors, items: Ints) -> Floats:
    """The inner product of every query with its candidates, in double precision; anything where there is none."""
    scores = np.zeros(items.shape)
    block = max(BLOCK // max(items.shape[1] * vectors.shape[1], 1), 1)
    for start in range(0, len(queries), block):
        chosen = vectors[np.maximum(items[start : start + block], 0)].astype(np.float64)
        asked = queries[start : start + block].astype(np.float64)
        scores[start : start + block] = (chosen @ asked[:, :, None])[:, :, 0]
    return scores


def _faiss() -> Any:
    """The library. On macOS it kills the process if torch, where that is installed, is imported after it."""
    if sys.platform == "darwin" and find_spec("torch") is not None:
        import torch  # noqa: F401
    import faiss

    return faiss
