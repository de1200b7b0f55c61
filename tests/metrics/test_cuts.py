"""What chunk borders do to evidence, against every chunk looked at."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.cuts import duplication, straddled
from pipeline.records import Chunks, Spans

PIECE = st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(1, 6)).map(lambda p: (p[0], p[1], p[1] + p[2]))


def chunks_of(pieces):
    doc, start, end = np.array(sorted(pieces), np.int32).reshape(-1, 3).T
    return Chunks(doc, start, end, np.ones(len(doc), np.int32))


def spans_of(pieces):
    doc, start, end = np.array(pieces, np.int32).reshape(-1, 3).T
    zeros = np.zeros(len(doc), np.int32)
    return Spans(zeros, doc, start, end, zeros)


@given(st.lists(PIECE, max_size=8), st.lists(PIECE, max_size=6))
def test_span_is_straddled_where_no_chunk_holds_it_whole(chunks, spans):
    expected = [not any(d == doc and s <= start and end <= e for d, s, e in chunks) for doc, start, end in spans]
    assert straddled(chunks_of(chunks), spans_of(spans)).tolist() == expected


@given(st.lists(PIECE, min_size=1, max_size=8))
def test_duplication_counts_characters_beyond_the_first_time(chunks):
    once = len({(d, c) for d, s, e in chunks for c in range(s, e)})
    assert duplication(chunks_of(chunks)) == pytest.approx(sum(e - s for _, s, e in chunks) / once - 1)


def test_windows_of_four_with_overlap_two_by_hand():
    # 0-4, 2-6, 4-8: 12 characters cover 8
    assert duplication(chunks_of([(0, 0, 4), (0, 2, 6), (0, 4, 8)])) == 0.5
    assert math.isnan(duplication(chunks_of([])))
