"""The inputs that other tools got wrong, with what is right.

Written form of an occurrence: `doc` = valid, `~doc` = fuzzy, `!cited` = invalid, `?a|b` = ambiguous.
"""

from __future__ import annotations

import pytest

from pipeline.citations import FORMATS, Pattern, Settings, context_of, parse, read
from pipeline.citations.structured import anthropic_citations, openai_citations
from pipeline.errors import SettingError
from pipeline.harness import recall_at_k
from tests.citations.written import written

FOUR = ["a", "b", "c", "d"]
FIVE = [*FOUR, "e"]
UUID = "b6e5f0aa-0c1d-4e2f-8a3b-123456789abc"


@pytest.mark.parametrize(
    ("answer", "ids", "expected"),
    [
        # 1: ids beyond \w+
        ("X [doc-12].", ["doc-12"], ["doc-12"]),
        ("X [a.b/c_1].", ["a.b/c_1"], ["a.b/c_1"]),
        (f"X [{UUID}].", [UUID], [UUID]),
        # 2: a locator inside
        (f"X [{UUID}, p. 28]", [UUID], [UUID]),
        # 3: groups
        ("[E1, E2]", ["E1", "E2"], ["E1", "E2"]),
        ("[1;2]", FOUR, ["a", "b"]),
        ("[1][2]", FOUR, ["a", "b"]),
        # 4: ranges
        ("[3-5]", FIVE, ["c", "d", "e"]),
        ("[3–5]", FIVE, ["c", "d", "e"]),
        ("[2019-2020]", FIVE, []),
        ("[3-5]", ["3-5", "x", "y", "z", "w"], ["3-5"]),
        ("[1-1000000]", FIVE, ["!1-1000000"]),
        # 5: markdown links
        ("see [guide](x.pdf)", ["x.pdf", "guide"], []),
        ("see [1](https://d1)", FOUR, []),
        # 6: code
        ("use `a[0]` and `b[1]`", FOUR, []),
        ("```\nx[1]\n```\nafter", FOUR, []),
        ("~~~\n[1]\n~~~", FOUR, []),
        ("A.\n```python\n[1] never closed", FOUR, []),
        # 7: bracketed prose
        ("[km/h]", FOUR, []),
        ("so [sic] it is", FOUR, []),
        ("In [2024] it was", FOUR, []),
        # 8: nested
        ("[[doc.docx]]", ["doc.docx"], ["doc.docx"]),
        ("[note1]]", ["note1"], ["note1"]),
        ("see [a_[S]=ON.log]", ["a_[S]=ON.log", "S"], ["a_[S]=ON.log"]),
        # 10: blanks, line breaks, case, NFKC
        ("[ 1 ]", FOUR, ["a"]),
        ("[\n1\n]", FOUR, ["a"]),
        ("[DOC-1]", ["doc-1"], ["doc-1"]),
        ("［１］", FOUR, ["a"]),
        # 11: several names, and a name with an extension
        ("[File1 and File2]", ["File1", "File2"], ["File1", "File2"]),
        ("[FileX.pdf]", ["FileX"], ["~FileX"]),
        # 13: zero
        ("[0]", FOUR, ["!0"]),
        # 14: beyond the context
        ("[7]", FOUR, ["!7"]),
        # 15: whole numbers and leading zeros
        ("[1]", [1, 2], ["1"]),
        ("[1]", ["01", "1"], ["?01|1"]),
        # 16: repeats
        ("A [1]. B [1].", ["d1", "d1"], ["d1", "d1"]),
        # 17: nothing there
        ("", FOUR, []),
        ("X [1]", [], ["!1"]),
        # 25: no blanks between sentences
        ("甲[1]。乙[2]。", FOUR, ["a", "b"]),
        # 26: numbers and abbreviations, markdown bold
        ("3.14 [1] and **999** [2]", FOUR, ["a", "b"]),
    ],
)
def test_an_answer_that_others_got_wrong(answer, ids, expected):
    assert written(parse(answer, ids)) == expected


def test_02_the_locator_is_kept():
    (one,) = parse(f"X [{UUID}, p. 28]", [UUID])
    assert (one.doc_id, one.locator) == (UUID, "p. 28")


