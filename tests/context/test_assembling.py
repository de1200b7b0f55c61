"""Contexts by hand, and what holds of every one: pieces lie in documents, hold their hits, obey the cap, in order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context import Chunk, Parent, Window
from pipeline.context.bare import width_for
from pipeline.context.merging import merged
from pipeline.errors import SettingError
from pipeline.records import Chunks, Context, Run, TokenOffsets
from pipeline.tokenizing.words import WordTokenizer


def cut(texts: list[str], size: int) -> tuple[Chunks, TokenOffsets]:
    """Chunks of `size` words, without overlap."""
    tokens = WordTokenizer().offsets(texts)
    rows = []
    for doc, text in enumerate(texts):
        starts = tokens.start[tokens.indptr[doc] : tokens.indptr[doc + 1]].tolist()
        for first in range(0, len(starts), size):
            start = 0 if first == 0 else starts[first]
            end = starts[first + size] if first + size < len(starts) else len(text)
            rows.append((doc, start, end, min(size, len(starts) - first)))
    return Chunks(*np.array(rows, np.int32).reshape(-1, 4).T), tokens


def ranked(*rows: list[int]) -> Run:
    width = max(map(len, rows))
    items = np.array([row + [-1] * (width - len(row)) for row in rows], np.int32)
    return Run("chunk", items, np.where(items >= 0, 1.0, np.nan))


def pieces(context: Context, row: int = 0) -> list[tuple[int, int, int]]:
    columns = (context.doc[row], context.start[row], context.end[row])
    return [(d, s, e) for d, s, e in zip(*(column.tolist() for column in columns), strict=True) if d >= 0]


# Words of three letters: word n of a text is characters [4n, 4n+3), a chunk of two words is [8i, 8i+8).
TEXTS = ["aaa bbb ccc ddd eee fff ggg hhh", "iii jjj kkk"]


def test_a_chunk_is_its_own_context() -> None:
    chunks, tokens = cut(TEXTS, 2)
    assert pieces(Chunk().assemble(ranked([1, 5]), chunks, TEXTS, tokens)) == [(0, 8, 16), (1, 8, 11)]


def test_a_window_reaches_to_the_neighbours_and_never_into_the_next_document() -> None:
    chunks, tokens = cut(TEXTS, 2)  # chunks 0..3 in text 0, 4 and 5 in text 1
    context = Window(1, merge_overlaps=False).assemble(ranked([1], [3], [4]), chunks, TEXTS, tokens)
    assert [pieces(context, row) for row in range(3)] == [[(0, 0, 24)], [(0, 16, 31)], [(1, 0, 11)]]


def test_neighbouring_hits_are_paid_for_once_when_merged() -> None:
    chunks, tokens = cut(TEXTS, 2)
    # Chunk 1 brings 0..2 = [0, 24); chunk 2 would bring 1..3 = [8, 31), of which [24, 31) is new.
    assert pieces(Window(1).assemble(ranked([1, 2]), chunks, TEXTS, tokens)) == [(0, 0, 24), (0, 24, 31)]


def test_merging_leaves_out_the_middle_that_is_there_already() -> None:
    context = Context(*(np.array([row], np.int32) for row in ([0, 0, 1, 0], [4, 0, 0, 2], [8, 12, 3, 9])))
    assert pieces(merged(context)) == [(0, 4, 8), (0, 0, 4), (0, 8, 12), (1, 0, 3)]


def test_merging_adds_no_text_between_two_pieces() -> None:
    context = Context(*(np.array([row], np.int32) for row in ([0, 0], [0, 8], [4, 12])))
    assert pieces(merged(context)) == [(0, 0, 4), (0, 8, 12)]


SECTIONS = "intro one\n\n# First\none two three\n\nfour five\n\n# Second\nsix seven\n"


def test_a_section_reaches_from_its_heading_to_the_next() -> None:
    chunks, tokens = cut([SECTIONS], 2)
    hit = next(i for i, (s, e) in enumerate(zip(chunks.start, chunks.end, strict=True)) if "three" in SECTIONS[s:e])
    ((_, start, end),) = pieces(Parent().assemble(ranked([hit]), chunks, [SECTIONS], tokens))
    assert SECTIONS[start:end] == "# First\none two three\n\nfour five\n\n"


def test_a_text_without_headings_has_blocks_between_blank_lines_for_sections() -> None:
    text = "aaa bbb\n\nccc ddd\neee\n\nfff"
    chunks, tokens = cut([text], 1)
    ((_, start, end),) = pieces(Parent().assemble(ranked([3]), chunks, [text], tokens))
    assert text[start:end] == "ccc ddd\neee\n\n"


def test_a_hit_over_two_sections_takes_both() -> None:
    chunks, tokens = cut([SECTIONS], 6)  # words: intro one # First one two | three four five # Second six | seven
    ((_, start, end),) = pieces(Parent().assemble(ranked([0]), chunks, [SECTIONS], tokens))
    assert (start, SECTIONS[end:]) == (0, "# Second\nsix seven\n")


def test_a_capped_parent_is_cut_evenly_and_what_one_side_lacks_goes_to_the_other() -> None:
    text = " ".join(f"w{n:02d}" for n in range(20))  # word n is [4n, 4n+3)
    chunks, tokens = cut([text], 2)
    parent = Parent("document", cap=6)
    middle, first, last = (pieces(parent.assemble(ranked([i]), chunks, [text], tokens))[0][1:] for i in (5, 0, 9))
    assert middle == (8 * 4, 14 * 4)  # words 10 and 11 with two on each side
    assert first == (0, 6 * 4)  # nothing before: all four behind
    assert last == (14 * 4, len(text))


def test_a_cut_that_falls_into_a_word_moves_inwards() -> None:
    text = "abcdef hit uvwxyz"
    # Every letter is a token: hit = tokens 6..8; cap 7 leaves two on each side, within the words beside it.
    places = [i for i, character in enumerate(text) if character != " "]
    tokens = TokenOffsets(np.array([0, len(places)]), np.array(places, np.int32), np.array(places, np.int32) + 1)
    chunks = Chunks(*(np.array([v], np.int32) for v in (0, 7, 10, 3)))
    ((_, start, end),) = pieces(Parent("document", cap=7).assemble(ranked([0]), chunks, [text], tokens))
    assert text[start:end].strip() == "hit"


@pytest.mark.parametrize(
    "bad", [lambda: Window(0), lambda: Window(True), lambda: Parent("page"), lambda: Parent(cap=0)]
)
def test_settings_that_mean_nothing_are_refused(bad) -> None:
    with pytest.raises(SettingError, match=r"context\.\w+="):
        bad()


def test_ranks_are_kept_until_every_query_has_its_tokens() -> None:
    chunks, _ = cut(TEXTS, 2)
    run = ranked([0, 1, 2, 3], [5, 4])  # 2 tokens each, chunk 5 has one
    assert [width_for(run, chunks, tokens) for tokens in (1, 3, 5, 99)] == [1, 2, 4, 4]


ASSEMBLERS = st.one_of(
    st.builds(Chunk, st.booleans()),
    st.builds(Window, st.integers(1, 3), st.booleans()),
    st.builds(Parent, st.sampled_from(["section", "document"]), st.integers(1, 12), st.booleans()),
)
WORD = st.sampled_from(["aa", "b", "# C\n", "\n\n", "dd ", "e-e", "ü"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(WORD, min_size=1, max_size=12), min_size=1, max_size=3), ASSEMBLERS, st.data())
def test_every_context_holds_its_hits_in_rank_order(words: list[list[str]], assembler, data: st.DataObject) -> None:
    texts = ["x " + " ".join(row) for row in words]
    chunks, tokens = cut(texts, data.draw(st.integers(1, 4)))
    hits = data.draw(st.permutations(range(len(chunks.doc))))[:4]
    context = assembler.assemble(ranked(list(hits)), chunks, texts, tokens)
    found = pieces(context)
    assert all(0 <= start < end <= len(texts[doc]) for doc, start, end in found)
    covered: set[tuple[int, int]] = set()
    first_seen = {}
    for rank, (doc, start, end) in enumerate(found):
        characters = {(doc, at) for at in range(start, end)}
        if assembler.merge_overlaps:
            assert not characters & covered
        for one in characters - covered:
            first_seen[one] = rank
        covered |= characters
    for hit in hits:
        assert {(int(chunks.doc[hit]), at) for at in range(chunks.start[hit], chunks.end[hit])} <= covered
    firsts = [first_seen[int(chunks.doc[hit]), int(chunks.start[hit])] for hit in hits]
    assert firsts[0] <= 1 and found[0][0] == chunks.doc[hits[0]]
    if not assembler.merge_overlaps:
        assert len(found) == len(hits) and [doc for doc, _, _ in found] == chunks.doc[list(hits)].tolist()
    if isinstance(assembler, Parent) and not assembler.merge_overlaps:
        for hit, (doc, start, end) in zip(hits, found, strict=True):
            starts = tokens.start[tokens.indptr[doc] : tokens.indptr[doc + 1]]
            count = int(((starts >= start) & (starts < end)).sum())
            assert count <= max(assembler.cap, int(chunks.tokens[hit]))
