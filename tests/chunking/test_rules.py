"""The rules that every chunker keeps, on texts made to break them."""

from __future__ import annotations

import gzip
import json
import pydoc_data.topics
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.chunking import Recursive, Sentences, TokenWindow, WholeDocument, chunk_texts
from pipeline.chunking.packing import windows
from pipeline.records import TokenOffsets
from pipeline.tokenizing import WordTokenizer, tokenizer
from pipeline.tokenizing.offsets import assemble, clean


@dataclass(frozen=True)
class ByteTokenizer:
    """One token a UTF-8 byte: several tokens within one character, as GPT-like tokenizers have."""

    def content(self):
        return "bytes"

    def offsets(self, texts):
        spans = []
        for text in texts:
            raw = [(at, at + 1) for at, character in enumerate(text) for _ in character.encode()]
            spans.append(clean(text, np.array(raw, dtype=np.int32).reshape(-1, 2)))
        return assemble(spans, np.array([len(found) for found in spans], dtype=np.int64))


WORDS = WordTokenizer()
BYTES = ByteTokenizer()
CHUNKERS = [TokenWindow, Sentences, Recursive]
ALL = [*CHUNKERS, WholeDocument]
TOPICS = [pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics)]
LIMITS = st.integers(1, 12).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))

ALPHABET = (
    "ab Z_9.!?,\n\t\r-'\"()"  # plain
    "äéßИе́日本語。한글น้ำमस्ते"  # scripts, with marks
    "\u0301\u0308\u200d\u200c\ufe0f\u200b\u00ad\ufeff\x00"  # marks, joiners, invisible, NUL
    "😀👩👧🏽❤🇩🇪🇫𝔘\u1112\u1161\u11ab"  # pictures, flags, wide letters, jamo
)
TEXTS = st.one_of(
    st.text(st.sampled_from(ALPHABET), max_size=80),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.builds(lambda piece, times: piece * times, st.text(st.sampled_from(ALPHABET), max_size=6), st.integers(0, 40)),
    st.sampled_from(["", " \n\t ", "x" * 300, "ab ab ab " * 50, "ä😀한" * 60, "Dr. No. It is. " * 12, "a\n\n" * 30]),
    st.lists(st.sampled_from(["One two.", "Dr. Who?", "\n\n", "x" * 30, "e\u0301" * 9, " "]), max_size=25).map(
        " ".join
    ),
)


def cut(chunker, size, overlap, texts, tokenizer=WORDS):
    """(doc, start, end, tokens) a chunk."""
    chunks = chunker(size, overlap, tokenizer).cut(texts, tokenizer.offsets(texts))
    columns = (chunks.doc, chunks.start, chunks.end, chunks.tokens)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def word_spans(text):
    """[start, end) of words, from the definition: a word character and all word characters and marks after it."""
    spans, start = [], None
    for place, character in enumerate(text):
        is_word = re.match(r"\w", character) is not None
        is_mark = unicodedata.category(character).startswith("M")
        if start is None and is_word:
            start = place
        elif start is not None and not (is_word or is_mark):
            spans.append((start, place))
            start = None
    return spans if start is None else [*spans, (start, len(text))]


def violations(text, rows, offsets, size, overlap):
    """Every rule of docs/chunking.md that `rows` (start, end, tokens) of one document break."""
    if not rows or not text.strip():
        return [] if not rows and not text.strip() else [f"blank: {not text.strip()}, chunks: {len(rows)}"]
    starts = offsets.start.tolist()
    inside = lambda low, high: bisect_left(starts, high) - bisect_left(starts, low)  # noqa: E731
    heaviest = max(Counter(starts).values(), default=0)  # tokens of one character; no border can part them
    broken = [] if (rows[0][0], rows[-1][1]) == (0, len(text)) else ["begin or end of the document is not covered"]
    for start, end, tokens in rows:
        if not (0 <= start < end <= len(text) and tokens == inside(start, end) <= max(size, heaviest)):
            broken.append(f"{start, end} states {tokens} tokens, has {inside(start, end)}, may have {size}")
    for (start, end, _), (following, later, _) in pairwise(rows):
        if not (start < following <= end < later and inside(following, end) <= overlap):
            broken.append(f"no growth, a gap or too much overlap: {start, end, following, later}")
    within = {place for first, last in word_spans(text) for place in range(first + 1, last)}
    between = [0, *(start for start in sorted(set(starts)) if start not in within and start > 0), len(text)]
    for border in within & {place for row in rows for place in row[:2]}:
        at = bisect_left(between, border)
        if inside(between[at - 1], between[at]) <= size:
            broken.append(f"the word at {border} is split, although it has at most {size} tokens")
    return broken


