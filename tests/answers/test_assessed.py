"""What others say of an answer: scores that came with it, and right answers it is held against."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.answers.measures import Case, answer_table, beside, names
from pipeline.answers.precomputed import Precomputed, join, with_all
from pipeline.answers.reading import cited
from pipeline.answers.rows import answer_of
from pipeline.answers.squad import exact, f1
from pipeline.citations import Settings, of_answers
from pipeline.errors import DataError
from pipeline.records import ScoreTable
from tests.answers.test_precomputed import answers_of, dataset


def row(**more) -> dict[str, object]:
    return {"answer": "A [1].", "context": ["a"], **more}


def read(*rows):
    answers = [answer_of(json.dumps({"id": i, **one}), f"a.jsonl:{i}", i) for i, one in enumerate(rows, 1)]
    return [Case(one, cited(one, Settings())) for one in answers]


def table(*rows) -> ScoreTable:
    cases = read(*rows)
    return answer_table(cases, beside([case.answer for case in cases]))


def values(found: ScoreTable, measure: str) -> list[float | None]:
    return [None if math.isnan(value) else value for value in found.values[found.measures.index(measure)].tolist()]


# --- the line ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"scores": {"support": 4}}, "score 'support' is 4, expected a number from 0 to 1, or null"),
        ({"scores": {"support": -0.1}}, "score 'support' is -0.1, expected a number from 0 to 1, or null"),
        ({"scores": {"support": "0.5"}}, "score 'support' is \"0.5\", expected a number from 0 to 1, or null"),
        ({"scores": [0.5]}, "'scores' is [0.5], expected an object, as {\"support\": 0.8}"),
        ({"scores": {"Support": 1}}, 'score "Support": expected a name of a-z, 0-9 and _, at most 40 characters'),
        ({"scores": {"f1": 1}}, "score 'f1': answer_f1 is computed from 'reference'; give it another name"),
        ({"scores": {"coverage": 1}}, "answer_coverage is that of questions without an answer"),
        ({"reference": 3}, "'reference' is 3, expected a text or a list of texts; null = none"),
        ({"reference": ["a", None]}, "'reference' is [\"a\", null], expected a text or a list of texts; null = none"),
        ({"reference": " "}, "'reference' is \" \", expected a text or a list of texts; null = none"),
    ],
)
def test_what_cannot_be_used_ends_in_one_line_with_its_place(field, said):
    with pytest.raises(DataError) as error:
        read(row(**field))
    assert str(error.value).startswith("a.jsonl:1: ") and said in str(error.value)
    assert "\n" not in str(error.value)


def test_nan_is_no_score():
    with pytest.raises(DataError, match="NaN is not JSON"):
        answer_of('{"answer": "A", "context": [], "scores": {"support": NaN}}', "a.jsonl:1", 1)


# --- scores that came along ----------------------------------------------------------------------------------------


def test_scores_become_measures_and_what_is_missing_is_counted_never_zero():
    found = table(
        row(scores={"support": 0.8, "correct": True}),
        row(scores={"support": None, "correct": False}),
        row(scores={"support": 0}),
        row(),
    )
    assert found.measures[-2:] == ("answer_correct", "answer_support")
    assert values(found, "answer_support") == [0.8, None, 0.0, None]
    assert values(found, "answer_correct") == [1.0, 0.0, None, None]
    assert found.undefined["answer_support"] == {"undecided": 1, "not scored": 1}
    assert found.undefined["answer_correct"] == {"not scored": 2}


def test_the_names_known_before_a_run_are_those_of_its_table():
    cases = read(row(scores={"b": 1}), row(scores={"a": 0}, reference="A"))
    answers = [case.answer for case in cases]
    assert answer_table(cases, beside(answers)).measures == names(answers)
    assert names(answers)[-4:] == ("answer_a", "answer_b", "answer_f1", "answer_exact")
    assert all(map(of_answers, names(answers))) and not of_answers("nDCG@10")


def test_a_file_without_scores_brings_citations_alone(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row(query_id="q1")) + "\n", "utf-8")
    assert not [name for name in Precomputed(str(path)).measures(dataset()) if name.startswith("answer_")]


def test_experiments_of_one_sweep_have_the_same_measures_in_the_same_order():
    one = ScoreTable(("nDCG@10", "answer_b"), ("q1", "q2"), np.array([[1.0, 0.5], [0.25, 0.75]]))
    found = with_all(one, ("answer_a", "answer_b"))
    assert found.measures == ("nDCG@10", "answer_a", "answer_b")
    assert found.values[[0, 2]].tolist() == one.values.tolist() and np.isnan(found.values[1]).all()
    assert found.undefined["answer_a"] == {"no answer has it": 2}


# --- right answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "references", "overlap", "same"),
    [
        # lower case, punctuation and articles gone: eiffel tower = eiffel tower
        ("The Eiffel Tower.", ["eiffel tower"], 1, 1),
        # paris is capital of france (5 words) against paris (1): precision 1/5, recall 1, F1 = 2/6
        ("Paris is the capital of France", ["Paris"], 1 / 3, 0),
        # shared with repeats: dog once, cat once = 2; precision 2/3, recall 2/3
        ("dog dog cat", ["dog cat cat"], 2 / 3, 0),
        # the better of both: 1962 alone is 2 · 1 / (2 + 1), in 1962 is all of it
        ("in 1962", ["1962", "In 1962!"], 1, 1),
        # punctuation goes without a blank in its place: u.s. is us, state-of-the-art is one word
        ("U.S. state-of-the-art", ["us stateoftheart"], 1, 1),
        ("no word in common", ["something else"], 0, 0),
        # an article alone has no words; neither has the other side
        ("The", ["a"], 1, 1),
        ("", ["Paris"], 0, 0),
    ],
)
def test_words_are_compared_as_squad_does(answer, references, overlap, same):
    assert f1(answer, references) == pytest.approx(overlap, abs=1e-12)
    assert exact(answer, references) == same


def slow_f1(answer: list[str], reference: list[str]) -> float:
    """By precision and recall, each word of the reference used up once."""
    left, shared = list(reference), 0
    for word in answer:
        if word in left:
            left.remove(word)
            shared += 1
    if not shared:
        return float(not answer and not reference)
    precision, recall = shared / len(answer), shared / len(reference)
    return 2 * precision * recall / (precision + recall)


WORDS = st.lists(st.sampled_from(["red", "green", "blue"]), max_size=6)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_f1_is_the_best_harmonic_mean_of_precision_and_recall(answer, references):
    slow = max(slow_f1(answer, one) for one in references)
    assert f1(" ".join(answer), [" ".join(one) for one in references]) == pytest.approx(slow, abs=1e-12)


def test_citation_marks_are_no_words_of_the_answer():
    found = table(
        row(answer="Paris [1].", reference="Paris"),
        row(answer="Paris [a][9], in the north [1].", reference=["Paris in north", "Rome"]),
    )
    assert values(found, "answer_exact") == [1.0, 1.0]


def test_a_citation_that_covers_what_it_supports_stays_in_the_answer():
    cohere = {"provider": "cohere", "citations": [{"start": 0, "end": 5, "text": "Paris", "document_ids": ["a"]}]}
    assert values(table(row(answer="Paris.", reference="Paris", **cohere)), "answer_exact") == [1.0]


def test_no_answer_shares_nothing_and_no_reference_is_undefined():
    # SQuAD scores an unanswered question 0
    found = table(row(answer=None, reference="Paris"), row(answer="", reference="Paris"), row(answer="Paris"))
    assert values(found, "answer_f1") == [0.0, 0.0, None]
    assert found.undefined["answer_f1"] == {"no reference": 1}


def test_the_right_answers_of_a_query_hold_where_its_line_has_none(tmp_path):
    data = dataset()
    data = replace(data, queries=replace(data.queries, references=(("Paris",), (), ("Oslo", "Bern"))))
    rows = [
        {"query_id": "q1", "answer": "Paris [1].", "context": ["a"]},
        {"query_id": "q2", "answer": "Paris [1].", "context": ["a"]},
        {"query_id": "q3", "answer": "Rome [1].", "context": ["a"], "reference": "Rome"},
    ]
    answers = answers_of(tmp_path, *rows)
    found = join(answers, data, Settings()).table
    assert values(found, "answer_exact") == [1.0, None, 1.0]
    assert found.undefined["answer_exact"] == {"no reference": 1}
    path = str(tmp_path / "answers.jsonl")
    assert "answer_f1" in Precomputed(path).measures(data)
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]), "utf-8")
    assert "answer_f1" in Precomputed(path).measures(data) and "answer_f1" not in Precomputed(path).measures(dataset())
