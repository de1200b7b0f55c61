"""Prefixes: what stands before a chunk, what it costs, and that places stay those of the text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.chunking import Recursive, Sentences, TokenWindow, WholeDocument, cut, index_texts
from pipeline.errors import SettingError
from pipeline.records import Corpus
from pipeline.tokenizing.words import WordTokenizer

WORDS = WordTokenizer()


def corpus(texts: list[str], titles: list[str]) -> Corpus:
    none = np.full(len(texts), np.datetime64("NaT", "s"))
    return Corpus(
        tuple(f"d{n}" for n in range(len(texts))), tuple(texts), tuple(titles), none, tuple({} for _ in texts)
    )


def pieces(chunker, texts: list[str], titles: list[str]) -> list[tuple[str, int]]:
    """(what is indexed, tokens) of every chunk."""
    chunks = cut(chunker, corpus(texts, titles), WORDS.offsets(texts))
    return list(zip(index_texts(chunks, texts), chunks.tokens.tolist(), strict=True))


def test_a_title_stands_before_every_chunk_and_counts_in_its_size() -> None:
    # Size 6 less 2 words of title and the line break leaves 3 words of text.
    found = pieces(TokenWindow(6, 0, WORDS, "title"), ["a b c d e"], ["Big Cat"])
    assert found == [("Big Cat\na b c ", 6), ("Big Cat\nd e", 5)]


def test_a_title_that_the_text_begins_with_does_not_count_twice() -> None:
    found = pieces(TokenWindow(6, 0, WORDS, "title"), ["Big Cat\na b c d"], ["Big Cat"])
    assert found == [("Big Cat\na ", 3), ("Big Cat\nb c d", 6)]


def test_a_document_without_title_is_cut_as_without_prefix() -> None:
    assert pieces(TokenWindow(3, 0, WORDS, "title"), ["a b c d"], [""]) == [("a b c ", 3), ("d", 1)]


TEXT = "pre\n\n# One\na b c d\n\n## Two\ne f\n\n# Three\ng\n"


def test_headings_are_borders_and_stand_before_what_follows_them() -> None:
    found = [text for text, _ in pieces(TokenWindow(12, 0, WORDS, "headings"), [TEXT], [""])]
    assert found == ["pre\n\n", "# One\na b c d\n\n", "One\n## Two\ne f\n\n", "# Three\ng\n"]


def test_a_long_section_repeats_its_path_of_headings() -> None:
    text = "# One\n## Two\na b c d e f g h\n"
    # "One > Two" has 3 tokens: 8 - 3 - 1 = 4 of text, the two signs of "##" and the heading among them.
    found = [text for text, _ in pieces(TokenWindow(8, 0, WORDS, "headings"), [text], [""])]
    assert found[:3] == ["# One\n", "One\n## Two\na ", "One > Two\nb c d e "]


def test_the_title_leads_the_path_and_a_joined_one_stays_with_the_first_section() -> None:
    found = [text for text, _ in pieces(TokenWindow(12, 0, WORDS, "headings"), ["T\n# One\na\n# Two\nb"], ["T"])]
    assert found == ["T\n# One\na\n", "T\n# Two\nb"]


def test_a_prefix_of_half_the_size_is_refused_with_the_document() -> None:
    with pytest.raises(SettingError, match=r"prefix=title.*'d1'.*3 tokens.*chunk_size=6"):
        pieces(TokenWindow(6, 0, WORDS, "title"), ["a", "b"], ["x", "one two three"])


def test_an_unknown_prefix_is_refused_and_whole_documents_have_none() -> None:
    with pytest.raises(SettingError, match=r"chunker\.prefix='url'"):
        TokenWindow(6, 0, WORDS, "url")
    assert pieces(WholeDocument(6, 0, WORDS), ["a b"], ["T"]) == [("a b", 2)]


def test_a_corpus_without_documents_has_no_chunks() -> None:
    assert pieces(TokenWindow(6, 0, WORDS, "title"), [], []) == []


LINE = st.sampled_from(["# H", "## K", "one two three.", "four", "", "Five six. Seven eight.", "x" * 5])
CUTTERS = st.builds(
    lambda kind, size, overlap, prefix: kind(size=size, overlap=overlap, tokenizer=WORDS, prefix=prefix),
    st.sampled_from([TokenWindow, Sentences, Recursive]),
    st.integers(16, 30),
    st.integers(0, 6),
    st.sampled_from(["title", "headings"]),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(st.lists(LINE, max_size=12), st.sampled_from(["", "Tee", "One two"])), max_size=4), CUTTERS)
def test_chunks_with_prefixes_cover_the_text_within_their_size(rows, chunker) -> None:
    texts, titles = ["\n".join(lines) for lines, _ in rows], [title for _, title in rows]
    chunks = cut(chunker, corpus(texts, titles), WORDS.offsets(texts))
    indexed = index_texts(chunks, texts)
    assert chunks.prefix is not None and len(indexed) == len(chunks.doc)
    covered: dict[int, set[int]] = {}
    for doc, start, end, tokens, text in zip(
        chunks.doc.tolist(), chunks.start.tolist(), chunks.end.tolist(), chunks.tokens.tolist(), indexed, strict=True
    ):
        assert text.endswith(texts[doc][start:end])
        assert len(WORDS.offsets([text]).start) <= tokens <= chunker.size
        covered.setdefault(doc, set()).update(range(start, end))
    for doc, text in enumerate(texts):
        assert {at for at, character in enumerate(text) if not character.isspace()} <= covered.get(doc, set())
    order = list(zip(chunks.doc.tolist(), chunks.start.tolist(), strict=True))
    assert order == sorted(order)
