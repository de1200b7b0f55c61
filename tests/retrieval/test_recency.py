"""Newer documents first: the formula by hand, equal relevance, leaks, and that weight 0 changes no order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.ranking import fold
from pipeline.records import Run
from pipeline.retrieval.recency import Decay

DATES = np.array(["2020-01-31", "2020-01-01", "NaT", "2020-02-10"], "datetime64[s]")
DAY = np.array(["2020-01-31"], "datetime64[s]")


def ranking(unit: str, items: list[int], scores: list[float]) -> Run:
    return Run(unit, np.array([items], np.int32), np.array([scores], np.float64))


def test_the_new_score_is_the_stated_sum() -> None:
    # minmax of 3, 1, 2 = 1, 0, 0.5. Document 0 is of today (decay 1), 1 is 30 days old (0.5), 2 has no date (0).
    found = Decay(half_life=30, weight=0.4).documents(ranking("document", [0, 2, 1], [3, 2, 1]), DATES, DAY)
    assert found.items.tolist() == [[0, 2, 1]]
    assert found.scores[0] == pytest.approx([0.6 + 0.4, 0.3, 0.2])


def test_of_two_equally_relevant_documents_the_newer_stands_first() -> None:
    # The plain rule puts the higher id first: document 1 before 0, although 0 is newer.
    found = Decay(half_life=30).documents(ranking("document", [1, 0], [7, 7]), DATES, DAY)
    assert found.items.tolist() == [[0, 1]]


def test_a_document_of_a_later_day_leaves_the_ranking_or_counts_as_of_that_day() -> None:
    run = ranking("document", [3, 0], [2, 1])
    assert Decay(half_life=30).documents(run, DATES, DAY).items.tolist() == [[0]]
    clamped = Decay(half_life=30, weight=0.5, later="clamp").documents(run, DATES, DAY)
    assert clamped.items.tolist() == [[3, 0]] and clamped.scores[0] == pytest.approx([1.0, 0.5])


def test_what_leaves_the_ranking_as_a_leak_is_counted() -> None:
    run = ranking("document", [3, 0, 2], [3, 2, 1])
    assert Decay(half_life=30, weight=0.0).excluded(run, DATES, DAY).tolist() == [1]
    assert Decay(half_life=30, later="clamp").excluded(run, DATES, DAY).tolist() == [0]
    assert Decay(half_life=30).excluded(run, DATES, np.array(["NaT"], "datetime64[s]")).tolist() == [0]


def test_a_query_without_a_day_keeps_its_ranking() -> None:
    run = ranking("document", [2, 3, 0], [3, 2, 1])
    found = Decay(half_life=30).documents(run, DATES, np.array(["NaT"], "datetime64[s]"))
    assert found.items.tolist() == run.items.tolist() and found.scores.tolist() == run.scores.tolist()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), min_size=1, max_size=6, unique_by=lambda hit: hit[0]),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_chunks_folded_are_the_documents_re_ranked(hits: list[tuple[int, int]], weight: float) -> None:
    doc = np.array([0, 0, 1, 1, 2, 2], np.int32)
    hits = sorted(hits, key=lambda hit: (-hit[1], -doc[hit[0]], hit[0]))
    run = ranking("chunk", [item for item, _ in hits], [score / 4 for _, score in hits])
    decay = Decay(half_life=10, weight=weight)
    by_chunk = fold(decay.chunks(run, doc, DATES, DAY), doc)
    by_document = decay.documents(fold(run, doc), DATES, DAY)
    assert by_chunk.items.tolist() == by_document.items.tolist()
    assert by_chunk.scores == pytest.approx(by_document.scores)
    if weight == 0:
        assert by_document.items.tolist() == fold(run, doc).items.tolist()


@pytest.mark.parametrize(
    "bad", [{"half_life": 0.0}, {"half_life": 9.0, "weight": 1.1}, {"half_life": 9.0, "later": "keep"}]
)
def test_settings_that_mean_nothing_are_refused(bad) -> None:
    with pytest.raises(SettingError, match=r"decay\.\w+="):
        Decay(**bad)
