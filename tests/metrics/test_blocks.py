"""Blocks of queries: all of them once, none too large; and the join against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.metrics.blocks import blocks, join


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(0, 10), st.integers(1, 60))
def test_blocks_hold_every_query_once_and_no_more_cells_than_allowed(counts, width, cells):
    parts = list(blocks(np.array(counts, np.int64), width, cells))
    assert sorted(q for part in parts for q in part.tolist()) == list(range(len(counts)))
    for part in parts:
        longest = max(counts[q] for q in part)
        assert len(part) * (longest + max(width, 1)) <= cells or len(part) == 1


ROW = st.lists(st.integers(0, 12), unique=True, max_size=6)


@given(st.lists(st.tuples(ROW, ROW), min_size=1, max_size=5))
def test_join_finds_what_a_dictionary_finds(rows):
    left, right = (np.array([[*r[i], *[-1] * (6 - len(r[i]))] for r in rows], np.int32) for i in (0, 1))
    got = join(left, right, np.arange(len(rows)), repeats=False)
    expected = {
        (q, a, b) for q, (first, second) in enumerate(rows)
        for a, x in enumerate(first) for b, y in enumerate(second) if x == y
    }  # fmt: skip
    assert set(zip(got.row.tolist(), got.judgement.tolist(), got.hit.tolist(), strict=True)) == expected
