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
from pipeline.metrics.measured import check_ties, measured, tie_facts
from pipeline.metrics.silence import cross_validated, held_out, silence
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
    found = measured([parse("R@2")], case(), Options(), budget=2, depth=3, answerable=None)
    assert set(found.curves["recall"]) == {1, 2, 3}
    assert found.curves["recall"][1] == pytest.approx(1 / 3)
    assert found.curves["recall_by_tokens"][256] == pytest.approx(2 / 3)
    assert found.facts == {}


ONE_HIT = Run("document", np.zeros((4, 1), np.int32), np.array([[4.0], [3.0], [2.0], [1.0]]))
ANSWERABLE = np.array([True, True, False, True])


def test_questions_without_an_answer_are_told_by_their_first_score() -> None:
    # Pairs (answerable, not): 4 > 2, 3 > 2, 1 < 2 = 2/3.
    found = silence(ONE_HIT, ANSWERABLE)
    assert found.area == pytest.approx(2 / 3)
    assert found.error[50] == 0.0 and found.error[70] == pytest.approx(1 / 3) and found.error[100] == 0.25
    one = measured([], case(), Options(), budget=2, depth=1, answerable=np.ones(1, bool))
    assert one.facts == {} and "error_by_coverage" not in one.curves


def test_a_threshold_is_chosen_on_one_part_and_judged_by_the_other_alone() -> None:
    # On the first two: 3 answers both, no error. On the others it answers none, so there is no error to tell.
    select = np.array([True, True, False, False])
    facts = {"answer_threshold": 3.0, "answer_coverage": 0.0, "answer_chosen_on": 2.0, "answer_measured_on": 2.0}
    assert held_out(ONE_HIT, ANSWERABLE, select) == facts
    # On the last two: 2 has no answer and 1 answers half wrongly, so no threshold keeps the error.
    assert held_out(ONE_HIT, ANSWERABLE, ~select) == {}
    assert held_out(ONE_HIT, ANSWERABLE, np.ones(4, bool)) == {}
    # Other answers of the judging part change what it says of the threshold, never the threshold.
    other = held_out(ONE_HIT, np.array([False, True, True, True]), ~select)
    assert other == {
        "answer_threshold": 1.0, "answer_coverage": 1.0, "answer_error": 0.5, "answer_chosen_on": 2.0,
        "answer_measured_on": 2.0,
    }  # fmt: skip


def test_a_threshold_by_folds_judges_no_question_that_chose_it() -> None:
    # All: errors down to 4, 3, 2, 1 are 0, 0, 1/3, 1/4: 3 is the lowest at 20 %. Fold 0 (4 and 3) is judged by what
    # 2 and 1 choose, no threshold at all; fold 1 (2 and 1) by what 4 and 3 choose: 3, which answers none of them.
    found = cross_validated(ONE_HIT, ANSWERABLE, np.array([0, 0, 1, 1]))
    assert found == {
        "answer_threshold": 3.0, "answer_coverage": 0.0, "answer_chosen_on": 4.0, "answer_measured_on": 4.0
    }  # fmt: skip
    # Fold 0 = 4 and 1, by 3 and 2: 3 answers 4. Fold 1 = 3 and 2, by 4 and 1: 1 answers both, one of them wrongly.
    found = cross_validated(ONE_HIT, ANSWERABLE, np.array([0, 1, 1, 0]))
    assert (found["answer_coverage"], found["answer_error"]) == (0.75, pytest.approx(1 / 3))


def test_what_a_threshold_does_is_told_by_traffic() -> None:
    # Chosen on the scores 4 and 1, both with an answer: 1. It answers 3 and 2, of which 3 (with an answer) is asked
    # nine times as often: error 1/10, not 1/2.
    select = np.array([True, False, False, True])
    weights = np.array([1.0, 9.0, 1.0, 2.0])
    assert held_out(ONE_HIT, ANSWERABLE, select)["answer_error"] == 0.5
    found = held_out(ONE_HIT, ANSWERABLE, select, weights)
    assert (found["answer_threshold"], found["answer_coverage"]) == (1.0, 1.0)
    assert found["answer_error"] == pytest.approx(0.1)
    # Chosen on 4, 3 and 2: alike, 2 would answer a third wrongly; if 4 and 3 are asked ten times each, a 21st.
    chosen = np.array([True, True, True, False])
    assert held_out(ONE_HIT, ANSWERABLE, chosen)["answer_threshold"] == 3.0
    assert held_out(ONE_HIT, ANSWERABLE, chosen, np.array([10.0, 10.0, 1.0, 1.0]))["answer_threshold"] == 2.0
    # By folds: 3 and 2 are judged by what 4 and 1 choose, 1; 4 and 1 by what 3 and 2 choose, 3 (2 if 3 outweighs it).
    folded = cross_validated(ONE_HIT, ANSWERABLE, np.array([0, 1, 1, 0]), weights)
    assert folded["answer_coverage"] == pytest.approx(11 / 13) and folded["answer_error"] == pytest.approx(1 / 11)
    assert silence(ONE_HIT, ANSWERABLE, weights).area == pytest.approx(10 / 12)


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
