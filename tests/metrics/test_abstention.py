"""When to stay silent: by hand, and against every pair counted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.metrics.abstention import auroc, coverage_error, threshold, top_scores
from pipeline.records import Run

ROWS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=12)


def columns(rows):
    return np.array([r[0] for r in rows], float), np.array([r[1] for r in rows], bool)


@given(ROWS)
def test_auroc_is_the_share_of_pairs_in_the_right_order(rows):
    scores, yes = columns(rows)
    pairs = [(a > b) + (a == b) / 2 for a in scores[yes] for b in scores[~yes]]
    expected = np.mean(pairs) if pairs else math.nan
    np.testing.assert_allclose(auroc(scores, yes), expected, atol=1e-12)


def test_perfect_and_useless_scores():
    yes = np.array([True, True, False])
    assert auroc(np.array([3.0, 2.0, 1.0]), yes) == 1.0
    assert auroc(np.array([1.0, 1.0, 1.0]), yes) == 0.5
    assert auroc(np.array([1.0, 1.0, 3.0]), yes) == 0.0
    assert math.isnan(auroc(np.array([1.0]), np.array([True])))


@given(ROWS)
def test_curve_is_what_each_threshold_gives(rows):
    scores, right = columns(rows)
    curve = coverage_error(scores, right)
    assert curve.threshold.tolist() == sorted(set(scores.tolist()), reverse=True)
    for at, coverage, error in zip(*curve, strict=True):
        answered = scores >= at
        assert coverage == pytest.approx(answered.mean())
        assert error == pytest.approx((~right)[answered].mean())


def test_threshold_has_the_largest_coverage_that_keeps_the_error():
    scores, right = np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False])
    # errors at 4, 3, 2, 1: 0, 1/2, 1/3, 1/2
    assert threshold(scores, right, 0.4) == 2.0
    assert threshold(scores, right, 0.0) == 4.0
    assert threshold(scores, ~right, 0.0) == math.inf
    with pytest.raises(SettingError):
        threshold(scores, right, 1.5)


def test_query_without_hits_has_the_lowest_score():
    run = Run("document", np.array([[5, 2], [-1, -1]], np.int32), np.array([[0.5, 0.1], [np.nan, np.nan]]))
    assert top_scores(run).tolist() == [0.5, -math.inf]
    assert top_scores(Run("document", np.zeros((2, 0), np.int32), np.zeros((2, 0)))).tolist() == [-math.inf] * 2


def test_no_questions_give_an_empty_curve():
    assert len(coverage_error(np.zeros(0), np.zeros(0, bool)).threshold) == 0


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=1, max_size=10))
def test_a_question_of_weight_three_counts_as_three_and_one_of_weight_zero_not_at_all(rows):
    scores, right = columns(rows)
    weights = np.array([r[2] for r in rows])
    repeated = np.repeat(scores, weights), np.repeat(right, weights)
    np.testing.assert_allclose(auroc(scores, right, weights.astype(float)), auroc(*repeated), atol=1e-12)
    for mine, theirs in zip(coverage_error(scores, right, weights / 7), coverage_error(*repeated), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)
    assert threshold(scores, right, 0.3, weights / 7) == threshold(*repeated, 0.3)
