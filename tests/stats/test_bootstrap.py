"""Bootstrap intervals agree with scipy's on the very same resamples, and with slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pipeline.stats.bootstrap import bca_ends, percentile_ends, studentised_ends
from pipeline.stats.options import StatsOptions
from pipeline.stats.pairing import pair_up
from pipeline.stats.resampling import index_blocks
from pipeline.stats.tables import on_grid

OPTIONS = StatsOptions(resamples=2000)
SEED = 11


def one_pair(differences, units=None):
    values = np.vstack((np.asarray(differences, float), np.zeros(len(differences))))
    return pair_up(on_grid(values), np.array([0]), np.array([1]), units)


def skewed(queries: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.where(rng.random(queries) < 0.4, 0.0, rng.exponential(0.3, queries) - 0.1)


def resampled_means(differences) -> np.ndarray:
    index = np.concatenate(list(index_blocks(SEED, len(differences), OPTIONS.resamples)))
    return differences[index].mean(axis=1)


@pytest.mark.parametrize(("method", "ours"), [("percentile", percentile_ends), ("BCa", bca_ends)])
@pytest.mark.parametrize("queries", [15, 60, 300])
def test_interval_is_scipys_on_the_same_resamples(method, ours, queries):
    differences = skewed(queries)
    scipys = stats.bootstrap((differences,), np.mean, n_resamples=999, method=method, rng=0)
    scipys.bootstrap_distribution = resampled_means(differences)
    expected = stats.bootstrap(
        (differences,), np.mean, n_resamples=0, bootstrap_result=scipys, method=method
    ).confidence_interval
    pairs = one_pair(differences)
    found = ours([pairs], SEED, OPTIONS)[0][0] if ours is percentile_ends else ours(pairs, SEED, OPTIONS)[0]
    assert found == pytest.approx([expected.low, expected.high], abs=1e-12)


def test_studentised_interval_is_its_slow_definition():
    differences = skewed(40)
    index = np.concatenate(list(index_blocks(SEED, 40, OPTIONS.resamples)))
    mean, error = differences.mean(), differences.std() / np.sqrt(40)
    ratios = sorted((differences[row].mean() - mean) / (differences[row].std() / np.sqrt(40)) for row in index)
    # positions 2.5 % and 97.5 % of 0..1999 are 49.975 and 1949.025: just outside are 49 and 1950
    expected = [mean - ratios[1950] * error, mean - ratios[49] * error]
    assert studentised_ends(one_pair(differences), SEED, OPTIONS)[0] == pytest.approx(expected, abs=1e-10)


def test_clusters_are_resampled_whole():
    # two clusters of 1 and 3 queries: a resample is one of AA, AB, BA, BB, so its mean is 1, 1/4 or 0
    pairs = one_pair([1.0, 0.0, 0.0, 0.0], units=np.array([0, 1, 1, 1]))
    low, high = percentile_ends([pairs], SEED, OPTIONS)[0][0]
    assert (low, high) == (0.0, 1.0)
    third = percentile_ends([pairs], SEED, StatsOptions(resamples=2000, level=0.6))[0][0]
    # P(mean = 0) = 1/4 > 20 %, P(mean = 1) = 1/4 > 20 %: both ends stay
    assert third.tolist() == [0.0, 1.0]
    half = percentile_ends([pairs], SEED, StatsOptions(resamples=2000, level=0.51))[0][0]
    assert set(half.tolist()) <= {0.0, 0.25, 1.0}


@pytest.mark.parametrize("method", ["percentile", "bca", "studentised"])
def test_constant_difference_has_an_interval_of_no_width(method):
    pairs = one_pair([0.25] * 20)
    ends = {
        "percentile": lambda: percentile_ends([pairs], SEED, OPTIONS)[0],
        "bca": lambda: bca_ends(pairs, SEED, OPTIONS),
        "studentised": lambda: studentised_ends(pairs, SEED, OPTIONS),
    }[method]()
    assert ends[0].tolist() == [0.25, 0.25]


def test_one_query_gives_no_finite_interval():
    assert percentile_ends([one_pair([0.3])], SEED, OPTIONS)[0][0].tolist() == [-np.inf, np.inf]


def test_negated_differences_negate_the_interval():
    differences = skewed(50)
    there, back = one_pair(differences), one_pair(-differences)
    for ends in (lambda p: percentile_ends([p], SEED, OPTIONS)[0], lambda p: bca_ends(p, SEED, OPTIONS)):
        assert ends(there)[0] == pytest.approx(-ends(back)[0][::-1], abs=1e-12)
