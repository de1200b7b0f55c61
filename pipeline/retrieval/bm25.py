"""BM25 over analysed words: two libraries, one contract.

A hit is a chunk that contains at least one analysed term of the query, whatever its score. The library fits the
weights; scores are summed in double precision for whole blocks of queries and ranked by `ranking`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pipeline.errors import SettingError
from pipeline.ranking import padded
from pipeline.records import Ints, Longs, Run, Stop, Vectors
from pipeline.retrieval import engine_bm25s, engine_rank_bm25
from pipeline.retrieval.analyzer import Analyzer
from pipeline.retrieval.deepen import Found, below, search_until
from pipeline.retrieval.postings import Postings, empty

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENGINES = {"bm25s": engine_bm25s, "rank_bm25": engine_rank_bm25}
USUAL = {"bm25s": "lucene", "rank_bm25": "okapi"}  # what each library does by default
USUAL_DELTA = {"bm25l": 0.5, "bm25+": 1.0}  # Lv and Zhai 2011
BLOCK = 4_000_000  # postings looked at before their hits are ranked: bounds the memory
SMALLEST_K1 = 0.001  # at 0, bm25+ of bm25s divides 0 by 0
SCORING_VERSION = 1


@dataclass(frozen=True)
class Bm25:
    """Okapi BM25 and its variants (Robertson and Zaragoza 2009; Kamphuis et al. 2020)."""

    # The analyzer is made of fields of this class, so its version is counted here: the sum grows with either.
    VERSION: ClassVar[int] = SCORING_VERSION + Analyzer.VERSION
    libraries: ClassVar[tuple[str, ...]] = ("bm25s", "rank-bm25", "PyStemmer")

    engine: str = "bm25s"
    variant: str = "auto"  # auto = the engine's usual one
    k1: float = 1.2  # how slowly repeated words stop counting, 0.001 or more
    b: float = 0.75  # how much long texts are held back, 0 to 1
    delta: float | None = None  # least gain of a contained word, bm25l and bm25+ alone; None = 0.5 and 1
    language: str = "english"
    stopwords: bool = True
    stem: bool = True

    def __post_init__(self) -> None:
        """Checks the settings; `variant` and `delta` become what they stand for, so that equal things are equal."""
        if self.engine not in ENGINES:
            raise SettingError(f"bm25.engine={self.engine!r}: expected one of {', '.join(ENGINES)}")
        variants = ENGINES[self.engine].VARIANTS
        object.__setattr__(self, "variant", USUAL[self.engine] if self.variant == "auto" else self.variant)
        if self.variant not in variants:
            raise SettingError(
                f"bm25.variant={self.variant!r}: engine {self.engine} has {', '.join(variants)}; or auto"
            )
        object.__setattr__(self, "delta", self._delta())
        _check_number("k1", self.k1, SMALLEST_K1, math.inf)
        _check_number("b", self.b, 0, 1)
        _ = self.analyzer

    def _delta(self) -> float | None:
        """The delta in use; None where the variant has none."""
        if self.variant not in USUAL_DELTA:
            return None
        delta = USUAL_DELTA[self.variant] if self.delta is None else self.delta
        _check_number("delta", delta, 0, math.inf)
        return delta

    @property
    def analyzer(self) -> Analyzer:
        """How texts become terms."""
        return Analyzer(self.language, self.stopwords, self.stem)

    @property
    def kind(self) -> str:
        """`bm25`."""
        return "bm25"

    @property
    def legs(self) -> tuple[Bm25, ...]:
        """Itself."""
        return (self,)

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """The only ranking."""
        return runs[0]

    @property
    def embedder(self) -> None:
        """None: works on the words themselves."""
        return

    def index_parts(self) -> Mapping[str, Any]:
        """Everything: weights are computed when the index is built."""
        return {"bm25": self, "analyzer": self.analyzer}

    def index(self, texts: Sequence[str], vectors: Vectors | None) -> Postings:
        """The weights of every term in every chunk text; `vectors` are not looked at."""
        terms = self.analyzer.terms(texts)
        if not any(terms):
            return empty(len(texts))
        index: Postings = ENGINES[self.engine].fit(terms, self.variant, self.k1, self.b, self.delta or 0.0)
        return index

    def save(self, index: Postings, folder: Path) -> bool:
        """Writes arrays and terms below `folder`."""
        return index.save(folder)

    def load(self, folder: Path) -> Postings:
        """What `save` wrote."""
        return Postings.load(folder)

    def nbytes(self, index: Postings) -> int:
        """Bytes of the postings and terms."""
        return index.nbytes

    def search(self, index: Postings, queries: Sequence[str], vectors: Vectors | None, stop: Stop) -> Run:
        """Chunk rankings that end at the `stop.depth`-th document or where matches end; `vectors` are not looked at."""
        counts = index.counted(self.analyzer.terms(queries))
        return below([_search_block(index, counts[rows], stop) for rows in _blocks(index, counts)])


def _check_number(name: str, value: object, low: float, high: float) -> None:
    """SettingError unless `value` is a finite number in [low, high]."""
    if isinstance(value, (int, float)) and math.isfinite(value) and low <= value <= high:
        return
    expected = f"a number of {low:g} or more" if math.isinf(high) else f"a number from {low:g} to {high:g}"
    raise SettingError(f"bm25.{name}={value!r}: expected {expected}")


def _blocks(index: Postings, counts: csr_array) -> Iterator[slice]:
    """Runs of queries that look at `BLOCK` postings in all, at least one query each."""
    postings = np.concatenate([[0], np.cumsum(np.diff(index.indptr)[counts.indices])])[counts.indptr]
    start, queries = 0, counts.shape[0]
    while start < queries:
        end = max(start + 1, int(np.searchsorted(postings, postings[start] + BLOCK, side="right")) - 1)
        yield slice(start, end)
        start = end


def _search_block(index: Postings, counts: csr_array, stop: Stop) -> Run:
    hits = index.scores(counts)
    return search_until(lambda rows, k: _best(hits, rows, k), counts.shape[0], stop)


def _best(hits: csr_array, rows: Longs, k: int) -> Found:
    """The k best hits of these rows and all that score as much as the last of them."""
    items, scores, bound = [], [], np.full(rows.size, -np.inf)
    for place, row in enumerate(rows):
        chunk = hits.indices[hits.indptr[row] : hits.indptr[row + 1]]
        score = hits.data[hits.indptr[row] : hits.indptr[row + 1]]
        if score.size > k:
            last = np.partition(score, score.size - k)[score.size - k]
            chunk, score = chunk[score >= last], score[score >= last]
            bound[place] = np.nextafter(last, -np.inf)
        items.append(chunk)
        scores.append(score)
    where = np.repeat(np.arange(rows.size), [len(chunk) for chunk in items])
    run = padded("chunk", where, np.concatenate(items), np.concatenate(scores), rows.size)
    return Found(run.items, run.scores, bound)