def by_document(rows, count):
    return [[row[1:] for row in rows if row[0] == doc] for doc in range(count)]


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("counter", [WORDS, BYTES], ids=["words", "bytes"])
@settings(max_examples=120, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), limits=LIMITS)
def test_random_documents_keep_all_rules(chunker, counter, texts, limits):
    size, overlap = limits
    documents = by_document(cut(chunker, size, overlap, texts, counter), len(texts))
    for text, rows in zip(texts, documents, strict=True):
        assert violations(text, rows, counter.offsets([text]), size, overlap) == []


@pytest.mark.parametrize("name", ["minilm", "wordllama"])
@pytest.mark.parametrize("chunker", CHUNKERS)
@settings(max_examples=50, deadline=None)
@given(text=TEXTS, limits=LIMITS)
def test_random_documents_keep_all_rules_in_model_tokens(name, chunker, text, limits):
    subwords = tokenizer(name)
    rows = by_document(cut(chunker, *limits, [text], subwords), 1)[0]
    assert violations(text, rows, subwords.offsets([text]), *limits) == []


@pytest.mark.parametrize("chunker", ALL)
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(TEXTS, max_size=5))
@example(texts=["ab", "\u0301de fg hi jk"])  # a mark must not make a word of the neighbour's letters and its own
def test_a_document_is_cut_the_same_whatever_stands_beside_it(chunker, texts):
    together = by_document(cut(chunker, 2, 1, texts), len(texts))
    alone = [by_document(cut(chunker, 2, 1, [text]), 1)[0] for text in texts]
    assert together == alone


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize(
    "text", ["ab ab ab " * 50, "ä😀한" * 200, "x" * 200, "One. Two three! " * 20, "a\n\n\nb c. " * 20]
)
def test_every_size_and_overlap_up_to_twelve_ends_and_keeps_all_rules(chunker, text):
    for counter in (WORDS, BYTES):
        offsets = counter.offsets([text])
        for size in range(1, 13):
            for overlap in range(size):
                rows = [row[1:] for row in cut(chunker, size, overlap, [text], counter)]
                # The reports: "-1" as the place of repeated text, empty chunks within an emoji, endless loops.
                starts = [row[0] for row in rows]
                assert starts == sorted(set(starts))
                assert rows[-1][1] == len(text)
                if overlap in (0, size - 1):
                    assert violations(text, rows, offsets, size, overlap) == []


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize(("size", "overlap"), [(256, 32), (7, 3)])
def test_the_default_corpus_keeps_all_rules(chunker, size, overlap):
    texts = [text[:3000] for text in TOPICS]
    documents = by_document(cut(chunker, size, overlap, texts), len(texts))
    for text, rows in zip(texts, documents, strict=True):
        assert violations(text, rows, WORDS.offsets([text]), size, overlap) == []


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_without_overlap_the_chunks_put_together_are_the_document(chunker):
    subwords = tokenizer("minilm")
    chunks = chunker(64, 0, subwords).cut(TOPICS, subwords.offsets(TOPICS))
    parts = chunk_texts(chunks, TOPICS)
    for doc, text in enumerate(TOPICS):
        assert "".join(part for part, owner in zip(parts, chunks.doc.tolist(), strict=True) if owner == doc) == text


