"""Answers and what they cite, worked out by reading them. Written form as in test_thirty_inputs."""

from __future__ import annotations

import pytest

from pipeline.citations import parse
from tests.citations.written import written

FIVE = ["a", "b", "c", "d", "e"]
KB = ["kb-1", "kb-2", "kb-3"]
FILES = ["guide.pdf", "faq.md", "reports/2024/q3.pdf"]
UUIDS = ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "9b2d8f4e-1c3a-4d5e-8f6a-7b8c9d0e1f2a"]
UNKNOWN_UUID = "00000000-0000-4000-8000-0000000000a1"
TITLES = ["Returns and refunds", "Shipping (Europe)", 'The "with" statement', "Data, models and costs"]
TITLES = [*TITLES, "Format String Syntax"]
URLS = ["https://example.org/a", "https://www.example.org/b?x=1", "http://docs.example.org/c/"]
URLS = [*URLS, "https://e.org/d", "https://e.org/p_(x)"]

PLAIN = [
    ("Yes [1].", FIVE, ["a"]),
    ("Yes[1].", FIVE, ["a"]),
    ("Yes.[1]", FIVE, ["a"]),
    ("Yes [1][2][3].", FIVE, ["a", "b", "c"]),
    ("Yes [1] [2].", FIVE, ["a", "b"]),
    ("Yes [1,2,3].", FIVE, ["a", "b", "c"]),
    ("Yes [1, 2 and 3].", FIVE, ["a", "b", "c"]),
    ("Yes [1 and 2].", FIVE, ["a", "b"]),
    ("Ja [1 und 2].", FIVE, ["a", "b"]),
    ("Yes [1 & 2].", FIVE, ["a", "b"]),
    ("Yes [1 2].", FIVE, ["a", "b"]),
    ("Yes [1; 2; 9].", FIVE, ["a", "b", "!9"]),
    ("Yes [1,].", FIVE, ["a"]),
    ("Yes [ , 2].", FIVE, ["b"]),
    ("Yes [1、2].", FIVE, ["a", "b"]),
    ("Yes [1，2；3].", FIVE, ["a", "b", "c"]),
    ("Yes [5] and [5].", FIVE, ["e", "e"]),
    ("Yes [[1]].", FIVE, ["a"]),
    ("Yes [[1], [2]].", FIVE, ["a", "b"]),
    ("Yes [[1]", FIVE, ["a"]),
    ("Yes [1]].", FIVE, ["a"]),
    ("Yes \\[1\\].", FIVE, ["a"]),
    ("Yes [01].", FIVE, ["a"]),
    ("Yes [٢].", FIVE, ["b"]),
    ("Yes (see [2]).", FIVE, ["b"]),
    ("Yes [see 2].", FIVE, ["b"]),
    ("Yes [cf. 2].", FIVE, ["b"]),
    ("Yes [siehe 2].", FIVE, ["b"]),
    ("**Yes** [**1**]", FIVE, []),
    ("Yes [6].", FIVE, ["!6"]),
    ("Yes [99][1].", FIVE, ["!99", "a"]),
    ("Yes [-1].", FIVE, []),
    ("Yes [1.5].", FIVE, []),
    ("Yes [1/2].", FIVE, []),
    ("Yes [12%].", FIVE, []),
    ("Yes [$5].", FIVE, []),
    ("Yes [1st].", FIVE, []),
    ("Yes [3 times].", FIVE, []),
    ("Yes [1,000].", FIVE, []),
    ("Yes [12:30].", FIVE, []),
    ("Yes [].", FIVE, []),
    ("Yes [ ].", FIVE, []),
    ("- [ ] to do\n- [x] done", FIVE, []),
    ("Yes [...].", FIVE, []),
    ("Yes [citation needed].", FIVE, []),
    ("Yes [Smith 2020].", FIVE, []),
    ("Yes [Smith et al., 2020].", FIVE, []),
    ("In [1999, 2004] and [1984]", FIVE, []),
    ("In [1850]", FIVE, ["!1850"]),
    ("In [1, 2024]", FIVE, ["a"]),
    ("a value in [0, 1] is", FIVE, []),
    ("a value in the interval [0, 5]", FIVE, []),
    ("Yes [0, 1]", FIVE, ["!0", "a"]),
    ("Yes [1", FIVE, []),
    ("Yes 1]", FIVE, []),
    ("Yes [1】", FIVE, []),
    ("Yes [123456789012345678901234567890].", FIVE, []),
]
RANGES = [
    ("[1-3]", FIVE, ["a", "b", "c"]),
    ("[1 - 3]", FIVE, ["a", "b", "c"]),
    ("[1—3]", FIVE, ["a", "b", "c"]),
    ("[1−3]", FIVE, ["a", "b", "c"]),
    ("[1..3]", FIVE, ["a", "b", "c"]),
    ("[1 to 3]", FIVE, ["a", "b", "c"]),
    ("[1, 3-4; 5]", FIVE, ["a", "c", "d", "e"]),
    ("[2-2]", FIVE, ["b"]),
    ("[4-6]", FIVE, ["d", "e", "!4-6"]),
    ("[7-8]", FIVE, ["!7-8", "!7-8"]),
    ("[5-3]", FIVE, ["!5-3"]),
    ("[1-6]", FIVE, ["!1-6"]),
    ("[0-2]", FIVE, ["!0-2", "a", "b"]),
    ("［3～5］", FIVE, ["c", "d", "e"]),
    ("[1998-2003]", FIVE, []),
    ("[2-3]", ["2-3", "3-5"], ["2-3"]),
    ("[^2-3]", FIVE, ["b", "c"]),
]
PREFIXED = [
    ("X [doc_id a].", FIVE, ["a"]),
    ("X [doc_id 3].", ["1", "3", "5"], ["3"]),
    ("X [doc_id 99].", ["1", "3", "5"], ["!99"]),
    ("X [doc_id 2].", ["1", "3", "5"], ["!2"]),
    ("X [doc_id kb-1] and [DOC_ID kb-2].", KB, ["kb-1", "kb-2"]),
    ("X [doc_id kb-1, kb-9].", KB, ["kb-1", "!kb-9"]),
    ("X [doc_id kb-1; doc_id kb-2].", KB, ["kb-1", "kb-2"]),
    ("X [doc_id: kb-1].", KB, ["kb-1"]),
    ("X [doc_id\nkb-1].", KB, ["kb-1"]),
    ("X [doc_id kb-1, p. 4].", KB, ["kb-1"]),
    ("X [doc_id].", KB, []),
    ("X [doc: kb-1 only].", KB, []),
    ("X [[ref:kb-2]].", KB, ["kb-2"]),
    ("X [[ref: kb-2]].", KB, ["kb-2"]),
    ("X [[ref:kb-2]][[ref:kb-8]].", KB, ["kb-2", "!kb-8"]),
    ("X [[ref:kb-1, kb-2]].", KB, ["kb-1", "kb-2"]),
    ("X [ref:kb-2].", KB, ["kb-2"]),
    ("X [[ref:1]].", KB, ["!1"]),
    ("X [fn:1].", FIVE, ["a"]),
    ("X [fn: 2].", FIVE, ["b"]),
    ("X [fn:12].", FIVE, ["!12"]),
    ("X [fn:1, 2].", FIVE, ["a", "b"]),
    ("X [^1].", FIVE, ["a"]),
    ("X [^1^].", FIVE, ["a"]),
    ("X [^1][^2].", FIVE, ["a", "b"]),
    ("X [^note].", FIVE, ["!note"]),
    ("X [^kb-1].", KB, ["kb-1"]),
    ("X [^1].\n\n[^1]: Smith, On things.", FIVE, ["a"]),
    ("X [1].\n\n[1]: https://example.org", FIVE, ["a"]),
    ("X [Source 2].", FIVE, ["b"]),
    ("X [Document 2].", FIVE, ["b"]),
    ("X [doc 2, 3].", FIVE, ["b", "c"]),
    ("X [Sources 1-2].", FIVE, ["a", "b"]),
    ("X [Passage #4].", FIVE, ["d"]),
    ("X [Source code].", FIVE, []),
]
CJK = [
    ("甲【1】。", FIVE, ["a"]),
    ("甲［1］乙［2］。", FIVE, ["a", "b"]),
    ("甲〔3〕。", FIVE, ["c"]),
    ("甲【１，２】。", FIVE, ["a", "b"]),
    ("甲【1-3】。", FIVE, ["a", "b", "c"]),
    ("甲【重要】。", FIVE, []),
    ("甲【4:0†source】。", FIVE, ["a"]),
    ("甲【4:2†source】。", FIVE, ["c"]),
    ("甲【4:9†source】。", FIVE, ["!4:9"]),
    ("X【3†source】.", FIVE, ["c"]),
    ("X【0†L3-L5】.", FIVE, ["!0"]),
    ("X【4:0†guide.pdf】.", FILES, ["guide.pdf"]),
    ("X【4:1†kb-1】【4:0†kb-3】.", KB, ["kb-1", "kb-3"]),
    ("X [4:0†source].", FIVE, ["a"]),
]
IDS = [
    ("X [kb-1].", KB, ["kb-1"]),
    ("X [KB-1].", KB, ["kb-1"]),
    ("X [ kb-1 ].", KB, ["kb-1"]),
    ("X [kb-1][kb-2].", KB, ["kb-1", "kb-2"]),
    ("X [kb-1, kb-2; kb-3].", KB, ["kb-1", "kb-2", "kb-3"]),
    ("X [kb-9].", KB, ["!kb-9"]),
    ("X [kb-1, kb-9].", KB, ["kb-1", "!kb-9"]),
    ("X [kb-12].", KB, ["!kb-12"]),
    ("X [well-known] fact.", KB, []),
    ("X [kb].", KB, []),
    ("X ['kb-1'].", KB, ["kb-1"]),
    ('X ["kb-1"].', KB, ["kb-1"]),
    ("X [id: kb-1].", KB, ["kb-1"]),
    ("X [see kb-1, p. 3].", KB, ["kb-1"]),
    ("X [kb-1, p. 3; kb-2, pp. 4-5].", KB, ["kb-1", "kb-2"]),
    ("X [kb-1, 28].", KB, ["kb-1"]),
    ("X [kb-1 § 4].", KB, ["kb-1"]),
    ("X [kb-1: page 4].", KB, ["kb-1"]),
    ("X [kb-1#intro].", KB, ["kb-1"]),
    ("X [1].", KB, ["kb-1"]),
    ("X [guide.pdf].", FILES, ["guide.pdf"]),
    ("X [guide.pdf#page=3].", FILES, ["guide.pdf"]),
    ("X [guide.pdf, page 3].", FILES, ["guide.pdf"]),
    ("X [guide].", FILES, ["~guide.pdf"]),
    ("X [guide.docx].", FILES, ["!guide.docx"]),
    ("X [docs/guide.pdf].", FILES, ["~guide.pdf"]),
    ("X [reports/2024/q3.pdf].", FILES, ["reports/2024/q3.pdf"]),
    ("X [reports/2024/q4.pdf].", FILES, ["!reports/2024/q4.pdf"]),
    ("X [q3.pdf].", FILES, ["~reports/2024/q3.pdf"]),
    ("X [q3].", ["x/q3.pdf", "y/q3.pdf"], ["?x/q3.pdf|y/q3.pdf"]),
    (f"X [{UUIDS[0]}].", UUIDS, [UUIDS[0]]),
    (f"X [{UUIDS[0].upper()}].", UUIDS, [UUIDS[0]]),
    (f"X [{UNKNOWN_UUID}].", UUIDS, [f"!{UNKNOWN_UUID}"]),
    (f"X [{UUIDS[0]}, {UUIDS[1]}].", UUIDS, UUIDS),
    (f"X [{UNKNOWN_UUID}].", KB, []),
    ("X [Smith, 2020].", ["Smith, 2020", "Jones, 2021"], ["Smith, 2020"]),
    ("X [Smith, 2020; Jones, 2021].", ["Smith, 2020", "Jones, 2021"], ["Smith, 2020", "Jones, 2021"]),
    ("X [a[1]].", ["a[1]", "b"], ["a[1]"]),
    ("X [Doc].", ["Doc", "doc"], ["Doc"]),
    ("X [DOC].", ["Doc", "doc"], ["?Doc|doc"]),
    ("X [E7].", ["E1", "E2"], ["!E7"]),
    ("X [B12] vitamin.", ["E1", "E2"], []),
    ("X [Straße-1].", ["strasse-1"], ["strasse-1"]),
    ("X [naïve-2].", ["nai\u0308ve-2"], ["nai\u0308ve-2"]),
    ("X [with] and [in].", ["with", "in"], ["with", "in"]),
    ("X [in 2024].", ["with", "in"], []),
    ("X [my doc].", ["my  doc"], ["my  doc"]),
    ("X [10.1000/xyz123].", ["10.1000/xyz123"], ["10.1000/xyz123"]),
    ("X [12345678].", ["12345678", "23456789"], ["12345678"]),
    ("X [34567890].", ["12345678", "23456789"], ["!34567890"]),
    ("X [2021].", ["2021", "2022"], ["2021"]),
    ("X [user@example.org].", ["user@example.org"], ["user@example.org"]),
]
NUMBERING = [
    ("[1]", ["1", "2", "3"], ["1"]),
    ("[3]", ["1", "3", "5"], ["?3|5"]),
    ("[1]", ["x", "y", "1"], ["?1|x"]),
    ("[5]", ["1", "3", "5"], ["5"]),
    ("[3] and [5]", ["1", "3", "5"], ["3", "5"]),
    ("[2] and [3]", ["1", "3", "5"], ["3", "5"]),
    ("[10][20]", ["10", "20"], ["10", "20"]),
    ("[2]", [2, 1], ["?2|1"]),
    ("[9]", [1, 2], ["!9"]),
    ("[01]", ["01", "1"], ["?01|1"]),
    ("[1]", ["01", "02"], ["01"]),
]
SUPERSCRIPTS = [
    ("So it is¹.", FIVE, ["a"]),
    ("So it is.²", FIVE, ["b"]),
    ("So it is¹,³.", FIVE, ["a", "c"]),
    ("So it is¹⁻³.", FIVE, ["a", "b", "c"]),
    ("So it is¹².", FIVE, ["a", "b"]),
    ("So it is¹².", [f"d{i}" for i in range(1, 13)], ["d12"]),
    ("So it is⁹.", FIVE, ["!⁹"]),
    ("20 m² and 5 km² and 10³ and x² + y²", FIVE, []),
    ("E = mc²", FIVE, ["b"]),
    ("In 1990¹ it", FIVE, ["a"]),
    ("So<sup>1</sup>.", FIVE, ["a"]),
    ("So<sup>[1, 2]</sup>.", FIVE, ["a", "b"]),
    ("the 5<sup>th</sup>", FIVE, []),
    ("So [¹].", FIVE, ["a"]),
]
GUARDS = [
    ("`[1]` and [2]", FIVE, ["b"]),
    ("``a ` [1]`` and [2]", FIVE, ["b"]),
    ("a ` lonely tick [1]", FIVE, ["a"]),
    ("a ` tick [1]\n\nnext ` [2]", FIVE, ["a", "b"]),
    ("```\n[1]\n```\n[2]", FIVE, ["b"]),
    ("````\n```\n[1]\n```\n````\n[2]", FIVE, ["b"]),
    ("  ```py\n  x[1]\n  ```\n[2]", FIVE, ["b"]),
    ("- ```\n  [1]\n  ```\n- [2]", FIVE, ["b"]),
    ("~~~\n[1]\n```\n[2]\n~~~\n[3]", FIVE, ["c"]),
    ("<code>a[1]</code> [2]", FIVE, ["b"]),
    ("<pre>a[1] [2]", FIVE, []),
    ("![figure](1.png) [2]", FIVE, ["b"]),
    ("[text](https://x.org/a_(1)) [2]", FIVE, ["b"]),
    ("[text](<a b>) [2]", FIVE, ["b"]),
    ('[text](u "title") [2]', FIVE, ["b"]),
    ("[[1]](https://x.org)", FIVE, ["a"]),
    ("[1] (see below)", FIVE, ["a"]),
    ("[1](see below)", FIVE, ["a"]),
    ("https://x.org/q?a[1]", FIVE, ["a"]),
]
LANGUAGES = [
    ("Das ist so [1]. Siehe auch [Quelle 2].", FIVE, ["a", "b"]),
    ("C'est vrai [1 et 2].", FIVE, ["a", "b"]),
    ("Es cierto [1 y 2].", FIVE, ["a", "b"]),
    ("これは本当です［１］。", FIVE, ["a"]),
    ("هذا صحيح [1].", FIVE, ["a"]),
    ("Это так [1, 2].", FIVE, ["a", "b"]),
    ("यह सही है [1]।", FIVE, ["a"]),
    ("사실이다 [1].", FIVE, ["a"]),
]
ALL = [*PLAIN, *RANGES, *PREFIXED, *CJK, *IDS, *NUMBERING, *SUPERSCRIPTS, *GUARDS, *LANGUAGES]


