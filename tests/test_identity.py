"""Every field of every component is classified: it shapes the output and changes the key, or it does neither."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest

from pipeline.chunking import Recursive, Sentences, TokenWindow, WholeDocument
from pipeline.context import Chunk, Parent, Window
from pipeline.embedding.sentence_transformer import SentenceTransformerEmbedder
from pipeline.fusion import ReciprocalRankFusion, WeightedSum
from pipeline.metrics import Options
from pipeline.retrieval.bm25 import Bm25
from pipeline.retrieval.dense import Dense
from pipeline.retrieval.hybrid import Hybrid
from pipeline.retrieval.recency import Decay
from pipeline.retrieval.run_file import RunFile

# Written down by hand: a new field fails this test until somebody decides what it is.
RELEVANT: Mapping[type, set[str]] = {
    TokenWindow: {"size", "overlap", "tokenizer", "prefix"},
    Sentences: {"size", "overlap", "tokenizer", "language", "prefix"},
    Recursive: {"size", "overlap", "tokenizer", "language", "prefix"},
    WholeDocument: {"tokenizer"},
    SentenceTransformerEmbedder: {"dtype", "long_text", "max_tokens", "device", "query_prefix", "document_prefix"},
    ReciprocalRankFusion: {"k"},
    WeightedSum: {"weights", "normalisation"},
    Bm25: {"engine", "variant", "k1", "b", "delta", "language", "stopwords", "stem"},
    Dense: {"embedding", "engine"},
    Hybrid: {"sparse", "dense", "fusion"},
    RunFile: set(),
    Chunk: {"merge_overlaps"},
    Window: {"neighbours", "merge_overlaps"},
    Parent: {"of", "cap", "merge_overlaps"},
    Decay: {"half_life", "weight", "later", "undated"},
    Options: {"policy", "negative_grades", "later", "undated"},
}
IRRELEVANT: Mapping[type, set[str]] = {
    WholeDocument: {"size", "overlap"},
    # content() stands for the model; the others are where and how fast.
    SentenceTransformerEmbedder: {
        "model",
        "batch_size",
        "offline",
        "trust_remote_code",
        "cache_dir",
    },
    RunFile: {"path"},  # content() is the digest of the file
}


@pytest.mark.parametrize("kind", RELEVANT, ids=lambda kind: kind.__name__)
def test_every_field_is_classified(kind: type) -> None:
    declared = set(getattr(kind, "irrelevant", frozenset()))
    assert declared == IRRELEVANT.get(kind, set())
    assert {field.name for field in dataclasses.fields(kind)} - declared == RELEVANT[kind]


@pytest.mark.parametrize("kind", [kind for kind in RELEVANT if kind is not Options], ids=lambda kind: kind.__name__)
def test_every_component_states_version_and_libraries(kind: type) -> None:
    assert kind.VERSION >= 1
    assert isinstance(kind.libraries, tuple)
