"""A BM25 index as one sparse matrix: what each term adds to the score of each chunk that contains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipeline.records import Floats, Ints, Longs
from pipeline.storage.arrays import load_array, load_meta, save_arrays

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Postings:
    """Term t is in the chunks `chunk[indptr[t]:indptr[t + 1]]` and adds `weight` to each; a weight of 0 is a hit too.

    `base[t]` is what t adds to every chunk, whether it contains t or not (BM25L, BM25+). Terms ascend, so that scores
    are summed in the same order whatever the order of the corpus.
    """

    terms: tuple[str, ...]
    indptr: Longs
    chunk: Ints
    weight: Floats
    base: Floats  # (terms,)
    chunks: int

    @cached_property
    def position(self) -> dict[str, int]:
        """The position of every term in `terms`."""
        return {term: position for position, term in enumerate(self.terms)}

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays and of the terms as UTF-8."""
        arrays = (self.indptr, self.chunk, self.weight, self.base)
        return sum(array.nbytes for array in arrays) + sum(len(term.encode()) for term in self.terms)

    def counted(self, queries: Sequence[Sequence[str]]) -> csr_array:
        """How often each query (row) holds each term (column); terms that no chunk has are left out."""
        from scipy.sparse import csr_array

        found = [[self.position[term] for term in query if term in self.position] for query in queries]
        indptr = np.cumsum([0, *map(len, found)])
        columns = np.array([position for query in found for position in query], dtype=np.int32)
        counts = csr_array((np.ones(columns.size), columns, indptr), shape=(len(queries), len(self.terms)))
        counts.sum_duplicates()
        return counts

    def scores(self, counts: csr_array) -> csr_array:
        """The score of every chunk (column) that contains a term of a query (row); stored zeros are hits."""
        from scipy.sparse import csr_array

        used = np.unique(counts.indices)
        rows = csr_array((self.weight, self.chunk, self.indptr), shape=(len(self.terms), self.chunks))[used]
        # A sparse product drops sums of 0, but a hit may score 0: the imaginary part counts contained terms.
        marked = csr_array((rows.data + 1j, rows.indices, rows.indptr), shape=rows.shape)
        hits = counts[:, used] @ marked
        per_query = np.repeat(counts @ self.base, np.diff(hits.indptr))
        return csr_array((hits.data.real + per_query, hits.indices, hits.indptr), shape=hits.shape)

    def save(self, folder: Path) -> bool:
        """Writes the index below `folder`."""
        return save_arrays(
            folder,
            {"indptr": self.indptr, "chunk": self.chunk, "weight": self.weight, "base": self.base},
            {"terms": self.terms, "chunks": self.chunks},
        )

    @classmethod
    def load(cls, folder: Path) -> Postings:
        """What `save` wrote."""
        meta = load_meta(folder)
        arrays = {name: load_array(folder, name) for name in ("indptr", "chunk", "weight", "base")}
        return cls(terms=tuple(meta["terms"]), chunks=meta["chunks"], **arrays)


def vocabulary(chunks: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Every term of the chunks once, ascending."""
    return tuple(sorted({term for chunk in chunks for term in chunk}))


def empty(chunks: int) -> Postings:
    """The index of chunks without a single term; the libraries divide by the mean length, which is 0 here."""
    return Postings((), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0), chunks)