@pytest.mark.parametrize(("answer", "ids", "expected"), ALL)
def test_an_answer_cites_what_a_reader_says(answer, ids, expected):
    assert written(parse(answer, ids)) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("X (Source: Returns and refunds).", ["a"]),
        ("X (source: returns  and REFUNDS).", ["a"]),
        ("X (Sources: Returns and refunds; Shipping (Europe)).", ["a", "b"]),
        ('X (Source: The "with" statement).', ["c"]),
        ('X (Source: "Returns and refunds").', ["a"]),
        ("X (Source: Returns and refunds, p. 3).", ["a"]),
        ("X (Source: Data, models and costs).", ["d"]),
        ("X (Source: Data, models and costs, Format String Syntax).", ["d", "e"]),
        ("X (Source: Returns and refunds and Format String Syntax).", ["a", "e"]),
        ("X (Source: Return and refunds).", ["~a"]),
        ("X (Source: Format String Syntax - documentation).", ["~e"]),
        ("X (Source: Something else).", ["!Something else"]),
        ("X (Source: 2).", ["b"]),
        ("X (Source: b).", ["b"]),
        ("X [Source: Returns and refunds].", ["a"]),
        ("X（来源：Returns and refunds）。", ["a"]),
        ("X (Quelle: Returns and refunds).", ["a"]),
        ("X (Source Returns and refunds).", []),
        ("X Source: Returns and refunds.", []),
        ("X (Source: ).", []),
        ("X (Source: Returns and refunds", []),
    ],
)
def test_a_title_leads_to_its_document(answer, expected):
    assert written(parse(answer, FIVE, titles=TITLES)) == expected


