"""[1]–[3], reference lists at the end, and ids in plain prose, worked out by reading the rules."""

from __future__ import annotations

import pytest

from pipeline.citations import Settings, context_of, parse, read, report
from tests.citations.written import written

FIVE = ["a", "b", "c", "d", "e"]
IDS = ["kb-7", "kb-2", "guide.pdf", "kb-9"]
TITLES = ["Returns and refunds", "Shipping (Europe)", "User guide", "Data, models and costs"]
URLS = [f"https://e.org/{name}" for name in "abcd"]
CONTEXT = context_of(IDS, titles=TITLES, urls=URLS)

RANGES = [
    # a dash without blanks between two marks of one kind
    ("Rain [1]–[3].", ["a", "b", "c"]),
    ("Rain [1]-[3] and snow.", ["a", "b", "c"]),
    ("Rain [2]−[4]; snow [5].", ["b", "c", "d", "e"]),
    ("Rain 【1】～【3】。", ["a", "b", "c"]),
    ("Rain [^1]-[^3].", ["a", "b", "c"]),
    ("Rain [fn:1]–[fn:2].", ["a", "b"]),
    ("Rain [Source 1]–[Source 3].", ["a", "b", "c"]),
    ("Rain<sup>1</sup>–<sup>3</sup>.", ["a", "b", "c"]),
    ("[1]-[3] say so.", ["a", "b", "c"]),
    ("- [1]-[3] say so.", ["a", "b", "c"]),
    # the rules of [3-5] for what cannot be right
    ("Rain [3]-[1].", ["!3]-[1"]),
    ("Rain [1]–[6].", ["!1]–[6"]),
    ("Rain [4]–[6].", ["d", "e", "!4]–[6"]),
    # blanks around the dash: a range where the sentence stops behind it, else two clauses
    ("Rain [1] – [3].", ["a", "b", "c"]),
    ("Rain [1] - [3]", ["a", "b", "c"]),
    ("Rain [1] – [3] says snow.", ["a", "c"]),
    ("Rain [1]—[3].", ["a", "b", "c"]),
    ("Rain [1]—[3] says snow.", ["a", "c"]),
    ("Rain (see [1] – [3] for more).", ["a", "b", "c"]),
    ("[1] - [3]", ["a", "c"]),  # the hyphen behind a mark that opens the line sets off what follows
    # a word: in parentheses or behind "see" alone
    ("Rain ([1] to [3]) falls.", ["a", "b", "c"]),
    ("Rain, see [1] through [3] and [5].", ["a", "b", "c", "e"]),
    ("Siehe [1] bis [3].", ["a", "b", "c"]),
    ("Compare [1] to [3].", ["a", "c"]),
    # what is no range
    ("Rain [1]\n- [3] Snow.", ["a", "c"]),
    ("- Rain [1]\n-[3] Snow.", ["a", "c"]),
    ("Rain [1]-[3]-[5].", ["a", "c", "e"]),
    ("Rain [1]-[1].", ["a", "a"]),
    ("Rain [1, 2]-[4].", ["a", "b", "d"]),
    ("Rain [1]-[^3].", ["a", "c"]),
    ("Rain [1] -[3].", ["a", "c"]),
    ("Rain [1]/[3].", ["a", "c"]),
    ("Rain [a]-[c].", ["a", "c"]),
    ("Rain [1](u)-[3](u).", []),
]


@pytest.mark.parametrize(("answer", "expected"), RANGES)
def test_two_marks_with_a_dash_are_a_range_where_they_cannot_be_two(answer, expected):
    assert written(parse(answer, FIVE)) == expected


def test_a_range_of_two_marks_stands_from_the_first_to_the_second():
    answer = "Rain [1]–[3]."
    assert [(one.start, one.end, one.text) for one in parse(answer, FIVE)] == [(5, 12, "[1]–[3]")] * 3
    assert {(one.cited, one.cited_start, one.cited_end) for one in parse(answer, FIVE)} == {("1]–[3", 6, 11)}


def test_a_range_of_two_marks_says_what_is_wrong_with_it():
    assert parse("Rain [3]-[1].", FIVE)[0].reason == "a range that runs backwards"
    assert parse("Rain [1]-[9].", FIVE)[0].reason == "a range of 9 for 5 documents of context"


def test_ids_that_are_numbers_are_cited_by_a_range_too():
    assert written(parse("Rain [10]-[12].", ["10", "11", "12"])) == ["10", "11", "12"]


