from __future__ import annotations

import numpy as np
import pytest

from pipeline.errors import SettingError
from pipeline.records import Corpus, Dataset, Digests, Qrels, Queries, Run, ScoreTable
from pipeline.report.losses import Side, losses

NAN = float("nan")


@pytest.fixture
def dataset():
    """Four documents and three queries: q0 wants d1 (grade 2) and a document that the corpus lacks, q1 d0, q2 d3."""
    ids = ("d0", "d1", "d2", "d3")
    dates = np.full(4, np.datetime64("NaT"), dtype="datetime64[s]")
    corpus = Corpus(ids, ("zero", "one", "two", "three"), ("Zero", "One", "", "Three"), dates, ({},) * 4)
    queries = Queries(("q0", "q1", "q2"), ("what is one?", "zero?", "three?"))
    qrels = Qrels(np.array([0, 2, 3, 4]), np.array([1, 4, 0, 3], np.int32), np.array([2, 1, 1, 1], np.int32), ("gone",))
    return Dataset("toy", "1", corpus, queries, qrels, None, Digests("", "", "", "", ""))


def side(name, values, rows):
    table = ScoreTable(("nDCG@10",), ("q0", "q1", "q2"), np.array([values]))
    return Side(name, table, Run("document", np.array(rows, np.int32), np.zeros((3, 4))))


@pytest.fixture
def ours():
    return side("hybrid", [0.2, 1.0, 0.5], [[0, 2, 3, 1], [0, -1, -1, -1], [-1, -1, -1, -1]])


@pytest.fixture
def base():
    return side("bm25", [0.9, 0.5, 0.5], [[1, 0, 2, 3], [2, 0, -1, -1], [3, -1, -1, -1]])


def test_a_lost_query_shows_what_was_found_and_what_was_missed_at_which_rank(dataset, ours, base):
    assert losses(dataset, ours, base, "nDCG@10", shown=1) == (
        "hybrid against bm25 on nDCG@10: 1 lost, 1 won, 1 tied of 3 queries\n"
        "\n"
        "LOST   q0  0.200  bm25 0.900  -0.700\n"
        "  query  what is one?\n"
        "  found    1  unjudged  d0  Zero\n"
        "           2  unjudged  d2  two\n"
        "           3  unjudged  d3  Three\n"
        "  missed rank 4 (rank 1 in bm25)  grade 2  d1  One\n"
        "         not found (not found in bm25)  grade 1  gone  (not in the corpus)\n"
        "\n"
        "WORST  q2  0.500  bm25 0.500  +0.000\n"
        "  query  three?\n"
        "  found  nothing\n"
        "  missed not found (rank 1 in bm25)  grade 1  d3  Three\n"
    )


def test_an_undefined_query_is_neither_lost_nor_worst(dataset, base):
    ours = side("hybrid", [NAN, 1.0, 1.0], [[0, 2, 3, 1], [0, -1, -1, -1], [3, -1, -1, -1]])
    text = losses(dataset, ours, base, "nDCG@10")
    assert "LOST" not in text
    assert "q0" not in text
    assert "0 lost, 2 won, 0 tied of 2 queries" in text


def test_without_a_baseline_the_worst_come_first(dataset, ours):
    text = losses(dataset, ours, None, "nDCG@10", shown=2)
    assert [line.split()[1] for line in text.splitlines() if line.startswith("WORST")] == ["q0", "q2"]


def test_an_unknown_measure_names_the_known_ones(dataset, ours):
    with pytest.raises(SettingError, match="hybrid has no values of AP; it has nDCG@10"):
        losses(dataset, ours, None, "AP")


def test_another_dataset_is_refused_by_the_first_unknown_query(dataset, base):
    other = Side("x", ScoreTable(("nDCG@10",), ("q0", "zz"), np.ones((1, 2))), base.documents)
    with pytest.raises(SettingError, match="query 'zz' of x is not in the dataset toy"):
        losses(dataset, other, None, "nDCG@10")
