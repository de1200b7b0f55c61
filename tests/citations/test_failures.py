"""What went wrong, retrieval and citations apart and joined."""

from __future__ import annotations

import pytest

from pipeline.citations import context_of, failure_table, failures_of, ranked, report

GRADES = {"a": 1, "b": 0, "z": 2}


def of(answer, context, grades=GRADES, retrieved=None):
    return failures_of(
        report(answer, context_of(context), grades=grades), context=context, grades=grades, retrieved=retrieved
    )


@pytest.mark.parametrize(
    ("answer", "context", "retrieved", "names"),
    [
        ("A [1].", ["a", "b"], ["a", "b", "c"], ()),
        ("A [1].", ["b", "c"], ["b", "c"], ("not retrieved", "cited irrelevant")),
        ("A [2].", ["b", "c"], ["b", "c", "z"], ("not in context",)),
        ("A [2].", ["a", "b"], None, ("not cited", "cited irrelevant")),
        ("A [1][2].", ["a", "b"], None, ("cited irrelevant",)),
        ("A [1][9].", ["a", "b"], None, ("fabricated id",)),
        ("A [9].", ["a", "b"], None, ("not cited", "fabricated id")),
        ("A.", ["a", "b"], None, ("nothing cited",)),
        ("A (1).", ["a", "b"], None, ("format broken",)),
        ("I don't know.", ["a", "b"], None, ("abstained",)),
        ("I don't know.", ["b", "c"], None, ("not retrieved",)),
        ("", ["a"], None, ("no answer",)),
        (None, ["a"], None, ("no answer",)),
    ],
)
def test_the_failures_of_an_answer(answer, context, retrieved, names):
    assert of(answer, context, retrieved=retrieved).names == names


def test_a_number_that_may_mean_two_documents_is_a_failure_of_its_own():
    assert of("A [3].", ["1", "3", "5"], grades=None).names == ("ambiguous id",)


def test_without_judgements_only_citations_fail():
    assert of("A [9].", ["a"], grades=None).names == ("fabricated id",)


def test_a_question_without_an_answer_may_be_declined():
    declined = of("I don't know.", ["b"], grades={"b": 0})
    assert (declined.names, declined.retrieval, declined.citations_good) == ((), "nothing to find", True)


def test_retrieval_and_citations_are_kept_apart():
    # bad retrieval with good citations, good retrieval with bad ones, both good, both bad
    rows = [of("A [1].", ["c"]), of("A [9].", ["a"]), of("A [1].", ["a"]), of("A [9].", ["c"])]
    assert failure_table(rows).fields == {
        ("bad", "good"): 1,
        ("good", "bad"): 1,
        ("good", "good"): 1,
        ("bad", "bad"): 1,
    }


def test_a_table_counts_every_failure_and_one_cause_an_answer():
    table = failure_table([of("A [2].", ["a", "b"]), of("A [1].", ["a"]), of("A.", ["a"])])
    assert {name: n for name, n in table.counts.items() if n} == {
        "not cited": 1,
        "cited irrelevant": 1,
        "nothing cited": 1,
    }
    assert {name: n for name, n in table.causes.items() if n} == {"not cited": 1, "nothing cited": 1}
    assert sum(table.causes.values()) + table.clean == table.answers


def test_configurations_are_ranked_by_answers_without_failure():
    good, bad = failure_table([of("A [1].", ["a"])]), failure_table([of("A.", ["a"])])
    assert ranked({"x": bad, "y": good, "a": bad}) == ("y", "a", "x")
