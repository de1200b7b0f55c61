from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.embedding.batches import batches, distinct, encodable, mean_by_owner, normalised, windows


@given(st.lists(st.sampled_from(["a", "b", "c", ""])))
def test_distinct_texts_lead_back_to_what_was_asked(texts):
    asked = distinct(texts)
    assert [asked.texts[place] for place in asked.places] == texts
    assert len(set(asked.texts)) == len(asked.texts)
    assert asked.counts.tolist() == [texts.count(text) for text in asked.texts]


def test_lone_surrogates_become_the_replacement_character_and_pairs_are_joined():
    assert encodable("a\ud800b") == "a\ufffdb"
    assert encodable("\ud83d\ude00") == "😀"
    assert distinct(["a\ud800", "a\ufffd"]).places.tolist() == [0, 0]


@given(st.lists(st.integers(0, 300), min_size=1), st.integers(1, 9), st.integers(1, 400))
def test_batches_hold_every_text_once_within_both_bounds(lengths, most_texts, most_tokens):
    packed = batches(np.array(lengths), most_texts, most_tokens)
    assert sorted(at for batch in packed for at in batch) == list(range(len(lengths)))
    for batch in packed:
        widest = max(lengths[at] for at in batch)
        assert len(batch) <= most_texts
        assert len(batch) == 1 or len(batch) * widest <= most_tokens
    heads = [lengths[batch[0]] for batch in packed]
    assert heads == sorted(heads, reverse=True)


def cut(text: str, limit: int) -> list[str]:
    spans = [match.span() for match in re.finditer(r"\S", text)]  # every character is a token
    starts, ends = [span[0] for span in spans], [span[1] for span in spans]
    return [text[window.start : window.end] for window in windows(text, starts, ends, limit)]


@pytest.mark.parametrize(
    "text, limit, expected",
    [
        ("ab cd ef", 4, ["ab cd", "ef"]),
        ("ab cd ef", 3, ["ab", "cd", "ef"]),  # three would split "cd"
        ("abcdefg", 3, ["abc", "def", "g"]),  # nowhere to part: split where full
        ("ab cdefghi", 4, ["ab", "cdef", "ghi"]),
        ("abc", 3, ["abc"]),
        ("", 3, [""]),
    ],
)
def test_windows_end_before_white_space_where_there_is_some(text, limit, expected):
    assert cut(text, limit) == expected


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 7))
def test_windows_cover_every_token_once_in_order(text, limit):
    pieces = cut(text, limit)
    assert "".join("".join(piece.split()) for piece in pieces) == "".join(text.split())
    assert all(len("".join(piece.split())) <= limit for piece in pieces)


def test_the_mean_over_windows_is_weighted_by_their_tokens():
    # text 0: (1,0) with 3 tokens and (0,1) with 1 token -> (0.75, 0.25); text 1: one window without tokens.
    vectors = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    mean = mean_by_owner(vectors, np.array([0, 0, 1]), np.array([3, 1, 0]), 2)
    assert mean.tolist() == [[0.75, 0.25], [0.0, 1.0]]


def test_rows_get_unit_length_and_a_zero_row_stays_zero():
    assert normalised(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[np.float32(0.6), np.float32(0.8)], [0.0, 0.0]]
