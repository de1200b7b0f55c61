"""The report of answers: the textbook's numbers where they agree, and what it hides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.citations import Pattern, Settings, context_of, report, score_table, summary
from pipeline.harness import CITATION_PATTERNS, evaluate_citations

NAN = float("nan")


def reported(answer, ids, grades=None, **more):
    return report(answer, context_of(ids), grades=grades, **more)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(["[doc_id 1]", "[doc_id 3]", "[doc_id x_9]", "Words.", "[doc_id 99]"]), max_size=8),
    st.lists(st.sampled_from(["1", "3", "5", "x_9"]), unique=True, max_size=4),
)
def test_the_textbook_fields_are_the_textbook_values(pieces, ids):
    answer = " and ".join(pieces)
    theirs = evaluate_citations(answer, ids)
    ours = report(answer, context_of(ids), Settings((Pattern(CITATION_PATTERNS["doc_id"]),), "id"))
    for name in ("total_citations", "valid_citations", "invalid_citations", "context_docs", "cited_docs"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.coverage == theirs.coverage
    assert ours.faithfulness == theirs.faithfulness
    assert list(ours.uncited_docs) == theirs.uncited_docs
    assert list(ours.invalid_refs) == theirs.invalid_refs


def test_the_example_of_the_textbook():
    answer = "Based on [doc_id 3], it hashes. See [doc_id 7] for nodes. However, [doc_id 99] suggests otherwise."
    found = reported(answer, ["1", "3", "5", "7", "10"])
    assert (found.faithfulness, found.coverage, found.invalid_refs) == (2 / 3, 2 / 5, ("99",))


@pytest.mark.parametrize(
    ("answer", "ids", "state", "validity", "coverage"),
    [
        ("A [1].", ["a", "b"], "cited", 1.0, 0.5),
        ("A [1][9].", ["a", "b"], "cited", 0.5, 0.5),
        ("A [9].", ["a", "b"], "cited", 0.0, 0.0),
        ("A.", ["a", "b"], "uncited", NAN, 0.0),
        ("A [1].", [], "cited", 0.0, NAN),
        ("A (1).", ["a", "b"], "format broken", NAN, 0.0),
        ("A [1", ["a", "b"], "format broken", NAN, 0.0),
        ("", ["a"], "empty", NAN, NAN),
        ("  \n", ["a"], "empty", NAN, NAN),
        (None, ["a"], "missing", NAN, NAN),
        ("I cannot find this in the documents.", ["a"], "abstained", NAN, NAN),
        ("I cannot find this in the documents [1].", ["a"], "cited", 1.0, 1.0),
        ("The drug was not found to raise mortality [1].", ["a"], "cited", 1.0, 1.0),
        ("A [1].", ["d1", "d1"], "cited", 1.0, 1.0),
    ],
)
def test_what_is_undefined_is_no_number(answer, ids, state, validity, coverage):
    found = reported(answer, ids)
    assert found.state == state
    assert found.citation_validity == pytest.approx(validity, nan_ok=True)
    assert found.context_coverage == pytest.approx(coverage, nan_ok=True)


@pytest.mark.parametrize(
    "answer",
    [
        "None of the documents covers this.",
        "There is nothing about this in the context.",
        "The documents given do not answer this question.",
        "I don’t know.",
        "I'm sorry, but the context does not mention it. Ask the support.",
        "Not enough information.",
        "Das kann ich nicht beantworten.",
        "Die Dokumente enthalten keine Angaben dazu.",
        "Je ne sais pas.",
        "No puedo responder a eso.",
        "我不知道。",
    ],
)
def test_an_answer_that_declines_is_an_abstention(answer):
    assert reported(answer, ["a"]).state == "abstained"


@pytest.mark.parametrize(
    "answer",
    [
        "The drug was not found to raise mortality.",
        "Returns are free. None of the shops charges for it.",
        "It does not rain. It snows. It hails. It storms. The documents do not mention why.",
        "The function returns None.",
    ],
)
def test_a_denial_about_the_world_is_an_answer(answer):
    assert reported(answer, ["a"]).state == "uncited"


def test_judgements_say_what_was_cited():
    # context a b c; relevant: a, c and z (not in the context); cited: a (relevant), b (irrelevant)
    found = reported("A [1]. B [2]. C.", ["a", "b", "c"], {"a": 1, "b": 0, "c": 2, "z": 1})
    assert found.relevant_context_coverage == 1 / 2
    assert found.cited_relevance == 1 / 2
    assert found.cited_recall == 1 / 3
    assert found.sentence_coverage == 2 / 3


def test_an_unjudged_document_is_neither_relevant_nor_irrelevant():
    found = reported("A [1]. B [2].", ["a", "b"], {"a": 1, "b": -1})
    assert found.cited_relevance == 1.0
    assert math.isnan(reported("A [1].", ["a"], None).cited_relevance)


def test_a_repeat_counts_within_a_sentence_only():
    # sentence 1 cites a twice: one of three valid citations is a repeat
    assert reported("A [1][1]. B [1].", ["a"]).duplicate_share == 1 / 3


def test_position_and_rank_of_citations():
    answer = "[2] 4567890123456789[3]"  # at 0 and 20 of 23 characters
    found = reported(answer, ["a", "b", "c"])
    assert found.citation_position == pytest.approx((0 + 20 / 23) / 2)
    assert found.cited_rank == 2.5


def test_answers_without_citations_do_not_raise_the_mean():
    # 40 answers cite nothing, 60 have 2 of 5 citations right: the textbook says .64, the truth about citations is .4
    cited = "A [1][2][7][8][9]."
    reports = [reported("Nothing cited here.", ["a", "b"])] * 40 + [reported(cited, ["a", "b"])] * 60
    found = summary(reports, np.random.default_rng(0), resamples=200)
    assert found.means["citation_faithfulness"].macro == pytest.approx(0.64)
    assert found.means["citation_validity"].macro == pytest.approx(0.4)
    assert found.means["citation_validity"].defined == 60
    assert found.means["citation_validity"].undefined == {"no citation": 40}
    assert found.uncited_share == 0.4


def test_macro_is_over_answers_and_micro_over_citations():
    reports = [reported("A [1].", ["a"]), reported("A [9][9][9].", ["a"])]
    validity = summary(reports, np.random.default_rng(0), resamples=200).means["citation_validity"]
    assert (validity.macro, validity.micro) == (0.5, 0.25)


def test_abstentions_are_counted_apart_from_answers_that_cite_nothing():
    reports = [reported("I don't know.", ["a"]), reported("So it is.", ["a"]), reported("So it is [1].", ["a"])]
    found = summary(reports, np.random.default_rng(0), resamples=200)
    assert found.uncited_share == 0.5
    assert found.means["abstained"].macro == pytest.approx(1 / 3)
    assert found.states == {"abstained": 1, "uncited": 1, "cited": 1}


def test_every_undefined_value_has_a_reason():
    reports = [reported(text, ids, {}) for text in (None, "", "I don't know.", "X.", "X [1]") for ids in ([], ["a"])]
    table = score_table([str(i) for i in range(len(reports))], reports)
    for name, row in zip(table.measures, table.values, strict=True):
        assert sum(table.undefined.get(name, {}).values()) == int(np.isnan(row).sum())


def test_an_interval_covers_the_mean_as_often_as_it_says():
    # the mean of 80 answers with validity 0 or 1 at 0.7, 300 times
    rng = np.random.default_rng(5)
    right, wrong = reported("A [1].", ["a"]), reported("A [9].", ["a"])
    covered = 0
    for _ in range(300):
        reports = [right if hit else wrong for hit in rng.random(80) < 0.7]
        interval = summary(reports, rng, resamples=400).means["citation_validity"].interval
        covered += interval.low <= 0.7 <= interval.high
    assert 0.90 <= covered / 300 <= 0.98


def test_one_answer_has_no_interval():
    found = summary([reported("A [1].", ["a"])], np.random.default_rng(0), resamples=200)
    assert found.means["citation_validity"].interval.low == -math.inf
