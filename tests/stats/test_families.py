"""Corrections for a family: hand examples, slow definitions, and the tie between test and interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pipeline.stats.families import benjamini_hochberg, family, holm
from pipeline.stats.intervals import moments
from pipeline.stats.options import StatsOptions
from pipeline.stats.pairing import pair_up
from pipeline.stats.resampling import FlipTest, sign_blocks
from pipeline.stats.tables import on_grid

OPTIONS = StatsOptions(resamples=999)


def against_first(values):
    left = np.arange(1, len(values))
    return pair_up(on_grid(np.asarray(values, float)), left, np.zeros_like(left))


def noisy(experiments=6, queries=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random(queries) + rng.normal(0.02, 0.1, (experiments, queries)) * np.linspace(1, 2, experiments)[:, None]


def test_holm_by_hand():
    # sorted .01 .03 .04 times 3 2 1 = .03 .06 .04, made monotone .03 .06 .06
    assert holm(np.array([0.04, 0.01, 0.03])) == pytest.approx([0.06, 0.03, 0.06])


def test_benjamini_hochberg_by_hand_and_by_scipy():
    # sorted .01 .03 .04 times 3/1 3/2 3/3 = .03 .045 .04, monotone from the top .03 .04 .04
    p = np.array([0.04, 0.01, 0.03])
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.03, 0.04])
    many = np.random.default_rng(0).random(50)
    assert benjamini_hochberg(many) == pytest.approx(stats.false_discovery_control(many), abs=1e-15)


def test_step_down_max_t_is_its_slow_definition():
    pairs = against_first(noisy())
    differences = pairs.of(pairs.sums)
    root = np.sqrt((differences**2).sum(axis=1))
    observed = np.abs(differences.sum(axis=1)) / root
    flips = [np.abs(differences @ signs) / root for block in sign_blocks(3, 40, 999) for signs in block]
    order = np.argsort(-observed)
    expected, last = np.empty(5), 0.0
    for rank, pair in enumerate(order):  # the largest of all pairs not yet stepped past
        last = max(last, (1 + sum(f[order[rank:]].max() >= observed[pair] for f in flips)) / 1000)
        expected[pair] = last
    found = family(pairs, 3, OPTIONS)
    assert found.corrected == pytest.approx(expected, abs=1e-12)
    assert found.p == pytest.approx([(1 + sum(f[i] >= observed[i] for f in flips)) / 1000 for i in range(5)], abs=1e-12)


def test_a_family_of_one_is_not_corrected():
    found = family(against_first(noisy(2)), 1, OPTIONS)
    assert found.corrected.tolist() == found.p.tolist()


@pytest.mark.parametrize("correction", ["max_t", "holm", "bh"])
@settings(deadline=None)
@given(seed=st.integers(0, 500))
def test_correction_never_lowers_p_and_keeps_the_order(correction, seed):
    found = family(against_first(noisy(5, 25, seed)), seed, StatsOptions(resamples=199, correction=correction))
    assert (found.corrected >= found.p).all()
    assert (found.corrected <= 1).all()
    order = np.argsort(found.p, kind="stable")
    if correction != "max_t":  # max_t orders by the statistic, p by counts of flips that may tie
        assert (np.diff(found.corrected[order]) >= 0).all()


def test_simultaneous_interval_excludes_0_exactly_where_the_largest_statistic_is_settled():
    # of the pair with the largest statistic the step-down p is the single-step p, the dual of the interval
    for seed in range(60):
        pairs = against_first(noisy(5, 40, seed))
        found, tests = moments(pairs), family(pairs, seed, OPTIONS)
        statistic = np.abs(found.mean) / found.error
        top = int(np.argmax(FlipTest(pairs, seed, 999).observed))
        assert (statistic[top] > tests.critical[top]) == (tests.corrected[top] <= 0.05)


def test_exact_p_of_few_differing_queries_counts_all_sign_patterns():
    # differences 1, 2, 3 on three of ten queries: of 8 patterns only +++ and --- reach |6|: p = 2/8
    values = np.zeros((2, 10))
    values[1, :3] = (1, 2, 3)
    assert FlipTest(against_first(values), 0, 999).plain_p().tolist() == [0.25]
    # 1, -2, 3: sum 2; patterns with |sum| >= 2: all but +1+2-3 and its mirror = 0: 6 of 8
    values[1, :3] = (1, -2, 3)
    assert FlipTest(against_first(values), 0, 999).plain_p().tolist() == [0.75]


def test_sign_flip_p_is_near_that_of_all_permutations_by_scipy():
    differences = np.random.default_rng(4).exponential(1.0, 60) - 0.8
    expected = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=99_999, vectorized=True, rng=1
    ).pvalue
    found = FlipTest(against_first([np.zeros(60), differences]), 5, 20_000).plain_p()[0]
    # standard error of a share near .05 over 20,000 flips is .0015
    assert found == pytest.approx(expected, abs=0.008)
