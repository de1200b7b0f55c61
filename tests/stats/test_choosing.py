"""After choosing the best: confirmed and expected gain against hand-made cases and slow definitions."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.records import ScoreTable
from pipeline.stats.choosing import confirmed, cross_validated
from pipeline.stats.dealing import Split, folds
from pipeline.stats.gain import expected_gain, gains_of, halves_of
from pipeline.stats.options import StatsOptions
from pipeline.stats.sweep import checked


def tables(**rows) -> dict[str, ScoreTable]:
    return {
        name: ScoreTable(("m",), tuple(f"q{i:03d}" for i in range(len(row))), np.array([row], float))
        for name, row in rows.items()
    }


def test_the_choice_sees_the_select_part_only_and_the_gain_the_confirm_part_only():
    # on the first half b is best (+0.5), on the second it is worse than a by 0.25; c is the reverse
    first, second = np.zeros(40), np.zeros(40)
    given = tables(
        a=np.r_[first + 0.25, second + 0.5], b=np.r_[first + 0.75, second + 0.25], c=np.r_[first, second + 1.0]
    )
    select = np.arange(80) < 40
    found = confirmed(given, Split(select, ~select, seed=1), baseline="a", primary="m")
    assert (found.chosen, found.observed) == ("b", 0.5)
    assert found.comparison is not None
    assert (found.comparison.difference, found.comparison.verdict, found.comparison.queries) == (-0.25, "worse", 40)
    assert found.note == ""
    again = confirmed(given, Split(select, ~select, seed=1, uses=2), baseline="a", primary="m")
    assert again.note.startswith("reused")


def test_a_baseline_that_wins_needs_no_confirmation():
    select = np.arange(20) < 10
    found = confirmed(tables(a=np.ones(20), b=np.zeros(20)), Split(select, ~select, seed=1), baseline="a", primary="m")
    assert (found.chosen, found.comparison) == ("a", None)


def test_gains_of_half_splits_are_their_slow_definition():
    values = np.random.default_rng(2).random((5, 30))
    halves = halves_of(7, 30, 20)
    expected = []
    for column in halves.T:
        for side in (column > 0, column == 0):
            best = np.argmax(values[:, side].mean(axis=1))
            expected.append(values[best, ~side].mean() - values[1, ~side].mean())
    gains, _ = gains_of(values, np.ones(30), halves, 1)
    assert sorted(gains) == pytest.approx(sorted(expected), abs=1e-12)


def test_an_experiment_better_on_every_query_has_its_difference_as_expected_gain():
    base = np.random.default_rng(5).random(40)
    sweep = checked(tables(a=base, b=base + 0.125), "a", "m", 3, StatsOptions(), None)
    gain = expected_gain(sweep, "m", "a")
    assert gain is not None
    assert gain.mean == pytest.approx(0.125, abs=1e-12)
    assert (gain.interval.low, gain.interval.high) == pytest.approx((0.125, 0.125), abs=1e-12)
    assert gain.chosen == {"b": 1.0}


def test_choosing_among_equals_gains_nothing_in_expectation():
    # 12 experiments of pure noise: the best observed gains more than two standard errors, the expected gain does not
    rng = np.random.default_rng(8)
    given = tables(**{f"e{i:02d}": rng.random(200) for i in range(12)})
    sweep = checked(given, "e00", "m", 3, StatsOptions(), None)
    gain = expected_gain(sweep, "m", "e00")
    means = sweep.aligned.values[0].mean(axis=1)
    assert gain is not None
    assert gain.mean < means.max() - means[0]
    assert gain.interval.low < 0 < gain.interval.high


def test_cross_validation_measures_each_fold_with_the_choice_of_the_others():
    fold = folds([f"q{i:03d}" for i in range(60)], seed=3, k=3)
    base = np.zeros(60)
    # b is better by 1 in folds 0 and 1, worse by 1 in fold 2: folds 0 and 1 are chosen for with mean 0 -> a (first of
    # equals), fold 2 with mean +1 -> b, which loses there; so the gain is (0 + 0 - 1) / 3
    other = np.where(fold == 2, -1.0, 1.0)
    found = cross_validated(tables(a=base, b=other), baseline="a", primary="m", fold=fold)
    assert found.chosen == ("a", "a", "b")
    assert found.gain == pytest.approx(-1 / 3, abs=1e-12)
