"""Chance and oracle: what they rank and what their contexts hold."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.metrics import Case, evaluate, parse
from pipeline.metrics.nulls import chance, oracle
from pipeline.records import Qrels, Spans, TokenOffsets


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


QRELS = Qrels(np.array([0, 3, 5]), array(0, 1, 3, 1, 2), array(1, 2, 1, 0, 1), ("gone",))
LENGTHS = array(8, 8, 8)


def scored(null, spans, *names: str) -> list[float]:
    starts = np.tile(np.arange(0, 8, 2, dtype=np.int32), 3)  # "a b c d " three times
    tokens = TokenOffsets(np.array([0, 4, 8, 12]), starts, starts + 1)
    case = Case(("p", "q"), null.documents, QRELS, null.context, tokens, spans)
    return evaluate([parse(name) for name in names], case).values[:, 0].tolist()


def test_the_oracle_is_perfect_on_documents_even_with_one_that_is_gone() -> None:
    found = oracle(LENGTHS, QRELS, None)
    assert found.documents.items.tolist() == [[1, 0, 3], [2, -1, -1]]
    assert found.context.doc.tolist() == [[1, 0, -1], [2, -1, -1]]
    assert scored(found, None, "nDCG@10", "AP") == [1.0, 1.0]


def test_the_oracle_reads_the_shortest_evidence_first() -> None:
    # Group 0 of query p: [0, 8) of document 0 or [4, 6) of document 1; group 1: [2, 4) of document 1.
    spans = Spans(array(0, 0, 0), array(0, 1, 1), array(0, 4, 2), array(8, 6, 4), array(0, 0, 1))
    found = oracle(LENGTHS, QRELS, spans)
    assert (found.context.doc[0, :2].tolist(), found.context.start[0, :2].tolist()) == ([1, 1], [4, 2])
    assert scored(found, spans, "Rspan@2tok", "Full@2tok", "U@2tok") == pytest.approx([1.0, 1.0, 1.0])


def test_chance_ranks_every_document_once_and_depends_on_the_seed_alone() -> None:
    first, again, other = (chance(LENGTHS, 50, 2, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (first.documents.items == again.documents.items).all()
    assert (first.documents.items != other.documents.items).any()
    assert all(len(set(row)) == 2 for row in first.documents.items.tolist())
    assert set(first.documents.items.ravel().tolist()) == {0, 1, 2}
