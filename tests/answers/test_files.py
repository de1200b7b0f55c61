"""Files of answers: what is read, and the one line for what cannot be."""

from __future__ import annotations

import gzip
import json

import pytest

from pipeline.answers.files import read_answers, stream_answers
from pipeline.answers.reading import cited
from pipeline.citations import Settings
from pipeline.errors import DataError, PipelineError


def written(tmp_path, *lines, name="answers.jsonl"):
    path = tmp_path / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n", "utf-8")
    return path


GOOD = {"id": "x", "query_id": 7, "answer": "A [1].", "context": ["a", 2]}


def test_a_line_becomes_an_answer(tmp_path):
    (one,) = read_answers(written(tmp_path, GOOD)).answers
    assert (one.id, one.query_id, one.text, one.context) == ("x", "7", "A [1].", ("a", "2"))
    assert one.where.endswith("answers.jsonl:1")


def test_a_context_of_objects_brings_titles_and_urls(tmp_path):
    context = [{"id": "a", "title": "T", "url": "https://e.org/a"}, {"doc_id": 2, "title": "U"}]
    (one,) = read_answers(written(tmp_path, {"response": "A (Source: U).", "context": context})).answers
    assert (one.context, one.titles, one.urls) == (("a", "2"), ("T", "U"), ("https://e.org/a", ""))
    assert [found.doc_id for found in cited(one, Settings()).report.occurrences] == ["2"]


def test_titles_of_some_documents_are_titles_of_those(tmp_path):
    # they used to be dropped, all of them, where one document of the context was an id alone
    context = ["a", {"id": "b", "title": "U"}]
    (one,) = read_answers(written(tmp_path, {"answer": "A (Source: U).", "context": context})).answers
    assert one.titles == ("", "U")
    assert [found.doc_id for found in cited(one, Settings()).report.occurrences] == ["b"]


def test_blocks_without_a_text_add_nothing_to_the_answer(tmp_path):
    # "None" used to stand in the answer, and its citations were lost
    cite = {"type": "char_location", "document_index": 1, "start_char_index": 0, "end_char_index": 3}
    blocks = [
        {"type": "text", "text": "One. "},
        {"type": "tool_use", "text": None},
        {"type": "thinking", "text": "Hm. "},
        {"type": "text", "text": None},
        {"type": "text", "text": "Two.", "citations": [cite]},
    ]
    (one,) = read_answers(written(tmp_path, {"content": blocks, "context": ["a", "b"]})).answers
    found = cited(one, Settings())
    assert one.text == "One. Two."
    assert found.orphans == ()
    assert [(x.doc_id, x.start, x.end) for x in found.report.occurrences] == [("b", 5, 9)]


def test_a_gzipped_file_reads_the_same(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress((json.dumps(GOOD) + "\n").encode()))
    assert read_answers(path).answers[0].text == "A [1]."