def test_two_documents_of_one_title_leave_it_open():
    assert written(parse("X (Source: T).", ["a", "b"], titles=["T", "t"])) == ["?a|b"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("X https://example.org/a.", ["a"]),
        ("X http://example.org/a/", ["a"]),
        ("X HTTPS://EXAMPLE.org/a", ["a"]),
        ("X https://www.example.org/a?utm_source=chat", ["a"]),
        ("X https://example.org/a#part", ["a"]),
        ("X https://example.org:443/a", ["a"]),
        ("X https://example.org/A", ["!https://example.org/A"]),
        ("X (https://example.org/b?x=1).", ["b"]),
        ("X https://example.org/b", ["!https://example.org/b"]),
        ("X <https://docs.example.org/c>", ["c"]),
        ("X [page](https://e.org/d) and [1]", ["d", "a"]),
        ("X [https://e.org/d]", ["d"]),
        ("X https://e.org/p_(x)).", ["e"]),
        ("X `https://e.org/d`", []),
        ("X (Source: https://e.org/d)", ["d"]),
    ],
)
def test_a_url_leads_to_its_document(answer, expected):
    assert written(parse(answer, FIVE, urls=URLS)) == expected


def test_ids_that_are_urls_are_cited_by_url():
    assert written(parse("X https://e.org/d/ and [https://e.org/z].", ["https://e.org/d", "https://e.org/z"])) == [
        "https://e.org/d",
        "https://e.org/z",
    ]


