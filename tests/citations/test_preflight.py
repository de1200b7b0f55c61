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


def test_citations_missed_in_answers_that_match_name_the_format_to_add():
    found = looked(["A [1] and B (2)."] * 10)
    assert (found.matched, found.problem) == (10, "")
    assert found.warnings == (
        "10 of 10 answers also hold paren_number, as (1), which is not read: add paren_number to citations.formats",
    )
    assert looked(["A [1] and B (2)."] * 10, Settings(("auto", "paren_number"))).warnings == ()


def test_a_format_that_few_answers_hold_besides_is_not_worth_a_warning():
    assert looked(["A [1]."] * 10 + ["A [1] and B (2)."]).warnings == ()


def test_numbers_of_an_enumeration_are_no_missed_citations():
    assert looked(["There are (1) rain and (2) snow [1]."] * 10).warnings == ()


def test_ids_in_plain_prose_name_the_format_that_reads_them():
    context = context_of(["kb-1", "kb-2"])
    found = looked(["As kb-1 shows, it rains."] * 9 + ["It rains."], context=context)
    assert (found.matched, found.better) == (0, "bare_id")
    assert found.problem.endswith("set citations.formats=bare_id")
    also = looked(["As kb-1 shows, it rains [2]."] * 9, context=context)
    assert [warning.rpartition(": ")[2] for warning in also.warnings] == ["add bare_id to citations.formats"]
    assert looked(["As kb-1 shows, it rains."] * 9, Settings(("auto", "bare_id")), context).match_rate == 1.0


def test_answers_that_cite_in_a_reference_list_alone_are_told():
    found = looked(["It rains.\n\nSources:\n[1] a\n[2] b"] * 5)
    assert (found.matched, found.problem) == (0, "")
    assert found.warnings == ("5 of 5 answers cite nothing: they only have a reference list at the end",)


def test_numbers_that_may_be_ids_or_places_end_the_run():
    found = looked(["A [3]."] * 4, context=context_of(["1", "3", "5"]))
    assert found.conflicts == 4
    assert found.problem.startswith("x:1: numbers may be ids or places")
    assert looked(["A [3]."], Settings(numbering="id"), context_of(["1", "3", "5"])).problem == ""
