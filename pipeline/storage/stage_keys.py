"""The keys of the stages of an experiment: what each rests on, known before anything is computed."""

from __future__ import annotations

from pipeline import ranking
from pipeline.protocols import Embedder, Leg, Tokenizer
from pipeline.records import Digests
from pipeline.storage.fingerprint import stage_key

VERSION = 1  # of the way the stages are put together; part of every key


def tokens_key(tokenizer: Tokenizer, digests: Digests) -> str:
    """Token offsets of the corpus."""
    return stage_key("tokens", VERSION, tokenizer, digests.corpus)


def vectors_key(embedder: Embedder, chunks: str) -> str:
    """Vectors of the chunks whose key is `chunks`."""
    return stage_key("vectors", VERSION, embedder, "document", chunks)


def reading_key(embedder: Embedder, chunks: str) -> str:
    """How much of these chunks the model reads."""
    return stage_key("reading", VERSION, embedder, chunks)


def queries_key(embedder: Embedder, digests: Digests) -> str:
    """Vectors of the queries."""
    return stage_key("queries", VERSION, embedder, digests.queries)


def index_key(leg: Leg, chunks: str) -> str:
    """An index over these chunks."""
    return stage_key("index", VERSION, leg.index_parts(), chunks)


def leg_key(leg: Leg, chunks: str, digests: Digests, depth: int) -> str:
    """The ranking of one leg."""
    return stage_key("leg", VERSION, ranking.VERSION, leg, (chunks, digests.queries, depth))
