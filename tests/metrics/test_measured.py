"""What stands beside the measures: what contexts hold, days, silence, curves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline.errors import SettingError
from pipeline.metrics import Case, Options, parse
from pipeline.metrics.budget import found_within, kept_tokens
from pipeline.metrics.days import check_days, days
from pipeline.metrics.held import held
from pipeline.metrics.measured import Unanswerable, check_ties, measured, tie_facts
from pipeline.metrics.silence import silence
from pipeline.records import Context, Qrels, Queries, Run, Spans, TokenOffsets


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def case() -> Case:
    """Two documents of four one-letter tokens "a b c d"; the context of the one query is 0[0:4] then 1[0:7]."""
    starts = array(0, 2, 4, 6, 0, 2, 4, 6)
    return Case(
        query_ids=("q",),
        documents=Run("document", np.array([[0, 1]], np.int32), np.array([[2.0, 1.0]])),
        qrels=Qrels(np.array([0, 3]), array(0, 1, 2), array(1, 1, 1), ("gone",)),
        context=Context(*(np.array([row], np.int32) for row in ([0, 1], [0, 0], [4, 7]))),
        tokens=TokenOffsets(np.array([0, 4, 8]), starts, starts + 1),
        spans=Spans(array(0, 0, 0), array(0, 0, 1), array(0, 2, 0), array(3, 5, 3), array(0, 1, 2)),
    )


def test_what_a_context_holds_within_a_budget() -> None:
    # Two tokens: "a b " of document 0. The span [2:5) of it needs "c", which no chunk brings; document 1 comes later.
    short = held(case(), 2)
    assert short.documents.tolist() == [True, False, False]
    assert short.spans.tolist() == [True, False, False]
    assert held(case(), 4).documents.tolist() == [True, True, False]
    assert held(case(), 4).spans.tolist() == [True, False, True]


def test_the_curves_end_at_the_depth_and_count_tokens_where_there_are_contexts() -> None:
    found = measured([parse("R@2")], case(), Options(), budget=2, depth=3, unanswerable=None)
    assert set(found.curves["recall"]) == {1, 2, 3}
    assert found.curves["recall"][1] == pytest.approx(1 / 3)
    assert found.curves["recall_by_tokens"][256] == pytest.approx(2 / 3)
    assert found.facts == {}


def test_questions_without_an_answer_are_told_by_their_first_score() -> None:
    run = Run("document", np.zeros((4, 1), np.int32), np.array([[4.0], [3.0], [2.0], [1.0]]))
    answerable = np.array([True, True, False, True])
    # Pairs (answerable, not): 4 > 2, 3 > 2, 1 < 2 = 2/3. The threshold comes from the first two alone: 3, no error.
    found = silence(run, answerable, np.array([True, True, False, False]))
    assert found.facts["answer_auroc"] == pytest.approx(2 / 3)
    assert (found.facts["answer_threshold"], found.facts["answer_coverage"]) == (3.0, 0.0)
    assert found.error[50] == 0.0 and found.error[70] == pytest.approx(1 / 3) and found.error[100] == 0.25
    assert (
        measured(
            [], case(), Options(), budget=2, depth=1, unanswerable=Unanswerable(np.ones(1, bool), np.ones(1, bool))
        ).facts
        == {}
    )


def test_equal_scores_leave_a_range_open() -> None:
    tied = Run("document", np.array([[1, 0]], np.int32), np.array([[1.0, 1.0]]))
    one = replace(case(), documents=tied, qrels=Qrels(np.array([0, 1]), array(0), array(1)))
    facts = tie_facts([parse("RR"), parse("R@2tok")], one, Options())
    assert facts == {"ties/RR/low": 0.5, "ties/RR/high": 1.0, "ties/RR/queries": 1.0}
    with pytest.raises(SettingError, match="ties=first: expected trec or range"):
        check_ties("first")


def test_the_budget_a_thing_counts_as_found_in_and_how_much_is_kept() -> None:
    assert found_within([parse("nDCG@10")]) == 2048
    assert found_within([parse("R@512tok"), parse("R@2048tok")]) == 2048
    assert found_within([parse("R@512tok"), parse("R@99tok")]) == 512
    assert kept_tokens([parse("R@512tok")]) == 16_384 and kept_tokens([parse("R@10000tok")]) == 20_000


def test_without_a_day_nothing_decays() -> None:
    with pytest.raises(SettingError, match=r"nDCG_t.*as_of=1963-12-31.*no default"):
        check_days("", [parse("nDCG_t(half_life=30)@10")], decayed=False)
    with pytest.raises(SettingError, match="decay needs the day"):
        check_days("", [], decayed=True)
    with pytest.raises(SettingError, match="as_of=soon: no date"):
        check_days("soon", [], decayed=False)
    check_days("query", [parse("nDCG_t(half_life=30)@10")], decayed=True)


def test_the_day_is_one_for_all_or_each_its_own() -> None:
    queries = Queries(("a", "b"), ("x", "y"))
    assert days("", queries) is None
    assert days("1963-12-31", queries).tolist() == [np.datetime64("1963-12-31", "s").item()] * 2
    with pytest.raises(SettingError, match="the queries have no column as_of"):
        days("query", queries)
    own = np.array(["2020-01-01", "NaT"], "datetime64[s]")
    assert days("query", Queries(("a", "b"), ("x", "y"), as_of=own)) is own
