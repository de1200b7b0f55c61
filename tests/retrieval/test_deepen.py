"""Searching until the last document is there: what is ranked early, and how often more is asked for."""

from __future__ import annotations

import numpy as np

from pipeline.records import Run, Stop
from pipeline.retrieval.deepen import Found, below, search_until


def fetch_from(scores, calls):
    """An engine that gives the k best, among equals those with the smallest positions: the wrong ones."""

    def fetch(rows, k):
        calls.append((rows.tolist(), k))
        best = np.argsort(-scores[rows], axis=1, kind="stable")[:, :k]
        found = np.take_along_axis(scores[rows], best, axis=1)
        bound = found[:, -1] if k < scores.shape[1] else np.full(rows.size, -np.inf)
        return Found(best.astype(np.int32), found, bound)

    return fetch


def test_equals_of_the_last_chunk_fetched_are_not_ranked_before_all_of_them_are_there():
    scores, calls = np.array([[1.0] * 6 + [0.5] * 4]), []
    run = search_until(fetch_from(scores, calls), 1, Stop(np.arange(10, dtype=np.int32), 2))
    assert run.items.tolist() == [[5, 4]]
    assert [k for _, k in calls] == [4, 8]


def test_only_the_queries_that_are_not_there_yet_are_asked_again():
    doc = np.array([0] * 8 + [1, 2], dtype=np.int32)
    scores = np.array([[*range(9, -1, -1)], [*range(10)]], dtype=float)  # the first one meets document 0 eight times
    calls = []
    run = search_until(fetch_from(scores, calls), 2, Stop(doc, 2))
    assert calls == [([0, 1], 4), ([0], 8), ([0], 16)]
    assert run.items.tolist() == [[0, 1, 2, 3, 4, 5, 6, 7, 8], [9, 8, -1, -1, -1, -1, -1, -1, -1]]


def test_blocks_of_queries_stand_below_each_other_at_one_width():
    one = Run("chunk", np.array([[3]], np.int32), np.array([[1.0]]))
    two = Run("chunk", np.array([[4, 5]], np.int32), np.array([[2.0, 1.0]]))
    assert below([one, two]).items.tolist() == [[3, -1], [4, 5]]
    assert below([]).items.shape == (0, 0)