LISTS = [  # answer, what it cites, what is left out as a reference list
    ("Rain [1]. Snow [2].\n\nSources:\n[1] Shipping (Europe)\n[2] Returns and refunds", ["kb-2", "kb-7"], "Sources:"),
    ("Rain [1].\n\n## References\n1. Shipping (Europe), p. 3\n2. Returns and refunds", ["kb-2"], "## References"),
    ("Rain [1].\n\n**Sources:**\n- [1] https://e.org/d", ["kb-9"], "**Sources:**"),
    ("Rain [1].\n\n**Sources**:\n* [1] `guide.pdf`, p. 2", ["guide.pdf"], "**Sources**:"),
    ("Rain [1].\n\nBibliography\n------------\n[1] kb-9: On data", ["kb-9"], "Bibliography"),
    ("Rain [1].\n\nCitations\n[1]: https://e.org/b", ["kb-2"], "Citations"),
    ("Regen [1].\n\nQuellen:\n[1] User guide", ["guide.pdf"], "Quellen:"),
    ("Regen [1].\n\n# Literatur\n[1] Data, models and costs", ["kb-9"], "# Literatur"),
    ("Lluvia [1].\n\nFuentes:\n[1] kb-2", ["kb-2"], "Fuentes:"),
    ("Pluie [1].\n\nRéférences :\n[1] kb-2", ["kb-2"], "Références :"),
    ("Regen [1].\n\nBronnen\n1) kb-2", ["kb-2"], "Bronnen"),
    ("雨[1]。\n\n参考文献：\n[1] User guide", ["guide.pdf"], "参考文献："),
    ("雨【1】。\n\n来源\n【1】kb-9", ["kb-9"], "来源"),
    ("Rain [1].\n\nSources:\n- Shipping (Europe) [1]\n- User guide [2]", ["kb-2"], "Sources:"),
    ("Rain [1].\n\nSources:\nShipping (Europe) [1]\nUser guide [2]", ["kb-2"], "Sources:"),
    ("Rain [1].\n\nSources:\n[1] [User guide](https://e.org/zzz)", ["guide.pdf"], "Sources:"),
    ("Rain [1].\n\nSources:\nReturns and refunds\nUser guide", ["kb-7"], "Sources:"),
    ("Rain [1].\n\nSources:\n[1] Somebody else's book", ["kb-7"], "Sources:"),
    ("Rain [7].\n\nSources:\n[7] User guide", ["guide.pdf"], "Sources:"),
    ("Rain [1]–[3].\n\nSources:\n[1] kb-9\n[2] kb-2\n[3] kb-7", ["kb-9", "kb-2", "kb-7"], "Sources:"),
    ("Rain [^1].\n\n[^1]: https://e.org/c", ["guide.pdf"], "[^1]:"),
    ("Rain [1][2].\n\n[1] https://e.org/b\n[2] Data, models and costs", ["kb-2", "kb-9"], "[1] https"),
    ("Rain [1].\n[1] https://e.org/b", ["kb-2"], "[1] https"),
    ("Rain [2].\n\n[1] One book\n[2] Another book", ["kb-2"], "[1] One"),
    ("Rain.¹ Snow.²\n\n¹ User guide\n² kb-7", ["guide.pdf", "kb-7"], "¹ User"),
    # no list: text with citations, whatever stands above it
    ("Rain.\n[1] Snow.\n[2] Hail.", ["kb-7", "kb-2"], None),
    ("Rain [1].\n\n[1] Snow falls.\n[2] Hail falls.", ["kb-7", "kb-7", "kb-2"], None),
    ("Rain [1].\n\n[3] One book\n[4] Another book", ["kb-7", "guide.pdf", "kb-9"], None),
    ("Rain [1].\n\n[1] Snow, as in [2]\n[2] Hail", ["kb-7", "kb-7", "kb-2", "kb-2"], None),
    ("Rivers.\n\n## Sources\nThe Nile has two sources [1]. One is longer [2].", ["kb-7", "kb-2"], None),
    ("Rivers.\n\n## Sources\n- The White Nile is longer [1].", ["kb-7"], None),
    ("Rain [1].\n\nSources:\n[1] kb-9\n\n## Snow\nSnow [2].", ["kb-7", "kb-7", "kb-2"], None),
    ("Rain [1].\n\nSources:\n[1] kb-9\n\nSnow falls, too [2].", ["kb-7", "kb-7", "kb-2"], None),
    ("Sources:\n[1] User guide\n[2] kb-7", ["kb-7", "kb-2"], None),  # nothing stands before it
    ("Rain.\n\nSources: [1], [2]", ["kb-7", "kb-2"], None),
]


@pytest.mark.parametrize(("answer", "expected", "begins"), LISTS)
def test_a_reference_list_cites_nothing_but_says_what_the_numbers_mean(answer, expected, begins):
    reading = read(answer, CONTEXT)
    assert written(reading.occurrences) == expected
    listed = [one for one in reading.left_out if one.reason == "reference list"]
    assert [one.text for one in listed] == ([] if begins is None else [answer[answer.rindex(begins) :]])


def test_what_the_list_says_is_told_and_what_it_contradicts():
    answer = "Rain [1] [2] [3] [4].\n\nSources:\n[1] kb-7\n[2] kb-9\n[3] Some book\n[4] User gide"
    found = parse(answer, IDS, titles=TITLES)
    assert [(one.doc_id, one.resolution, one.reason) for one in found] == [
        ("kb-7", "valid", "by the reference list"),
        ("kb-9", "valid", "by the reference list, not place 2 which is kb-2"),
        ("guide.pdf", "valid", ""),
        ("guide.pdf", "fuzzy", "by the reference list, not place 4 which is kb-9: title alike (0.95)"),
    ]


