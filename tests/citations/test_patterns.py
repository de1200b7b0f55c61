"""Patterns of users' own: linear time, one line for what cannot be used."""

from __future__ import annotations

import time

import pytest

from pipeline.citations import Pattern, parse
from pipeline.citations.patterns import OVERLAP, WINDOW
from pipeline.errors import SettingError
from pipeline.harness import CITATION_PATTERNS, evaluate_with_pattern
from tests.citations.written import written

EVIL = [  # pattern, the text it is slow on
    (r"\[((?:\d+,?)+)\]", "[" + "1" * 100_000),
    (r"\[((?:\s*\w+\s*,?\s*)+)\]", "[" + "a" * 100_000 + "!"),
    (r"((?:a+)+)b", "a" * 100_000),
    (r"((?:a|a)*)b", "a" * 100_000),
    (r"((?:a|aa)+)c", "a" * 100_000),
    (r"((?:a*)*)b", "a" * 100_000),
    (r"((?:.*)*)x", "a" * 100_000),
    (r"((?:\w|\d)+)!", "1" * 100_000),
    (r"(x*)y|(?P<id>x)", "x" * 100_000),
    (r"(?P<id>.*?)z", "x" * 100_000),
    (r"\[(.*)\]", "[" * 100_000),
    (r"\[(.*?)\]", "[" * 100_000),
    (r"(\[+)\]", "[" * 100_000),
    (r"((?:\[\d+\])+)x", "[1]" * 33_000),
    (r"((?:a?){50}a{50})", "a" * 100_000),
    (r"((?:a{0,100}){0,10})b", "a" * 100_000),
    (r"([ab]*a[ab]{300})c", "ab" * 50_000),
    (r"((?:ab|a|b)*)c", "ab" * 50_000),
    (r"\s*(\d+)\s*,\s*$", "1 " * 50_000),
    (r"(\w+\s*)+:", "word " * 20_000),
    (r"^((?:\S+\s+)*)\S+$", "word " * 20_000),
    (r"(?:(?:(?:(\d+)*)*)*)*!", "1" * 100_000),
    (r"(\d*)", "a" * 100_000),
    (r"()", "a" * 100_000),
    (r"(a|b|c|d|e|f|g)*h", "abcdefg" * 14_000),
    (r"((?i)(?:[a-z]+[0-9]*)+)@", "ab12" * 25_000),
    (r"(\pL+)*!", "é" * 100_000),
    (r"\[(?P<id>[^\[\]]*)\]", "[a" * 50_000),
    (r"((?:\[[^\]]*\])*)$", "[a]" * 33_000 + "x"),
    (r"(.{1000})b", "a" * 100_000),
    (r"((?:.{0,1000}){0,100})b", "a" * 100_000),
    ("(" + "a?" * 240 + "a" * 10 + ")", "a" * 100_000),
]


@pytest.mark.parametrize(("regex", "text"), EVIL)
def test_an_evil_pattern_ends_within_two_seconds_with_a_result_or_one_line(regex, text):
    before = time.process_time()
    try:
        Pattern(regex).places(text)
    except SettingError as error:
        assert "\n" not in str(error)
    assert time.process_time() - before < 2.0


@pytest.mark.parametrize(
    ("regex", "said"),
    [
        (r"\[(\d+)", None),
        (r"(\d+)(\w+)", "2 groups and none is named id"),
        (r"\d+", "0 groups and none is named id"),
        (r"(\d+", "missing"),
        (r"(?=x)(\d+)", "engine: python"),
        (r"(\d)\1", "engine: python"),
        ("(" + "a" * 500 + ")", "502 characters, expected 1 to 500"),
        ("", "0 characters"),
        (r"(.{1000})b", "8007 steps a character"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_named_in_one_line(regex, said):
    if said is None:
        assert Pattern(regex).places("[1") == [(0, 2, 1, 2)]
        return
    with pytest.raises(SettingError, match="citations pattern") as caught:
        Pattern(regex)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", CITATION_PATTERNS)
def test_the_named_patterns_find_what_the_textbook_function_finds(name):
    answer = "A [1] B [doc_id 2] C [[ref:3]] D [fn:4] E [doc_id x_9] F [12]"
    ids = ["1", "2", "3", "4"]
    textbook = evaluate_with_pattern(answer, ids, name)
    ours = parse(answer, ids, formats=Pattern(CITATION_PATTERNS[name]), numbering="id")
    assert len(ours) == textbook.total_citations
    assert [one.cited for one in ours if one.resolution == "invalid"] == textbook.invalid_refs


def test_what_the_group_holds_may_be_a_list():
    assert written(parse("X {{kb-1, kb-2}}", ["kb-1", "kb-2"], formats=Pattern(r"\{\{(?P<id>[^{}]*)\}\}"))) == [
        "kb-1",
        "kb-2",
    ]


def test_a_pattern_of_ones_own_joins_the_formats():
    own = Pattern(r"<<(\w+)>>", "arrows")
    found = parse("A [1] B <<b>>", ["a", "b"], formats=("auto", own))
    assert [(one.format, one.doc_id) for one in found] == [("bracket_number", "a"), ("arrows", "b")]


def test_no_match_is_lost_between_windows():
    text = "".join(f"[{i:04d}] {'x' * (i % 23)}" for i in range(3000))
    assert len(text) > 4 * WINDOW
    places = Pattern(r"\[(\d+)\]").places(text)
    assert [text[place.id_start : place.id_end] for place in places] == [f"{i:04d}" for i in range(3000)]


def test_a_marker_as_long_as_the_overlap_is_found_wherever_it_stands():
    marker = "<" + "y" * (OVERLAP - 3) + ">"
    for before in range(WINDOW - OVERLAP - 5, WINDOW + 5, 97):
        text = "-" * before + marker + "-" * 2000
        assert [place.start for place in Pattern(r"<(y+)>").places(text)] == [before]