@pytest.mark.parametrize(
    ("answer", "numbering", "expected"),
    [
        ("[3]", "position", ["5"]),
        ("[3]", "id", ["3"]),
        ("[2]", "id", ["!2"]),
        ("[2]", "position", ["3"]),
        ("[9]", "position", ["!9"]),
        ("[doc_id 3]", "position", ["3"]),
    ],
)
def test_the_numbering_can_be_said(answer, numbering, expected):
    assert written(parse(answer, ["1", "3", "5"], numbering=numbering)) == expected


@pytest.mark.parametrize(
    ("answer", "formats", "expected"),
    [
        ("A [1] B [fn:2] C [^3]", "footnote", ["b"]),
        ("A [1] B [fn:2] C [^3]", ("bracket_number", "caret"), ["a", "c"]),
        ("A (1) B (2, 3) C (x)", "paren_number", ["a", "b", "c"]),
        ("A (1) B [2]", ("auto", "paren_number"), ["a", "b"]),
        ("A [a] B [1]", "bracket_id", ["a"]),
    ],
)
def test_only_the_formats_asked_for_are_read(answer, formats, expected):
    assert written(parse(answer, FIVE, formats=formats)) == expected


def test_the_table_is_long_enough():
    assert len({(answer, tuple(map(str, ids))) for answer, ids, _ in ALL}) >= 180