BAD = {
    "malformed JSON": ('{"answer": ', "malformed JSON"),
    "a list": ("[1]", "is no object"),
    "no answer": ({"query_id": "q", "context": []}, "no 'answer'"),
    "an answer that is NaN": ('{"answer": NaN, "context": []}', "NaN is not JSON"),
    "an answer that is a number": ({"answer": 3}, "'answer' is 3, expected text or null"),
    "a context that is text": ({"answer": "a", "context": "d1"}, "expected a list of ids"),
    "a context without ids": ({"answer": "a", "context": [{"text": "…"}]}, "document 1 of 'context' has no id"),
    "an empty id": ({"answer": "a", "context": ["x", " "]}, "id of document 2 of 'context' is \" \""),
    "an id that is null": ({"answer": "a", "context": [None]}, "id of document 1 of 'context' is null"),
    "an id that is a fraction": ({"answer": "a", "context": [1.5]}, "is 1.5; expected text or a whole number"),
    "an id that is true": ({"answer": "a", "context": [True]}, "is true"),
    "titles for other documents": ({"answer": "a", "context": ["x"], "titles": ["a", "b"]}, "2 titles for 1 documents"),
    "a query id that is a list": ({"answer": "a", "query_id": [1]}, "'query_id' is [1]"),
    "a time that is a number": ({"answer": "a", "time": 5}, "'time' is 5"),
    "half a character": ('{"answer": "\\ud800"}', "half of a character"),
    "annotations that are text": ({"answer": "a", "annotations": "x"}, "'annotations' is \"x\""),
    "a file citation that is text": (
        {"answer": "a", "annotations": [{}, {"file_citation": "x"}]},
        "'annotations' 2: 'file_citation' is \"x\", expected an object",
    ),
    "citations of a block that are text": (
        {"content": [{"type": "text", "text": "a", "citations": "x"}]},
        "'content' 1: 'citations' is \"x\", expected a list",
    ),
    "citations of a block that are numbers": (
        {"content": [{"type": "text", "text": "a", "citations": [3]}]},
        "'content' 1: 'citations' is [3], expected a list of objects",
    ),
    "a block whose text is a list": ({"content": [{"text": ["a"]}]}, "'content' 1: 'text' is [\"a\"], expected text"),
    "citations that are ids": (
        {"answer": "a", "citations": ["kb-1"]},
        "'citations' is [\"kb-1\"], expected a list of objects as cohere sends them",
    ),
    "document ids that are a number": (
        {"answer": "a", "citations": [{"document_ids": 3}]},
        "'citations' 1: 'document_ids' is 3, expected a list",
    ),
    "sources that are ids": (
        {"answer": "a", "citations": [{"sources": ["d"]}]},
        "'sources' is [\"d\"], expected a list of",
    ),
    "a document that is an id": (
        {"answer": "a", "citations": [{"sources": [{"document": "d"}]}]},
        "'document' is \"d\", expected an object",
    ),
    "sources of another provider than the field's": (
        {"answer": "a", "provider": "cohere", "annotations": [{"sources": ["d"]}]},
        "'sources' is [\"d\"]",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_is_one_line_with_its_place(tmp_path, name):
    line, said = BAD[name]
    path = written(tmp_path, GOOD, line)
    with pytest.raises(DataError) as caught:
        read_answers(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe{\0", b'{"answer": "\xe9"}\n', b'{"answer": "\0"}\n'])
def test_a_wrong_encoding_is_one_line_with_its_place(tmp_path, content):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.jsonl:1: "):
        read_answers(path)


def test_an_id_that_comes_twice_names_both_lines(tmp_path):
    path = written(tmp_path, GOOD, {**GOOD, "id": "y"}, GOOD)
    with pytest.raises(DataError, match=r":3: answer id 'x' stands in line 1 already"):
        read_answers(path)


def test_an_empty_file_and_no_file_are_said(tmp_path):
    with pytest.raises(DataError, match="holds no answer"):
        read_answers(written(tmp_path, ""))
    with pytest.raises(PipelineError, match="no such file"):
        read_answers(tmp_path / "nothing")


def test_what_is_odd_but_usable_is_counted(tmp_path):
    rows = [
        {"id": 1, "answer": None, "context": ["a"]},
        {"id": 2, "answer": "", "context": ["a", "a"]},
        {"id": 3, "answer": "A [1]."},
        {"id": 4, "answer": "A [1].", "context": ["01", "1"]},
    ]
    answers = read_answers(written(tmp_path, *rows))
    assert answers.counts == {
        "no answer": 1,
        "empty answer": 1,
        "no context": 1,
        "repeated context ids": 1,
        "context ids that differ by zeros only": 1,
    }
    states = [cited(one, Settings()).report.state for one in answers.answers]
    assert states == ["missing", "empty", "cited", "cited"]


def test_only_one_answer_is_held_at_a_time(tmp_path):
    path = written(tmp_path, GOOD, "broken")
    stream = stream_answers(path)
    assert next(stream).id == "x"
    with pytest.raises(DataError):
        next(stream)


def test_structured_citations_and_marks_that_none_covers_are_joined(tmp_path):
    text = "One [1]. Two."
    row = {"id": 1, "answer": text, "context": ["a", "b"]}
    row["annotations"] = [
        {"type": "file_citation", "start_index": 9, "end_index": 13, "text": "Two.", "file_id": "b"},
        {"type": "file_citation", "start_index": 0, "end_index": 3, "text": "Two.", "file_id": "b"},
    ]
    (one,) = read_answers(written(tmp_path, row)).answers
    found = cited(one, Settings())
    assert [(x.doc_id, x.sentence, x.format) for x in found.report.occurrences] == [
        ("a", 0, "bracket_number"),
        ("b", 1, "openai"),
    ]
    assert len(found.orphans) == 1


def test_a_mark_that_a_structured_citation_covers_counts_once(tmp_path):
    row = {"id": 1, "answer": "One [1]. Two [2].", "context": ["a", "b"]}
    row["annotations"] = [{"start_index": 4, "end_index": 7, "text": "[1]", "file_id": "a"}]
    (one,) = read_answers(written(tmp_path, row)).answers
    assert [(x.doc_id, x.format) for x in cited(one, Settings()).report.occurrences] == [
        ("a", "openai"),
        ("b", "bracket_number"),
    ]
