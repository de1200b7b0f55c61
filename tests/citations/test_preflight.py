"""A look at answers before anything is scored."""

from __future__ import annotations

import pytest

from pipeline.citations import Pattern, Sample, Settings, context_of, preflight

FOUR = context_of(["a", "b", "c", "d"])


def looked(texts, settings=None, context=FOUR):
    return preflight([Sample(text, context, f"x:{i}") for i, text in enumerate(texts, 1)], settings or Settings())


def test_a_pattern_that_matches_nothing_names_the_format_that_would():
    # 72 of 80 answers hold [n], the pattern [^n] finds none of them
    found = looked(["So it is [1]."] * 72 + ["So it is."] * 8, Settings(("caret",)))
    assert (found.answers, found.matched, found.by_format) == (80, 0, {"bracket_number": 72})
    assert found.better == "bracket_number"
    assert "match 0 of 80 answers, but 72 hold bracket_number" in found.problem
    assert found.problem.endswith("set citations.formats=bracket_number")


def test_one_bracket_too_few_in_a_pattern_of_ones_own_is_found_out():
    found = looked(["So [[ref:a]]."] * 10, Settings((Pattern(r"\[\[\[ref:(\w+)\]\]"),)))
    assert found.better == "source_ref"
    assert found.problem


def test_formats_that_fit_say_nothing():
    found = looked(["So it is [1]."] * 9 + ["I don't know."])
    assert (found.problem, found.warnings, found.match_rate) == ("", (), 1.0)


def test_answers_that_cite_nothing_at_all_are_no_mismatch():
    found = looked(["So it is."] * 9, Settings(("caret",)))
    assert (found.problem, found.match_rate) == ("", 0.0)


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("So it is (1).", "paren_number"),
        ("So it is [doc: b].", "doc_id"),
        ("So it is <ref b>.", "source_ref"),
        ("So it is fn 3.", "footnote"),
        ("So it is {2}.", "bracket_number"),
        ("So `[1]` it is.", "code"),
    ],
)
def test_what_nearly_is_a_citation_is_shown_with_its_place(text, like):
    found = looked([text] * 5)
    assert found.near.get(like, found.by_format.get(like)) == 5
    assert found.problem or found.warnings


def test_prose_in_brackets_is_no_near_miss():
    found = looked(["A word (see below) of 5 (five) things [sic] {maybe} f(1) and <b>bold</b>."] * 9)
    assert found.near == {}


def test_most_answers_missed_is_a_warning():
    found = looked(["A [^1]."] * 5 + ["A [1]."] * 15, Settings(("caret",)))
    assert (found.matched, found.problem) == (5, "")
    assert found.warnings == ("5 of 20 answers match, 20 hold citations: citations.formats=auto",)


def test_numbers_that_may_be_ids_or_places_end_the_run():
    found = looked(["A [3]."] * 4, context=context_of(["1", "3", "5"]))
    assert found.conflicts == 4
    assert found.problem.startswith("x:1: numbers may be ids or places")
    assert looked(["A [3]."], Settings(numbering="id"), context_of(["1", "3", "5"])).problem == ""