def test_windows_take_as_many_tokens_as_a_border_allows():
    # Borders 0 2 3 7 8, size 4, overlap 2. [0,3): 7 is too far. Back 2 from 3 is 1, but a window that begins at 2
    # reaches 6 and so could not pass 3: it begins at 3. [3,7); then the first border >= 7-2 that can reach 8: 7.
    assert [tuple(w) for w in windows([0, 2, 3, 7, 8], 4, 2)] == [(0, 3), (3, 7), (7, 8)]


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=30),
    LIMITS,
)
def test_windows_are_the_slow_definition(gaps, limits):
    size, overlap = limits
    borders = [0]
    for gap in gaps:
        borders.append(borders[-1] + gap)
    expected, begin = [], 0
    while True:
        later = [border for border in borders if border > begin]
        end = max([border for border in later if border - begin <= size], default=later[0])
        expected.append((begin, end))
        if end == borders[-1]:
            break
        after = min(border for border in borders if border > end)
        fits = [b for b in borders if begin < b <= end and end - b <= overlap and (after - b <= size or b == end)]
        begin = min(fits)
    assert [tuple(window) for window in windows(borders, size, overlap)] == expected


def test_a_whole_document_is_one_chunk_and_a_blank_one_is_none():
    texts = ["a b c", "", " \n ", "\x00"]
    assert cut(WholeDocument, 2, 1, texts) == [(0, 0, 5, 3), (3, 0, 1, 1)]
    assert cut(WholeDocument, 2, 1, texts) == cut(WholeDocument, 512, 0, texts)


def test_a_document_without_tokens_that_is_not_blank_is_one_chunk():
    minilm = tokenizer("minilm")  # knows no private characters
    assert len(minilm.offsets(["\ue000\ue001"]).start) == 0
    for chunker in ALL:
        assert cut(chunker, 5, 2, ["\ue000\ue001"], minilm) == [(0, 0, 2, 0)]


@pytest.mark.parametrize("chunker", [Sentences, Recursive])
def test_a_sentence_that_begins_within_a_token_is_no_border_within_a_word(chunker):
    # The first token reaches over the begin of the sentence (5) into "Two_x"; the second begins inside that word.
    offsets = TokenOffsets(np.array([0, 4]), np.array([0, 7, 11, 12], np.int32), np.array([7, 10, 12, 13], np.int32))
    chunks = chunker(3, 0, WORDS).cut(["One. Two_x y."], offsets)
    assert chunks.start.tolist() == [0, 12]


def test_offsets_of_other_texts_are_refused():
    offsets = WORDS.offsets(["a b c d", "e f"])
    with pytest.raises(ValueError, match="given for 1 texts"):
        TokenWindow(2, 0, WORDS).cut(["a b c d"], offsets)
    with pytest.raises(ValueError, match="text 1 reach beyond"):
        Sentences(2, 0, WORDS).cut(["a b c d", "e"], offsets)


@pytest.mark.parametrize(("name", "tolerance", "equal"), [("minilm", 1, 0.99), ("wordllama", 4, 0.2)])
@pytest.mark.parametrize("chunker", CHUNKERS)
def test_stated_tokens_are_those_of_the_chunk_text_alone(name, tolerance, equal, chunker):
    # MiniLM's words end at blanks and punctuation, so a chunk cut between words has the same tokens by itself.
    # wordllama's reach over blanks: some tokens at the two ends differ.
    subwords = tokenizer(name)
    chunks = chunker(256, 32, subwords).cut(TOPICS, subwords.offsets(TOPICS))
    alone = np.diff(subwords.offsets(chunk_texts(chunks, TOPICS)).indptr)
    assert np.abs(alone - chunks.tokens).max() <= tolerance
    assert np.mean(alone == chunks.tokens) >= equal


def test_evidence_of_a_real_collection_lies_in_chunks_whose_text_is_the_documents(collections):
    with gzip.open(collections / "chroma_chunking" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    for chunker in CHUNKERS:
        chunks = chunker(400, 0, WORDS).cut(texts, WORDS.offsets(texts))
        parts = chunk_texts(chunks, texts)
        for doc, text in enumerate(texts):
            assert "".join(part for part, owner in zip(parts, chunks.doc.tolist(), strict=True) if owner == doc) == text
        assert 0.5 < chunks.tokens.mean() / 400 <= 1.0 and chunks.tokens.max() <= 400
