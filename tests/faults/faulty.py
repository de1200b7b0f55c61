"""A retriever that fails as it is told: what a crashing library or a full memory does to a job."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pipeline.protocols import Stop, Vectors
from pipeline.records import Run
from pipeline.retrieval.bm25 import Bm25
from pipeline.retrieval.postings import Postings


@dataclass(frozen=True)
class Faulty(Bm25):
    """BM25, but its search ends by `fault`: none, raise, memory, exit."""

    VERSION: ClassVar[int] = 1
    fault: str = "none"

    def search(self, index: Postings, queries: Sequence[str], vectors: Vectors | None, stop: Stop) -> Run:
        if self.fault == "raise":
            raise RuntimeError("index is gone")
        if self.fault == "memory":
            raise MemoryError
        if self.fault == "exit":
            os._exit(9)
        return super().search(index, queries, vectors, stop)
