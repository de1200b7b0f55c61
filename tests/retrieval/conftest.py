"""Every retriever of chunks behind one fixture, and one way to ask them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from pipeline.fusion import ReciprocalRankFusion
from pipeline.ranking import fold
from pipeline.records import Reading, Stop
from pipeline.retrieval.bm25 import Bm25
from pipeline.retrieval.dense import Dense
from pipeline.retrieval.hybrid import Hybrid


@dataclass(frozen=True)
class HashEmbedder:
    """Deterministic: a text is the sum of a fixed random vector per word, at unit length."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    dim: int = 32

    @property
    def name(self):
        return "hash"

    def content(self):
        return "hash"

    def check(self):
        return None

    def encode(self, texts, role="document", progress=None):
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            for word in ["", *text.lower().split()]:
                vectors[row] += self._of_word(word)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def _of_word(self, word):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "little")
        scale = 0.01 if word == "" else 1.0  # so that a text without words has a direction too
        return np.random.default_rng(seed).standard_normal(self.dim) * scale

    def reading(self, texts):
        return Reading(0, 0, None)


RETRIEVERS = {
    "bm25/bm25s": Bm25(),
    "bm25/rank_bm25": Bm25(engine="rank_bm25"),
    "bm25/rank_bm25/bm25+": Bm25(engine="rank_bm25", variant="bm25+"),
    "dense/faiss": Dense(HashEmbedder()),
    "dense/numpy": Dense(HashEmbedder(), engine="numpy"),
    "hybrid": Hybrid(Bm25(), Dense(HashEmbedder()), ReciprocalRankFusion()),
}


@dataclass(frozen=True)
class Asked:
    """What a retriever answers over chunk texts: one list of (chunk, score) a query."""

    retriever: Any
    texts: tuple[str, ...]
    doc: tuple[int, ...] | None = None  # default: every chunk is its own document

    @property
    def documents(self):
        return np.array(range(len(self.texts)) if self.doc is None else self.doc, dtype=np.int32)

    def run(self, queries, depth=100):
        stop, runs = Stop(self.documents, depth), []
        for leg in self.retriever.legs:
            model = leg.embedder
            index = leg.index(self.texts, None if model is None else model.encode(self.texts, "document"))
            runs.append(leg.search(index, queries, None if model is None else model.encode(queries, "query"), stop))
        return self.retriever.fuse(runs, self.documents)

    def folded(self, queries, depth=100):
        return pairs(fold(self.run(queries, depth), self.documents))

    def chunks(self, queries, depth=100):
        return pairs(self.run(queries, depth))

    def over(self, texts, doc=None):
        return replace(self, texts=tuple(texts), doc=doc)


def pairs(run):
    return [
        [(int(i), float(s)) for i, s in zip(items, scores, strict=True) if i >= 0]
        for items, scores in zip(run.items, run.scores, strict=True)
    ]


@pytest.fixture(params=RETRIEVERS.values(), ids=RETRIEVERS.keys())
def retriever(request):
    return request.param


@pytest.fixture
def asked(retriever):
    return Asked(retriever, ())


@pytest.fixture
def embedder():
    return HashEmbedder()


@pytest.fixture
def ask():
    """A retriever over texts, ready to be asked."""
    return lambda retriever, texts, doc=None: Asked(retriever, tuple(texts), doc)