def test_the_list_settles_whether_numbers_are_places_or_ids():
    ids = ["1", "3", "5"]
    assert read("Rain [3].", context_of(ids)).numbering == "conflict"
    found = read("Rain [3].\n\nSources:\n[3] Snow", context_of(ids, titles=["Rain", "Hail", "Snow"]))
    assert (written(found.occurrences), found.numbering) == (["5"], "list")


def test_the_list_counts_for_numbers_alone():
    answer = "Rain [doc_id kb-7] [kb-2].\n\nSources:\n[1] kb-9"
    assert written(parse(answer, IDS)) == ["kb-7", "kb-2"]


def test_two_lines_that_disagree_say_nothing():
    assert written(parse("Rain [1].\n\nSources:\n[1] kb-2\n[1] kb-9", IDS)) == ["kb-7"]


def test_a_line_that_fits_two_documents_says_nothing():
    answer = "Rain [1].\n\nSources:\n[1] Weather"
    assert written(parse(answer, ["a", "b"], titles=["Weather", "weather"])) == ["a"]


def test_the_lines_of_a_list_are_no_sentences():
    answer = "Rain falls [1]. Snow falls.\n\nSources:\n[1] User guide\n[2] kb-2\n\nI hope this helps!"
    reading = read(answer, CONTEXT)
    assert [answer[one.start : one.end].strip()[:10] for one in reading.sentences] == [
        "Rain falls",
        "Snow falls",
        "I hope thi",
    ]
    assert "".join(answer[one.start : one.end] for one in reading.sentences) == answer
    (listed,) = reading.left_out
    assert listed.text == "Sources:\n[1] User guide\n[2] kb-2"


def test_an_answer_that_cites_in_its_list_alone_cites_nothing():
    found = report("It rains.\n\nSources:\n[1] kb-7\n[2] kb-2", CONTEXT)
    assert (found.state, found.total_citations, found.sentences, found.near_misses) == ("uncited", 0, 1, ())


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_an_answer_that_declines_may_have_a_list(gap):
    lines = "".join(f"[{i}] A very long title of a book that says nothing of it\n" for i in range(1, 12))
    assert report(f"I don't know.{gap}Sources:\n{lines}", CONTEXT).state == "abstained"


BARE = [
    ("As kb-7 shows, it rains.", ["kb-7"]),
    ("KB-7 and (kb-2) say so; kb-9.", ["kb-7", "kb-2", "kb-9"]),
    ('It says **kb-7**, _kb-2_ and "kb-9".', ["kb-7", "kb-2", "kb-9"]),
    ("See guide.pdf.", ["guide.pdf"]),
    ("See guide.pdf's page 3", ["guide.pdf"]),
    ("如kb-7所示。", ["kb-7"]),
    ("kb-71, xkb-7, kb-7b and my-kb-7", []),
    ("kb-7-draft, kb-7.txt, a/kb-7, kb-7_old", []),
    ("kb-8 and kb are none", []),
    ("`kb-7` in code", []),
    ("[kb-7] and kb-2", ["kb-7", "kb-2"]),
    ("[1] and kb-2", ["kb-7", "kb-2"]),
    ("Rain kb-2.\n\nSources:\nkb-7\nkb-9", ["kb-2"]),
]


@pytest.mark.parametrize(("answer", "expected"), BARE)
def test_an_id_in_plain_prose_is_read_on_request(answer, expected):
    assert written(parse(answer, IDS, formats=("auto", "bare_id"))) == expected


def test_an_id_in_plain_prose_is_not_read_unasked():
    assert parse("As kb-7 shows, it rains.", IDS) == ()


def test_the_longest_id_that_fits_is_read():
    ids = ["kb-7", "kb-7-old", "kb-7 part two"]
    answer = "kb-7-old, kb-7  part\ntwo, kb-7 part three, kb-7-older"
    assert written(parse(answer, ids, formats="bare_id")) == ["kb-7-old", "kb-7 part two", "kb-7"]


def test_ids_that_may_be_words_or_quantities_are_not_read_in_prose():
    ids = ["with", "my doc", "e2", "2021", "12345678"]
    assert written(parse("with my doc e2 in 2021 of 12345678", ids, formats="bare_id")) == ["12345678"]


def test_ids_in_prose_are_compared_as_the_settings_say():
    strict = Settings("bare_id", case=False)
    assert written(read("KB-7 kb-7", context_of(IDS, spelling=strict.spelling), strict).occurrences) == ["kb-7"]
    assert written(parse("nai\u0308ve-2 na\u00efve-2", ["na\u00efve-2"], formats="bare_id")) == ["na\u00efve-2"] * 2
