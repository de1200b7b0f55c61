"""Patterns in Python's syntax run in a process that can be ended."""

from __future__ import annotations

import time

import pytest

from pipeline.answers.python_engine import PythonPattern
from pipeline.citations import parse
from pipeline.errors import SettingError


def test_lookaround_is_read_on_request():
    pattern = PythonPattern(r"(?<=@)(?P<id>\w+)(?=;)")
    assert [one.doc_id for one in parse("x @a; y @b z", ["a", "b"], formats=pattern)] == ["a"]


def test_a_pattern_without_end_is_ended_in_one_line_and_works_again():
    pattern = PythonPattern(r"\[((?:\d+,?)+)\]", seconds=0.5)
    before = time.monotonic()
    with pytest.raises(SettingError, match=r"no result within 0\.5 s") as caught:
        pattern.places("[" + "1" * 60)
    assert time.monotonic() - before < 5
    assert "\n" not in str(caught.value)
    assert pattern.places("[1,2]") == [(0, 5, 1, 4)]


@pytest.mark.parametrize(("regex", "said"), [(r"(\d", "missing"), (r"(\d)(\d)", "2 groups"), ("", "0 characters")])
def test_a_pattern_that_cannot_be_used_is_named(regex, said):
    with pytest.raises(SettingError, match="citations pattern") as caught:
        PythonPattern(regex)
    assert said in str(caught.value)


def test_equal_patterns_are_equal_settings():
    assert PythonPattern(r"(a)") == PythonPattern(r"(a)")
