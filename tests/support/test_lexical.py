"""Support of a sentence by a text."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.support import best_support, check, cited_support, claim_of, source_of, support
from pipeline.support.answers import CitedSentence, without
from pipeline.support.lexical import WINDOW

TEXT = st.text(st.sampled_from("ab cd. 15,0%-$km\n甲乙هذاम्й'*"), max_size=80) | st.text(max_size=80)
VOCABULARY = ["red", "green", "blue", "5", "7", "5,000", "km", "million", "%", "the", "not", "March", "2020"]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=30)
PROSE = WORDS.map(" ".join) | TEXT


def found(claim: str, text: str, language: str = "en"):
    return support(claim_of(claim, language), source_of(text, language))


@pytest.mark.parametrize(
    ("claim", "text", "value"),
    [
        # words cat, sat, mat: 3 of 3; pairs (cat sat), (sat mat): 2 of 2
        ("The cat sat on the mat.", "Yes, the cat sat on a mat.", 1.0),
        # words 3 of 3; pairs: mat cat, cat sat -> (cat sat) alone
        ("The cat sat on the mat.", "On the mat the cat sat.", (1 + 1 / 2) / 2),
        # words 1 of 3; no pair
        ("The cat sat on the mat.", "A dog sat.", (1 / 3) / 2),
        ("The cat sat on the mat.", "A dog ran.", 0.0),
        # one content word: no pairs
        ("It is Paris.", "Paris!", 1.0),
        # plurals and possessives
        ("Cats' cities", "The cat's city", 1.0),
        # "not" is a word like others: words 2 of 3, pairs 0 of 2
        ("Paris is not big", "Paris is big", (2 / 3) / 2),
        ("Paris is big", "", 0.0),
        # a character is a word: 天气很好 in 今天天气很好, all of four, three pairs
        ("天气很好", "今天天气很好。", 1.0),
        ("天气不好", "今天天气很好。", (3 / 4 + 1 / 3) / 2),
        ("الطقس جميل اليوم", "الطقس جميل اليوم.", 1.0),
        ("الطَّقس جميل", "الطقس جميل", 1.0),
        ("서울은 크다", "서울이 크다", (4 / 5 + 2 / 4) / 2),
        ("हिन्दी भाषा", "हिन्दी भाषा", 1.0),
        ("ＡＢＣ tower", "abc Tower", 1.0),
    ],
)
def test_support_is_the_share_of_words_and_pairs_in_the_best_window(claim, text, value):
    assert found(claim, text).score == pytest.approx(value)


@pytest.mark.parametrize("claim", ["", "   ", "It is.", "…", "!?"])
def test_a_sentence_that_says_nothing_has_no_support(claim):
    assert math.isnan(found(claim, "anything at all").score)


@pytest.mark.parametrize("text", ["甲乙丙丁", "ประเทศไทย", "สวัสดี", "ދިވެހި", "እንዴት ነህ", "ελληνικά", "кириллица", "עברית"])
def test_no_script_vanishes(text):
    assert found(text, text).score == 1.0
    assert found(text, "other words").score == 0.0


def test_the_place_in_the_source_is_told():
    text = "Long ago nothing was known. The tower opened in 1889. It rained."
    one = found("The tower opened in 1889.", text)
    assert text[one.start : one.end].startswith("tower opened in 1889")


def test_function_words_are_those_of_the_language():
    assert found("Die Katze ist auf dem Dach", "Katze Dach", "de").score == 1.0
    assert found("die", "die", "en").score == 1.0
    with pytest.raises(SettingError, match="known are de, en"):
        claim_of("x", "tlh")


def test_the_best_of_several_documents_counts_each_by_itself():
    claim = claim_of("red apples grow")
    one = best_support(claim, [source_of("red"), source_of("red apples grow"), source_of("grow")])
    assert one is not None
    assert one.score == 1.0
    halves = best_support(claim, [source_of("red apples"), source_of("grow")])
    assert halves is not None
    assert halves.score == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert best_support(claim, []) is None


def test_an_answer_is_the_mean_of_its_sentences_that_could_be_checked():
    texts = {"a": source_of("red apples"), "b": source_of("blue")}
    checked = check(
        [
            CitedSentence("Red apples.", ("a", "b")),  # 1.0
            CitedSentence("Green pears.", ("b",)),  # 0.0
            CitedSentence("Blue.", ("gone",)),  # its document has no text
            CitedSentence("It is.", ("a",)),  # says nothing
        ],
        texts,
    )
    assert [one.support and one.support.score for one in checked] == [1.0, 0.0, None, None]
    assert cited_support(checked) == 0.5


def test_markers_are_taken_out():
    assert without("A [1] is [2].", [(10 - 1, 12), (2, 5)]) == "A   is  ."
    assert without("abc", []) == "abc"


@settings(max_examples=300, deadline=None)
@given(claim=PROSE, text=PROSE)
def test_support_lies_between_0_and_1_and_never_above_the_overlap(claim, text):
    one = found(claim, text)
    assert math.isnan(one.score) or 0 <= one.score <= one.overlap <= 1
    assert 0 <= one.start <= one.end <= len(text)


@settings(max_examples=300, deadline=None)
@given(text=PROSE)
def test_a_sentence_supports_itself(text):
    one = found(text, text)
    assert math.isnan(one.score) or one.score == 1.0


@given(text=PROSE)
def test_an_empty_text_supports_nothing(text):
    one = found(text, "")
    assert math.isnan(one.score) or one.score == 0.0


@settings(max_examples=300, deadline=None)
@given(claim=PROSE, text=PROSE, before=PROSE, after=PROSE)
def test_a_source_that_grows_by_paragraphs_never_supports_less(claim, text, before, after):
    # Paragraphs, because a number that comes next to another is read anew: "5" and "5 million".
    grown = found(claim, f"{before}.\n\n{text}\n\n.{after}")
    alone = found(claim, text)
    assert math.isnan(alone.score) or grown.score >= alone.score - 1e-12


@settings(max_examples=200, deadline=None)
@given(claim=WORDS, text=WORDS.map(lambda words: words * 4), window=st.integers(1, 12))
def test_the_fast_window_agrees_with_the_slow_definition(claim, text, window):
    asked, source = claim_of(" ".join(claim)), source_of(" ".join(text))
    size = max(window, 2 * asked.terms)
    best = 0.0
    for start in range(len(source.terms)):
        held = source.terms[start : start + size]
        words = [one.text for one in held]
        if asked.words and all(any(one.offers & demand.wants for one in held) for demand in asked.demands):
            share = len(asked.words & set(words)) / len(asked.words)
            pairs = len(asked.pairs & set(pairwise(words)))
            best = max(best, (share + pairs / len(asked.pairs)) / 2 if asked.pairs else share)
    score = support(asked, source, window).score
    assert math.isnan(score) if not asked.words else score == pytest.approx(best)


@pytest.mark.parametrize(
    "text",
    [
        "a b " * 25_000,
        "5 " * 25_000,
        "5 million " * 10_000,
        "1,0" * 30_000,
        "甲" * 50_000,
        "-" * 100_000,
        " " * 100_000,
    ],
)
def test_time_is_linear_in_texts_made_to_be_slow(text):
    begin = time.process_time()
    found("a b a b 5 million 5 1,000 甲 乙", text)
    found(text[:20_000], text)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    ("between", "value"),
    [
        ("x x", (2 / 2 + 0) / 2),  # red x x blue: four terms, the whole window
        ("x x x", (1 / 2 + 0) / 2),  # five terms: one of the two words at a time
    ],
)
def test_a_window_holds_so_many_terms_and_no_more(between, value):
    assert support(claim_of("red blue"), source_of(f"red {between} blue"), window=4).score == value


def test_a_window_is_some_three_sentences():
    assert WINDOW == 40
