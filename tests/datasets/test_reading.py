"""The small readers: dates, near misses, HTML, headings, passages, tables, judge sheets."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.datasets.dates import parse_date
from pipeline.datasets.documents import first_heading, front_matter
from pipeline.datasets.html_text import page
from pipeline.datasets.judge_sheet import JudgeRow, read_cell, write_cell, write_judge_sheet
from pipeline.datasets.judgement_files import read_judgements
from pipeline.datasets.near_misses import NearMiss, near_misses
from pipeline.datasets.passages import Passages, Place
from pipeline.datasets.raw import RawDocument

DATES = {
    "1958-12-01": "1958-12-01T00:00:00",
    "1958": "1958-01-01T00:00:00",
    "1958-12": "1958-12-01T00:00:00",
    "1958/2/3": "1958-02-03T00:00:00",
    "20200102": "2020-01-02T00:00:00",
    " 2020-01-02T03:04:05Z ": "2020-01-02T03:04:05",
    "2020-01-02 03:04:05.9": "2020-01-02T03:04:05",
    "2020-01-02T03:04:05+02:00": "2020-01-02T01:04:05",
    "1600000000": "2020-09-13T12:26:40",
    "1600000000000": "2020-09-13T12:26:40",
    "1600000000.7": "2020-09-13T12:26:40",
    "-86400": "1969-12-31T00:00:00",
}


@pytest.mark.parametrize("text", DATES)
def test_dates_are_read_as_people_write_them(text):
    assert parse_date(text) == np.datetime64(DATES[text], "s")


@pytest.mark.parametrize(
    "text", ["", "soon", "2020-13-01", "2020-02-30", "12", "1e9", "9" * 40, "true", "0001-01-01T00:00+14:00"]
)
def test_anything_else_is_no_date(text):
    with pytest.raises(ValueError):
        parse_date(text)


@pytest.mark.parametrize(
    ("theirs", "ours", "way"),
    [
        ("CACM-756", "CACM-0756", "zero padding"),
        ("abc", "ABC", "case"),
        ("a ", "a", "blanks"),
        ("cafe\u0301", "caf\u00e9", "Unicode form"),
        ("12.0", "12", "a trailing .0"),
        ("A 1", "a01", "several of case, blanks, zero padding"),
    ],
)
def test_near_misses_are_found_and_named(theirs, ours, way):
    assert near_misses([theirs, "else"], [ours, "other"]) == [NearMiss(theirs, ours, way)]


def test_an_id_near_two_known_ones_is_no_near_miss():
    assert near_misses(["A"], ["a", " a"]) == []
    assert near_misses(["x", "0"], ["y", "1"]) == []


def test_html_becomes_what_a_reader_sees():
    source = (
        "<title>A &amp; B</title><style>p{}</style><script>if (a<b) '<p>'</script><h1>Head</h1>"
        "<p>One <b>two</b>\n three.<br>four&nbsp;five</p><ul><li>x<li>y</ul><pre>def f():\n    pass</pre>"
        "<table><tr><td>1<td>2</table><svg><text>no</text></svg><noscript>no</noscript>end"
    )
    text = "Head\n\nOne two three.\nfour\u00a0five\n\nx\ny\n\ndef f():\n    pass\n\n1 2\n\nend"
    assert page(source) == ("A & B", text)


def test_the_first_h1_is_the_title_where_there_is_no_title():
    assert page("<h1>One <i>two</i></h1><h1>Three</h1>").title == "One two"
    assert page("no markup").title == ""


@given(st.text(max_size=200))
def test_html_that_breaks_off_keeps_what_stood_before(source):
    assert "lighthouse" in page(f"<p>lighthouse</p>{source}").text


@pytest.mark.parametrize(
    ("text", "markdown", "title"),
    [
        ("intro\n\n## Head ##\n# Other", True, "Head"),
        ("```\n# code\n```\n# Head", True, "Head"),
        ("Head\n====\n", False, "Head"),
        ("====\nHead\n====\n", False, "Head"),
        ("# not here", False, ""),
        ("A long line\n---\n", False, ""),
        ("", True, ""),
    ],
)
def test_the_title_is_the_first_heading(text, markdown, title):
    assert first_heading(text, markdown) == title


def test_front_matter_needs_both_of_its_lines():
    assert front_matter("---\na: 'b'\n---\nbody") == ({"a": "b"}, "body")
    assert front_matter("---\na: b\nbody") == ({}, "---\na: b\nbody")
    assert front_matter("a: b\n---\nbody") == ({}, "a: b\n---\nbody")


def test_a_passage_is_found_whatever_its_blanks_quotes_and_dashes():
    text = "He said:  “don’t\nrun – walk”. Do not run."
    passages = Passages([RawDocument("x", "nothing"), RawDocument("a", text)])
    (place,) = passages.find('"don\'t run - walk"')
    assert text[place.start : place.end] == "“don’t\nrun – walk”"


def test_a_passage_is_whole_words():
    passages = Passages([RawDocument("a", "the artist and the art, the art")])
    assert passages.find("the art") == [Place("a", 15, 22), Place("a", 24, 31)]
    assert passages.find("he art") == []
    assert passages.find("  ") == []


def test_a_passage_never_runs_across_two_documents():
    assert Passages([RawDocument("a", "one two"), RawDocument("b", "three")]).find("two three") == []


def test_a_passage_is_found_where_no_blank_stands_between_words():
    assert Passages([RawDocument("a", "北京是中国的首都。")]).find("北京是中国的首都") == [Place("a", 0, 8)]


@given(words=st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=12), data=st.data())
def test_every_run_of_words_is_found_where_it_was_taken(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    stop = data.draw(st.integers(start + 1, len(words)))
    text = "\n ".join(words)
    offset = len("\n ".join([*words[:start], ""])) if start else 0
    taken = "\n ".join(words[start:stop])
    passages = Passages([RawDocument("z", "c"), RawDocument("d", text)])
    places = passages.find(" ".join(words[start:stop]))
    assert {text[place.start : place.end] for place in places} == {taken}
    # Places do not overlap, so one inside an earlier one ("a a" in "a a a") may be absorbed by it.
    assert any(place.start <= offset < place.end for place in places)


CELLS = st.one_of(
    st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\r\n"), max_size=8),
    st.text("'=+-@\t0123456789.eE/ab", max_size=6),
)


@given(CELLS)
def test_a_cell_is_safe_and_reads_back(text):
    cell = write_cell(text)
    assert read_cell(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t"))


@pytest.mark.parametrize("text", ["6401197308716204890", "-1218875241352839456", "007", "1e5", "1-2", "=1+1", "@x"])
def test_a_cell_that_a_spreadsheet_would_rewrite_is_written_as_text(text):
    assert write_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "1", "12345", "doc-1", "'90s is text", "a=b"])
def test_a_harmless_cell_is_written_as_it_is(text):
    assert write_cell(text) == (f"'{text}" if text.startswith("'9") else text)


def test_a_judge_sheet_comes_back_with_the_grades_that_were_filled_in(tmp_path):
    path = tmp_path / "judge.csv"
    rows = [
        JudgeRow("-12", "=why?", "a,b", "Title", "long\ntext " * 100, "bm25-512 dense-512"),
        JudgeRow("6401197308716204890", "how?", "007", found_by="bm25-512"),
        JudgeRow("q", "how?", "x"),
    ]
    write_judge_sheet(path, rows)
    assert read_judgements(path).judgements == ()
    with path.open(encoding="utf-8-sig", newline="") as stream:
        head, *sheet = list(csv.reader(stream))
    assert head == ["query_id", "question", "doc_id", "title", "excerpt", "found_by", "grade"]
    assert sheet[0][1] == "'=why?"
    assert "\n" not in sheet[0][4]
    assert len(sheet[0][4]) <= 300
    for row, grade in zip(sheet, ("2", "0", ""), strict=True):
        row[-1] = grade
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows([head, *sheet])  # as some spreadsheets save it
    file = read_judgements(path)
    assert [(row.query_id, row.doc_id, row.grade) for row in file.judgements] == [
        ("-12", "a,b", 2),
        ("6401197308716204890", "007", 0),
    ]
    assert file.judgements[1].where == f"{path}:3"
    assert any("1 of 3 rows without grade yet" in note for note in file.notes)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_sheet_that_somebody_has_filled_in_is_never_written_over(tmp_path, delimiter):
    # `compare ID`, or a sweep that was resumed, once put an empty sheet in the place of an afternoon of grades.
    path = tmp_path / "judge.csv"
    write_judge_sheet(path, [JudgeRow("q", "how?", "x")])
    write_judge_sheet(path, [JudgeRow("q", "how?", "x"), JudgeRow("q", "how?", "y")])  # nobody has touched it yet
    with path.open(encoding="utf-8-sig", newline="") as stream:
        head, first, second = list(csv.reader(stream))
    first[-1] = "2"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([head, first, second])
    filled_in = path.read_bytes()
    write_judge_sheet(path, [JudgeRow("q", "how?", "z")])
    assert path.read_bytes() == filled_in
