from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pipeline.report.text import clean, duration, fit, fit_end, labelled, left, probability, right, sentences


@given(st.text(max_size=60) | st.text("a日本語é", max_size=60), st.integers(1, 40))
def test_cells_have_exactly_the_width_asked_for(text, width):
    shown = clean(text)
    assert cell_len(left(shown, width)) == width
    assert cell_len(right(shown, width)) == width
    assert cell_len(fit(shown, width)) <= width
    assert cell_len(fit_end(shown, width)) <= width


def test_cutting_keeps_both_ends():
    assert fit("hybrid-multilingual-e5-large-512", 16) == "hybrid-m…rge-512"


def test_text_that_fits_is_left_alone():
    assert fit("bm25-512", 8) == "bm25-512"


@given(st.text(max_size=400))
def test_wrapped_text_loses_no_character(text):
    lines = labelled("", text, 0)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


def test_a_link_is_never_broken():
    link = "http://127.0.0.1:5000/#/experiments/3/runs?" + "x" * 90
    assert labelled("MLflow", link) == ["MLflow", f"  {link}"]


@pytest.mark.parametrize(
    "seconds, shown", [(0.44, "0.4 s"), (41.2, "41 s"), (59.6, "1 min 00 s"), (161, "2 min 41 s"), (3720, "1 h 02 min")]
)
def test_durations(seconds, shown):
    assert duration(seconds) == shown


def test_an_undefined_p_is_a_dash():
    assert probability(float("nan")) == "-"


def test_lines_wrapped_for_the_terminal_are_whole_sentences_on_a_page():
    # A page showed `(expected gain` and `about 0.13).` as two paragraphs.
    lines = ("Ship a over b: +0.1 nDCG@10 (expected gain", "about 0.1).", "256 or 512?", "Nobody knows.")
    assert sentences(lines) == [
        "Ship a over b: +0.1 nDCG@10 (expected gain about 0.1).",
        "256 or 512?",
        "Nobody knows.",
    ]