def test_04_a_range_wider_than_the_context_says_so():
    (one,) = parse("[1-1000000]", FIVE)
    assert one.reason == "a range of 1000000 for 5 documents of context"


def test_05_a_link_of_a_number_is_a_citation_where_that_is_asked_for():
    assert written(parse("see [1](https://d1)", FOUR, formats=("auto", "link"))) == ["a"]


def test_05_a_link_counts_by_its_url_where_the_context_has_urls():
    assert written(parse("see [guide](https://d1/x.pdf)", ["k"], urls=["http://www.d1/x.pdf"])) == ["k"]


def test_07_years_and_prose_are_reported_as_left_out():
    left = read("In [2024] at 5 [km/h]", context_of(FOUR)).left_out
    assert [(one.text, one.reason) for one in left] == [("[2024]", "year"), ("[km/h]", "prose")]


def test_10_the_strict_setting_reads_letter_for_letter():
    strict = Settings(nfkc=False, case=False, blanks=False, zeros=False)
    context = context_of(["doc-1"], spelling=strict.spelling)
    assert written(read("A [DOC-1] B [doc-1]", context, strict).occurrences) == ["!DOC-1", "doc-1"]


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        ("Rain. [1] Snow. [2]", [0, 1]),
        ("Rain. [1]. Snow. [2].", [0, 1]),
        ("Rain.[1] Snow.[2]", [0, 1]),
        ("Rain [1]. Snow [2].", [0, 1]),
        ("[1] Rain. Snow [2].", [0, 1]),
        ("甲[1]。乙[2]。", [0, 1]),
        ("Rain.\n[1] Snow.\n[2] Hail.", [1, 2]),  # a marker that opens a line belongs to that line
        ("Rain.\n[1]", [0]),
        ("Rain.\n\n[1]\n\nSnow [2].", [0, 1]),
        ("Pi is 3.14 [1], e.g. Smith [2] in the U.S. [1] today.", [0, 0, 0]),
    ],
)
def test_12_25_26_a_marker_belongs_to_its_sentence(answer, sentences):
    assert [one.sentence for one in parse(answer, FOUR)] == sentences


def test_16_a_repeated_context_id_is_one_document():
    assert context_of(["d1", "d1"]).distinct == ("d1",)


def test_17_no_answer_has_no_citation():
    assert parse(None, FOUR) == ()


def test_27_an_annotation_must_say_what_stands_in_the_answer():
    answer = "It rains 【4:0†source】."
    good = {"type": "file_citation", "text": "【4:0†source】", "start_index": 9, "end_index": 21}
    good |= {"file_citation": {"file_id": "f1"}}
    moved = {**good, "start_index": 2, "end_index": 14}
    found = openai_citations(answer, [good, moved], context_of(["f1"]))
    assert written(found.occurrences) == ["f1"]
    assert [(orphan.place, orphan.reason) for orphan in found.orphans] == [(1, "'【4:0†source】' does not stand at 2")]


def test_28_offsets_that_count_from_the_block_are_found_out():
    cited = {"type": "char_location", "document_index": 0, "cited_text": "2"}
    blocks = [{"type": "text", "text": "One. "}, {"type": "text", "text": "Two.", "citations": [cited]}]
    found = anthropic_citations("One. Two.", blocks, context_of(["x"]))
    assert [(one.start, one.end, one.doc_id) for one in found.occurrences] == [(5, 9, "x")]
    assert anthropic_citations("One. Three.", blocks, context_of(["x"])).orphans[0].reason.startswith("the blocks")


def test_29_a_pattern_that_doubles_its_time_with_every_character_ends_at_once():
    evil = Pattern(r"\[((?:\s*\w+\s*,?\s*)+)\]")
    assert parse("[" + "a" * 5000 + "!", FOUR, formats=evil) == ()


def test_29_a_pattern_beyond_the_linear_engine_is_refused_in_one_line():
    with pytest.raises(SettingError, match="citations pattern"):
        Pattern(r"(?<=x)\[(\d)\]")


def test_30_a_document_retrieved_twice_is_found_once():
    assert recall_at_k(["A", "A"], {"A"}, 2) == 1.0


def test_every_format_has_an_example():
    assert all(example for example in FORMATS.values())
