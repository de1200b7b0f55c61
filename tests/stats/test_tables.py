"""Score tables side by side: what is refused, and the grid on which sums are exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pipeline.errors import ComparisonError
from pipeline.records import ScoreTable
from pipeline.stats import standing
from pipeline.stats.pairing import pair_up
from pipeline.stats.tables import align, on_grid

VALUES = arrays.arrays(np.float64, (4, 30), elements=st.floats(0, 1, width=64))


@settings(deadline=None)
@given(VALUES, st.permutations(range(30)))
def test_sums_on_the_grid_do_not_depend_on_the_order(values, order):
    grid = on_grid(values)
    assert (grid.sum(axis=1) == grid[:, order].sum(axis=1)).all()
    assert np.abs(grid - values).max() <= 2e-12


def test_noise_of_summing_in_another_order_is_no_difference():
    # 0.1 + 0.2 is 0.30000000000000004: on forty queries the two would differ always, in the same direction
    values = np.array([[0.3] * 40, [0.1 + 0.2] * 40])
    pairs = pair_up(on_grid(values), np.array([1]), np.array([0]))
    assert (pairs.wins[0], pairs.ties[0], pairs.losses[0]) == (0, 40, 0)


def test_undefined_for_one_of_two_is_left_out_and_counted():
    values = np.array([[0.0, 0.5, np.nan, 1.0], [1.0, np.nan, np.nan, 0.5], [0.0, 0.0, np.nan, 0.0]])
    pairs = pair_up(on_grid(values), np.array([1, 2]), np.array([0, 0]))
    assert pairs.queries.tolist() == [2, 3]
    assert pairs.left_out.tolist() == [1, 0]
    assert pairs.of(pairs.sums).sum(axis=1).tolist() == [0.5, -1.5]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (ScoreTable(("m",), ("a", "b"), np.zeros((1, 2))), "query 3 is 'c' in the one and missing in the other"),
        (ScoreTable(("n",), ("a", "b", "c"), np.zeros((1, 3))), "measure 1 is 'm' in the one and 'n' in the other"),
        (ScoreTable(("m",), ("a", "b", "c"), np.array([[0, np.inf, 0]])), "two: m of query 'b' is infinite"),
    ],
)
def test_tables_that_do_not_fit_are_refused_in_one_line(other, message):
    one = ScoreTable(("m",), ("a", "b", "c"), np.zeros((1, 3)))
    with pytest.raises(ComparisonError, match=message):
        align({"one": one, "two": other})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"baseline": "gone", "primary": "m"}, r"baseline 'gone' has no scores .* choose one of one"),
        ({"baseline": "one", "primary": "n"}, "primary measure 'n' was not scored; choose one of m"),
        ({"baseline": "one", "primary": "m", "clusters": ["x"]}, "1 cluster labels for 3 queries"),
    ],
)
def test_what_is_missing_is_named(arguments, message):
    one = ScoreTable(("m",), ("a", "b", "c"), np.zeros((1, 3)))
    with pytest.raises(ComparisonError, match=message):
        standing({"one": one}, seed=0, **arguments)


def test_no_scores_at_all_is_an_answer():
    with pytest.raises(ComparisonError, match="no experiment has scores"):
        align({})
