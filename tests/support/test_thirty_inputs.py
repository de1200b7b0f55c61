"""The inputs about support and judges that other tools got wrong, with what is right."""

from __future__ import annotations

import math

import pytest

from pipeline.citations import context_of, read
from pipeline.support import check, cited_support, claim_of, source_of, support, verdicts
from pipeline.support.answers import CitedSentence

POPULATION = "In 2020 the population of France was 67 million people, living in 36,000 communes."


def score(claim: str, text: str) -> float:
    return support(claim_of(claim), source_of(text)).score


# --- 18: no context, an empty context, an answer that has nothing to do with it -------------------------------------


def test_18_without_a_context_support_is_undefined():
    sentence = CitedSentence("Lei Qiang", ("d1",))
    assert math.isnan(cited_support(check([sentence], {})))


def test_18_an_empty_context_supports_nothing():
    sentence = CitedSentence("Lei Qiang", ("d1",))
    assert cited_support(check([sentence], {"d1": source_of("")})) == 0.0


@pytest.mark.parametrize("claim", ["Lei Qiang", "Photosynthesis happens in chloroplasts."])
def test_18_an_unrelated_answer_is_not_supported(claim):
    assert score(claim, POPULATION) == 0.0


# --- 19 to 21: what a judge says -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "statements", "share"),
    [
        ("1. Yes. 2. Yes.", 2, 1.0),  # 19
        ("Yes, No, Yes", 3, 2 / 3),  # 19
        ("No, it never says yes.", 1, 0.0),  # 19
        ("yes.", 1, 1.0),  # 21
        ("YES!", 1, 1.0),  # 21
        ("yes<eos>", 1, 1.0),  # 21
        ("No, as of yesterday", 1, 0.0),  # 21
    ],
)
def test_19_21_a_verdict_is_read_as_it_was_meant(reply, statements, share):
    said = verdicts(reply, statements)
    assert said.share == pytest.approx(share)
    assert said.error == ""


def test_20_three_verdicts_for_five_statements_are_undefined_and_never_supported():
    said = verdicts("1. Yes. 2. Yes. 3. Yes.", 5)
    assert math.isnan(said.share)
    assert said.error == "3 verdicts for 5 statements"
    assert said.head == "1. Yes. 2. Yes. 3. Yes."


@pytest.mark.parametrize("reply", ["-1", "1. -1 2. -5", '{"verdicts": [-1, -1]}'])
def test_20_a_share_is_never_negative(reply):
    assert math.isnan(verdicts(reply, 2).share)


@pytest.mark.parametrize("word", ["yes.", "YES!", "yes<eos>", " Yes ", "**yes**"])
def test_21_score_and_reason_come_from_one_classifier(word):
    said = verdicts(f"1. {word} 2. no", 2)
    assert said.share == 0.5
    assert said.reason == "1 of 2 statements supported; not supported: 2"


@pytest.mark.parametrize("reply", ["perhaps", "idk", "Partially.", "yes and no", "yesterday"])
def test_21_an_unknown_verdict_is_invalid(reply):
    said = verdicts(reply, 1)
    assert math.isnan(said.share)
    assert said.error


# --- 22: the JSON of a judge -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "repaired"),
    [
        ('```json\n{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}\n```', False),  # fenced
        ("{'verdicts': [{'verdict': 'yes'}, {'verdict': 'no'}]}", True),  # single-quoted
        ('{"verdicts": ["yes", "no"]}\nI hope this helps!', False),  # trailing prose
        ('{"verdicts": [{"verdict": "yes"}, {"verdict": "no", "reason": "the text spea', True),  # truncated
    ],
)
def test_22_json_of_a_judge_is_repaired(reply, repaired):
    said = verdicts(reply, 2)
    assert said.found == ("yes", "no")
    assert said.repaired is repaired


@pytest.mark.parametrize(
    "reply", ['{"verdicts": [{"verdict": "yes"}, {"ver', '{"verdicts": }', "{broken", '{"a": "b"}']
)
def test_22_json_beyond_repair_is_an_error_with_its_head_kept(reply):
    said = verdicts(reply, 2)
    assert math.isnan(said.share)
    assert said.error
    assert said.head == reply


# --- 23 and 24: long contexts ----------------------------------------------------------------------------------------

FILLER = "The committee met again in spring and adjourned without a vote on the agenda. "
OFF_TOPIC = "Glaciers store most of the fresh water on Earth."


@pytest.mark.parametrize("characters", [0, 2_080, 50_000])
@pytest.mark.parametrize("supported", [True, False])
def test_23_the_length_of_the_context_changes_no_verdict(characters, supported):
    around = FILLER * (characters // len(FILLER))
    said = "Glaciers store most of the fresh water on Earth" if supported else "Rivers flow to the sea"
    value = score(OFF_TOPIC, f"{around}{said}. {around}")
    assert value == (1.0 if supported else 0.0)


def test_23_an_answer_is_never_cut():
    words = [f"word{n}" for n in range(500)]
    claim = " ".join(words)
    assert score(claim, claim) == 1.0
    assert score(claim, " ".join(words[:250])) == pytest.approx((250 / 500 + 249 / 499) / 2)


def test_24_words_scattered_over_a_long_page_support_nothing():
    # Each of the claim's six content words stands in the page, far from the others: one of six in any window.
    claim = "Glaciers store most fresh water on Earth, scientists say."
    words = ["Glaciers", "store", "fresh", "water", "Earth", "scientists", "say"]
    page = "".join(f"{word} {FILLER * 10}" for word in words)
    assert score(claim, page) == pytest.approx(1 / 7 / 2)  # "most" is a function word


# --- 26: numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "text", "supported"),
    [
        ("The population was 69 million.", POPULATION, False),
        ("The population was 67 million.", POPULATION, True),
        ("The hotel has **999** rooms.", "The hotel has 998 rooms.", False),
        ("The hotel has **999** rooms.", "The hotel has 999 rooms.", True),
        ("The hotel has 999 rooms.", "The hotel has **999** rooms.", True),
        ("Pi is 3.14.", "Pi is 3.14.", True),
        ("Pi is 3.14.", "Pi is 3.15.", False),
        ("Pi is 3.14.", "Pi is 3, or 14.", False),
    ],
)
def test_26_a_number_must_stand_in_the_source(claim, text, supported):
    value = score(claim, text)
    assert value > 0.3 if supported else value == 0.0


@pytest.mark.parametrize("answer", ["Pi is 3.14 [1].", "As e.g. Smith says [1].", "It is in the U.S. [1]"])
def test_26_no_sentence_is_split_at_the_dot_of_a_number_or_an_abbreviation(answer):
    assert len(read(answer, context_of(["d1"])).sentences) == 1
