"""What assembling promises, on rows made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.datasets.assemble import Raw, RawDocument, RawJudgement, RawQuery, RawSpan, assemble, join_title
from pipeline.errors import DataError

DOCS = (
    RawDocument("b", "body b", "Title", date="2020-02-03", where="c:1"),
    RawDocument("a", "body a", where="c:2"),
    RawDocument("C", "", "", where="c:3"),
)
QUERIES = (RawQuery("q2", "two", where="q:1"), RawQuery("q1", "one", where="q:2"), RawQuery("q3", "none", where="q:3"))
JUDGED = (
    RawJudgement("q2", "b", 2, "j:1"),
    RawJudgement("q2", "zz", 1, "j:2"),
    RawJudgement("q2", "a", 0, "j:3"),
    RawJudgement("q1", "a", 1, "j:4"),
)


def raw(documents=DOCS, queries=QUERIES, judgements=JUDGED, **more):
    return Raw("toy", "", documents, queries, judgements, **more)


def test_everything_stands_in_ascending_order_of_ids():
    got = assemble(raw())
    assert got.corpus.ids == ("C", "a", "b")  # code points: capitals first
    assert got.queries.ids == ("q1", "q2", "q3")
    assert got.qrels.indptr.tolist() == [0, 1, 4, 4]
    assert got.qrels.docs.tolist() == [1, 1, 2, 3]
    assert got.qrels.grades.tolist() == [1, 0, 2, 1]
    assert got.qrels.missing == ("zz",)


def test_missing_documents_follow_the_corpus_in_ascending_order():
    judged = (*JUDGED, *(RawJudgement("q1", name, 3, "j:9") for name in ("z", "B", "é", "00", "y")))
    got = assemble(raw(judgements=judged[::-1])).qrels
    assert got.missing == ("00", "B", "y", "z", "zz", "é")
    assert got.docs[got.indptr[0] : got.indptr[1]].tolist() == [1, 3, 4, 5, 6, 8]


def test_the_title_is_joined_once_and_spans_move_with_it():
    documents = (RawDocument("a", "x evidence y", "Head"), RawDocument("b", "Head and evidence", "Head"))
    spans = (RawSpan("q1", "a", 2, 10), RawSpan("q1", "b", 9, 17))
    got = assemble(raw(documents, judgements=(), spans=spans))
    assert got.corpus.texts == ("Head\nx evidence y", "Head and evidence")
    assert got.spans is not None
    for doc, start, end in zip(got.spans.doc, got.spans.start, got.spans.end, strict=True):
        assert got.corpus.texts[doc][start:end] == "evidence"


@pytest.mark.parametrize(
    ("title", "text", "joined"),
    [
        ("", "text", "text"),
        ("Only a title", "", "Only a title"),
        ("A", "A cat", "A cat"),
        ("A", "Another", "A\nAnother"),
        ("Why?", "Why?Because", "Why?Because"),
    ],
)
def test_a_title_is_joined_unless_the_text_begins_with_it_as_words(title, text, joined):
    assert join_title(title, text) == joined


def test_counts_say_what_was_found():
    counts = assemble(raw()).counts
    expected = {
        "documents": 3, "empty_documents": 1, "dated_documents": 1, "queries": 3, "judgements": 4, "judged_queries": 2,
        "unjudged_queries": 1, "queries_without_relevant": 0, "missing_documents": 1, "spans": 0,
    }  # fmt: skip
    assert {name: counts[name] for name in expected} == expected


def test_the_kind_of_judgements_is_inferred_with_a_note_or_taken_as_stated():
    assert assemble(raw()).qrels.judgements == "pooled"  # a grade of 0
    only = assemble(raw(judgements=JUDGED[:1]))
    assert only.qrels.judgements == "positives_only"
    assert any("positives only" in note for note in only.notes)
    stated = assemble(raw(judgements=JUDGED[:1], judgements_kind="complete"))
    assert stated.qrels.judgements == "complete"
    assert not any("taken as" in note for note in stated.notes)
    assert stated.digests.qrels != only.digests.qrels


def test_unknown_ids_are_shown_side_by_side_and_near_misses_are_named():
    documents = (RawDocument("CACM-0756", "x"), RawDocument("b", "y"))
    judged = (RawJudgement("q1", "b", 1), RawJudgement("q1", "CACM-756", 1), RawJudgement("q1", "B ", 1))
    got = assemble(raw(documents, judgements=judged))
    (note,) = (note for note in got.notes if "unknown documents" in note)
    assert note == (
        "2 judgements of 2 unknown documents (in every denominator): theirs 'CACM-756', 'B ', "
        "ours 'CACM-0756', 'b'; misspelt, it seems, 2: 'CACM-756' for 'CACM-0756' (zero padding), "
        "'B ' for 'b' (several of case, blanks, zero padding)"
    )


REFUSED = {
    "toy: no documents": {"documents": ()},
    "toy: no queries": {"queries": ()},
    "c:9: document id 'a' already stands in c:2": {"documents": (*DOCS, RawDocument("a", "again", where="c:9"))},
    "q:9: query id 'q1' already stands in q:2": {"queries": (*QUERIES, RawQuery("q1", "again", where="q:9"))},
    "c:9: empty document id": {"documents": (*DOCS, RawDocument(" ", "x", where="c:9"))},
    "c:9: document id 'a\\tb' holds a control": {"documents": (*DOCS, RawDocument("a\tb", "x", where="c:9"))},
    "longer than 1,024 bytes": {"documents": (*DOCS, RawDocument("ä" * 513, "x", where="c:9"))},
    "j:9: grade 1.5 is not": {"judgements": (RawJudgement("q1", "a", 1.5, "j:9"),)},
    "j:9: grade True is not": {"judgements": (RawJudgement("q1", "a", True, "j:9"),)},
    "j:9: query 'q1', document 'a' has grade 2 here and 1 in j:4": {
        "judgements": (*JUDGED, RawJudgement("q1", "a", 2, "j:9"))
    },
    "j:9: no judged document id is known: the judgements say '7', the dataset says 'C'": {
        "judgements": (RawJudgement("q1", "7", 1, "j:9"),)
    },
    "j:9: no judged query id is known: the judgements say '7', the dataset says 'q1'": {
        "judgements": (RawJudgement("7", "a", 1, "j:9"),)
    },
    "j:2: 1 judgement of 1 unknown document (in": {"strict": True},
    "s:1: characters [2, 7) do not lie in document 'a' of 6 characters": {
        "spans": (RawSpan("q1", "a", 2, 7, where="s:1"),)
    },
    "s:1: characters [3, 3) do not": {"spans": (RawSpan("q1", "a", 3, 3, where="s:1"),)},
    "s:1: unknown document id 'zz'": {"spans": (RawSpan("q1", "zz", 0, 1, where="s:1"),)},
    "s:1: unknown query id 'q9'": {"spans": (RawSpan("q9", "a", 0, 1, where="s:1"),)},
    "q:9: weight -1.0 of query": {"queries": (RawQuery("q1", "x", weight=-1.0, where="q:9"),)},
    "q:2: query 'q1' has no weight, others have": {"queries": (*QUERIES, RawQuery("q9", "x", weight=1.0))},
    "q:9: as_of 'soon' of query 'q1' cannot be read": {"queries": (RawQuery("q1", "x", as_of="soon", where="q:9"),)},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_line(message):
    with pytest.raises(DataError) as refused:
        assemble(raw(**REFUSED[message]))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_digests_ignore_order_and_see_content():
    one = assemble(raw()).digests
    assert one == assemble(raw(DOCS[::-1], QUERIES[::-1], JUDGED[::-1])).digests
    other = assemble(raw((RawDocument("b", "body b!", "Title", date="2020-02-03"), *DOCS[1:]))).digests
    assert (other.queries, other.qrels, other.spans) == (one.queries, one.qrels, one.spans)
    assert other.corpus != one.corpus
    assert other.whole != one.whole


def test_group_numbers_follow_from_the_spans_alone():
    spans = (RawSpan("q1", "a", 3, 5, "late"), RawSpan("q1", "b", 0, 2, "early"), RawSpan("q1", "a", 0, 2, "early"))
    got = assemble(raw(spans=spans)).spans
    assert got is not None
    assert got.doc.tolist() == [1, 1, 2]
    assert got.start.tolist() == [0, 3, 6]  # b carries its title and a line break
    assert got.group.tolist() == [0, 1, 0]
    assert got.group.dtype == np.int32


@given(order=st.permutations(range(6)))
def test_group_numbers_ascend_with_their_first_span_in_any_order_of_rows(order):
    spans = [RawSpan("q1", "a", at, at + 1, f"label {7 * at % 6}") for at in range(6)]
    got = assemble(raw(spans=[spans[at] for at in order])).spans
    assert got is not None
    assert got.group.tolist() == got.start.tolist() == list(range(6))


def test_an_unreadable_date_is_noted_and_refused_when_strict():
    documents = (RawDocument("a", "x", date="Spring", where="c:1"), RawDocument("b", "x", date="1958-12", where="c:2"))
    got = assemble(raw(documents, judgements=()))
    assert np.isnat(got.corpus.dates).tolist() == [True, False]
    assert got.corpus.dates[1] == np.datetime64("1958-12-01T00:00:00")
    assert any("c:1: 1 unreadable date, as 'Spring'" in note for note in got.notes)
    with pytest.raises(DataError, match="c:1: 1 unreadable date, as 'Spring'"):
        assemble(raw(documents, judgements=(), strict=True))
