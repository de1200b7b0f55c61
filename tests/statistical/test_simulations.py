"""Small seeded simulations of what docs/statistics.md promises; the full size is scripts/simulate_statistics.py.

Bounds: a share p over n repetitions has standard error sqrt(p (1 - p) / n); each bound is the goal plus three of them.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).resolve().parents[2] / "scripts" / "simulate_statistics.py"
spec = importlib.util.spec_from_file_location("simulate_statistics", PATH)
simulate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(simulate)

SWEEPS = 400
BOUND = 0.05 + 3 * np.sqrt(0.05 * 0.95 / SWEEPS)  # 0.083


@pytest.mark.parametrize("outcome", ["normal", "RR-like", "0/1"])
@pytest.mark.parametrize("world", ["all equal", "8 of 24 better"])
def test_a_sweep_raises_a_false_alarm_in_5_percent(outcome, world):
    found = simulate.family_errors(outcome, 0.7, simulate.WORLDS[world], SWEEPS, seed=1)
    assert found["against the baseline"] <= BOUND
    assert found["all pairs"] <= BOUND
    assert found["set holds the best"] >= 1 - BOUND


def test_without_correction_the_same_sweeps_raise_false_alarms_far_more_often():
    # the simulation can tell: plain p values of 23 equal treatments are below 5 % somewhere in most sweeps
    rng, false = np.random.default_rng(1), 0
    left = np.arange(1, 24)
    for repetition in range(100):
        values = simulate.sweep(rng, "normal", 0.7, np.zeros(24))
        tests = simulate.family(simulate.pair_up(values, left, np.zeros_like(left)), repetition, simulate.FLIPS)
        false += bool((tests.p <= 0.05).any())
    assert false >= 30


@pytest.mark.parametrize(("size", "least"), [(30, 15), (100, 30)])
def test_t_interval_covers_the_mean_of_zero_heavy_skewed_differences(size, least):
    rng = np.random.default_rng(3)
    population = np.where(rng.random(2000) < 0.4, 0.0, rng.choice([-1, -0.5, 0.25, 0.5, 1], 2000))
    by_t, by_percentile, _ = simulate.coverage_of(population, size, least, 1000, seed=2)
    assert by_t >= 0.935 - 3 * np.sqrt(0.05 * 0.95 / 1000)
    assert by_percentile >= 0.92 - 3 * np.sqrt(0.05 * 0.95 / 1000)


def test_clustered_interval_covers_where_the_plain_one_does_not():
    population = np.random.default_rng(3).normal(size=500)
    assert simulate.clustered_coverage(population, 40, 500, seed=2) >= 0.93 - 3 * np.sqrt(0.05 * 0.95 / 500)


def test_the_best_observed_flatters_and_the_confirmed_and_expected_gains_do_not():
    errors = simulate.choosing_errors("RR-like", 0.7, simulate.WORLDS["all equal"], 300, seed=4)
    mean, error = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(300)
    assert mean[0] > 0.03  # 24 equal experiments: the best seems better by more than 0.03
    assert abs(mean[1]) <= 3 * error[1]
    assert -0.010 - 3 * error[2] <= mean[2] <= 0.002 + 3 * error[2]
