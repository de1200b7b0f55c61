"""The one sort, where a ranking ends, and how chunks become documents."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.ranking import count_documents, cut, end_at_depth, fold, padded, rank_chunks, rank_documents, rounded
from pipeline.records import Run, Stop


def ints(rows):
    return np.array(rows, dtype=np.int32)


def floats(rows):
    return np.array(rows, dtype=np.float64)


def hits(run, row=0):
    return [int(item) for item in run.items[row] if item >= 0]


# One row: distinct items with coarse scores, so that ties are common.
rows = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from([-2.0, 0.0, 0.5, 0.5, 1.0, float("-inf"), float("inf")])),
    max_size=25,
    unique_by=lambda pair: pair[0],
)
documents_of_chunks = ints(sorted(np.random.default_rng(5).integers(0, 9, 31)))


def as_arrays(queries):
    width = max((len(query) for query in queries), default=0) + 1
    items, scores = np.full((len(queries), width), -1, np.int32), np.full((len(queries), width), np.nan)
    for row, query in enumerate(queries):
        for column, (item, score) in enumerate(query):
            items[row, column + 1], scores[row, column + 1] = item, score  # nothing stands first, on purpose
    return items, scores


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_equal_scores_come_in_descending_id_order_whatever_order_they_arrive_in(order):
    # Bug log 1: d1, d2, d3 with score 1.0 in any order of the file; trec_eval's order is d3, d2, d1.
    run = rank_documents(ints([order]), floats([[1.0, 1.0, 1.0]]))
    assert run.items.tolist() == [[2, 1, 0]]


def test_scores_are_compared_as_doubles():
    # In float32 the two would tie and the greater id, 1, would win.
    run = rank_documents(ints([[0, 1]]), floats([[100000.001, 100000.0]]))
    assert run.items.tolist() == [[0, 1]]


@given(st.lists(rows, max_size=4))
def test_document_order_agrees_with_a_plain_sort(queries):
    run = rank_documents(*as_arrays(queries))
    for row, query in enumerate(queries):
        expected = sorted(query, key=lambda pair: (pair[1], pair[0]), reverse=True)
        assert hits(run, row) == [item for item, _ in expected]
        assert run.scores[row][: len(expected)].tolist() == [score for _, score in expected]
        assert np.isnan(run.scores[row][len(expected) :]).all()


@given(st.lists(rows, max_size=4))
def test_chunk_order_agrees_with_a_plain_sort(queries):
    run = rank_chunks(*as_arrays(queries), documents_of_chunks)
    for row, query in enumerate(queries):
        # Python sorts are stable: the last key first.
        expected = sorted(query)
        expected.sort(key=lambda pair: documents_of_chunks[pair[0]], reverse=True)
        expected.sort(key=lambda pair: pair[1], reverse=True)
        assert hits(run, row) == [item for item, _ in expected]


def test_a_chunk_tie_goes_to_the_later_document_and_there_to_the_earlier_start():
    run = rank_chunks(ints([[0, 1, 2, 3]]), floats([[7.0] * 4]), ints([0, 0, 1, 1]))
    assert run.items.tolist() == [[2, 3, 0, 1]]


def test_a_nan_score_is_refused_and_the_query_row_named():
    with pytest.raises(SettingError, match="query row 1"):
        rank_documents(ints([[0, 1], [0, 1]]), floats([[1.0, 2.0], [1.0, np.nan]]))


def test_nan_where_there_is_nothing_is_no_score():
    run = rank_documents(ints([[-1, 4], [-1, -1]]), floats([[np.nan, 1.0], [np.nan, np.nan]]))
    assert run.items.tolist() == [[4], [-1]]


def test_rounding_makes_noise_equal_and_zero_unsigned():
    values = rounded(floats([[0.1234564, 0.12345641, -1e-9]]))
    assert values.tolist() == [[0.123456, 0.123456, 0.0]]
    assert not np.signbit(values[0, 2])


@pytest.mark.parametrize(
    "depth, kept",
    # The ranking 3 4 0 5 1 2 6 goes through documents 2 2 0 2 0 1 2: the second document comes with the third chunk.
    # Three documents are all there are: then the ranking goes on, as a context is filled by chunks.
    [(1, 1), (2, 3), (3, 7), (4, 7)],
)
def test_a_ranking_ends_exactly_at_the_chunk_that_brings_in_the_last_document(depth, kept):
    ranking = [3, 4, 0, 5, 1, 2, 6]
    run = Run("chunk", ints([ranking]), floats([[7, 6, 5, 4, 3, 2, 1]]))
    ended = end_at_depth(run, Stop(ints([0, 0, 1, 2, 2, 2, 2]), depth))
    assert hits(ended) == ranking[:kept]


@given(st.lists(rows, min_size=1, max_size=4), st.integers(1, 10))
def test_end_at_depth_agrees_with_walking_down_the_ranking(queries, depth):
    run = rank_chunks(*as_arrays(queries), documents_of_chunks)
    ended = end_at_depth(run, Stop(documents_of_chunks, depth))
    for row in range(len(queries)):
        walked, seen = [], set()
        for chunk in hits(run, row):
            walked.append(chunk)
            seen.add(int(documents_of_chunks[chunk]))
            if len(seen) == depth < len(set(documents_of_chunks.tolist())):
                break
        assert hits(ended, row) == walked
        assert count_documents(ended, documents_of_chunks)[row] == len(seen)


def test_where_all_documents_are_wanted_a_ranking_still_ends_at_the_thousandth_chunk():
    # 2,000 chunks of one document: on five long documents contexts of small chunks once ended below 2,048 tokens.
    run = Run("chunk", np.arange(2000, dtype=np.int32)[None], -np.arange(2000.0)[None])
    assert len(hits(end_at_depth(run, Stop(np.zeros(2000, np.int32), 100)))) == 1000


@given(st.lists(rows, min_size=1, max_size=4), st.integers(1, 5))
def test_a_deeper_ranking_only_goes_on(queries, depth):
    run = rank_chunks(*as_arrays(queries), documents_of_chunks)
    for row in range(len(queries)):
        short = hits(end_at_depth(run, Stop(documents_of_chunks, depth)), row)
        assert hits(end_at_depth(run, Stop(documents_of_chunks, depth + 1)), row)[: len(short)] == short


def test_two_chunks_of_one_document_are_one_hit():
    # Bug log 4: chunks a#1 and a#2 of document a (0), then one of b (1); recall at 2 must not count a twice.
    run = fold(Run("chunk", ints([[0, 1, 2]]), floats([[3.0, 2.0, 1.0]])), ints([0, 0, 1]))
    assert (run.unit, run.items.tolist(), run.scores.tolist()) == ("document", [[0, 1]], [[3.0, 1.0]])


@given(st.lists(rows, min_size=1, max_size=4))
def test_fold_agrees_with_a_dictionary_of_best_scores(queries):
    run = fold(rank_chunks(*as_arrays(queries), documents_of_chunks), documents_of_chunks)
    for row, query in enumerate(queries):
        best = {}
        for chunk, score in query:
            document = int(documents_of_chunks[chunk])
            best[document] = max(score, best.get(document, score))
        expected = sorted(best.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
        assert hits(run, row) == [document for document, _ in expected]
        assert run.scores[row][: len(expected)].tolist() == [score for _, score in expected]


def test_summing_lets_many_mediocre_chunks_win_and_the_best_chunk_does_not():
    # Document 0 has one chunk of 0.9, document 1 three of 0.4 (sum 1.2).
    run = Run("chunk", ints([[0, 1, 2, 3]]), floats([[0.9, 0.4, 0.4, 0.4]]))
    assert hits(fold(run, ints([0, 1, 1, 1]))) == [0, 1]
    assert hits(fold(run, ints([0, 1, 1, 1]), "sum")) == [1, 0]


def test_an_unknown_fold_is_refused():
    with pytest.raises(SettingError, match="max, sum; got 'min'"):
        fold(Run("chunk", ints([[0]]), floats([[1.0]])), ints([0]), "min")


def test_no_queries_no_hits_and_no_chunks_are_no_special_case():
    none, nothing = np.zeros(0, np.int32), Run("chunk", np.zeros((2, 0), np.int32), np.zeros((2, 0)))
    assert rank_chunks(nothing.items, nothing.scores, none).items.shape == (2, 0)
    assert end_at_depth(nothing, Stop(none, 3)).items.shape == (2, 0)
    assert fold(nothing, none).items.shape == (2, 0)
    assert fold(Run("chunk", np.zeros((0, 0), np.int32), np.zeros((0, 0))), none).items.shape == (0, 0)


def test_cut_keeps_the_first_hits_and_the_names_of_foreign_documents():
    run = cut(Run("document", ints([[4, 2, 1]]), floats([[3, 2, 1]]), foreign=("x",)), 2)
    assert (run.items.tolist(), run.scores.tolist(), run.foreign) == ([[4, 2]], [[3, 2]], ("x",))


def test_a_flat_list_becomes_rows_in_its_own_order():
    run = padded("chunk", np.array([0, 0, 2]), ints([5, 3, 9]), floats([1.0, 2.0, 3.0]), 3)
    assert run.items.tolist() == [[5, 3], [-1, -1], [9, -1]]
