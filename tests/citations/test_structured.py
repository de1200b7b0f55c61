"""Citations that providers send beside the answer."""

from __future__ import annotations

import pytest

from pipeline.citations import PROVIDERS, context_of
from tests.citations.written import written

ANSWER = "Paris is the capital. It lies on the Seine."
CONTEXT = context_of(["d1", "d2"], titles=["France", "Rivers"], urls=["https://e.org/fr", "https://e.org/rivers"])


def found(provider, citations, answer=ANSWER, context=CONTEXT):
    return PROVIDERS[provider](answer, citations, context)


def test_openai_url_citations_flat_and_nested():
    flat = {"type": "url_citation", "start_index": 0, "end_index": 21, "url": "https://www.e.org/fr/?utm_source=openai"}
    nested = {
        "type": "url_citation",
        "url_citation": {"start_index": 22, "end_index": 43, "url": "https://e.org/other"},
    }
    result = found("openai", [flat, nested])
    assert written(result.occurrences) == ["d1", "!https://e.org/other"]
    assert [one.sentence for one in result.occurrences] == [0, 1]


def test_openai_file_citations_by_id_name_and_index():
    by_id = {"type": "file_citation", "index": 20, "file_id": "d2", "filename": "x.pdf"}
    by_name = {"type": "file_citation", "index": 42, "file_id": "file-1", "filename": "d1.pdf"}
    result = found("openai", [by_id, by_name])
    assert written(result.occurrences) == ["d2", "~d1"]
    assert [(one.start, one.sentence) for one in result.occurrences] == [(20, 0), (42, 1)]


@pytest.mark.parametrize(
    ("citation", "reason"),
    [
        ({"start_index": 0, "end_index": 99, "file_id": "d1"}, "offsets 0 to 99 in an answer of 43 characters"),
        ({"start_index": 9, "end_index": 5, "file_id": "d1"}, "offsets 9 to 5 in an answer of 43 characters"),
        ({"start_index": 0, "end_index": 5, "text": "Rome", "file_id": "d1"}, "'Rome' does not stand at 0"),
        ({"start_index": True, "end_index": 5, "file_id": "d1"}, "offsets None to 5 in an answer of 43 characters"),
    ],
)
def test_a_citation_that_does_not_fit_is_an_orphan(citation, reason):
    result = found("openai", [citation])
    assert result.occurrences == ()
    assert [(one.place, one.reason) for one in result.orphans] == [(0, reason)]


def test_anthropic_blocks_are_pieces_of_the_answer():
    blocks = [
        {"type": "text", "text": "Paris is the capital. ", "citations": [
            {"type": "page_location", "document_index": 0, "start_page_number": 3, "end_page_number": 4},
            {"type": "char_location", "document_index": 7, "start_char_index": 0, "end_char_index": 9},
        ]},
        {"type": "thinking", "thinking": "…"},
        {"type": "text", "text": "It lies on the Seine.", "citations": [
            {"type": "web_search_result_location", "url": "https://e.org/rivers", "title": "Rivers"},
            {"type": "search_result_location", "source": "d1", "title": "x", "search_result_index": 1},
        ]},
    ]  # fmt: skip
    result = found("anthropic", blocks)
    assert written(result.occurrences) == ["d1", "!7", "d2", "d1"]
    assert [one.sentence for one in result.occurrences] == [0, 0, 1, 1]
    assert result.occurrences[0].locator == "pages 3-4"
    assert result.occurrences[1].reason == "document 7 of 2, counted from 0"


def test_cohere_citations_of_both_versions():
    new = {
        "start": 0,
        "end": 5,
        "text": "Paris",
        "sources": [{"type": "document", "id": "doc:1", "document": {"id": "d2"}}],
    }
    old = {"start": 37, "end": 42, "text": "Seine", "document_ids": ["doc_0", "doc_5", "d2"]}
    result = found("cohere", [new, old])
    assert written(result.occurrences) == ["d2", "d1", "!doc_5", "d2"]


def test_a_citation_beyond_the_last_letter_belongs_to_the_last_sentence():
    (one,) = found("openai", [{"type": "file_citation", "index": 43, "file_id": "d1"}]).occurrences
    assert one.sentence == 1
