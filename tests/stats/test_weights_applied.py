"""What rests on weighted comparisons: numbers after choosing, axes, associations; and simulated coverage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

from pipeline.records import ScoreTable
from pipeline.stats import Dealing, StatsOptions, after_choosing
from pipeline.stats.association import associations
from pipeline.stats.axes import contrasts, shares
from pipeline.stats.families import family
from pipeline.stats.intervals import moments
from tests.stats.weighing import QUERIES, QUICK, pairs_of, stand, tables_of

# --- what the numbers after choosing rest on -----------------------------------------------------------------------


def test_every_number_after_choosing_is_by_traffic():
    # Heavy queries (a third) gain 0.3 with `heavy`, the others 0.2 with `light`: by traffic `heavy` is the better one.
    large = np.arange(QUERIES) % 3 == 0
    noise = np.random.default_rng(3).normal(0, 0.01, QUERIES)
    rows = {"base": np.zeros(QUERIES), "heavy": 0.3 * large + noise, "light": 0.2 * ~large + noise}
    weights = np.where(large, 10.0, 1.0)
    tables = tables_of(rows, weights)
    expected = 0.3 * 200 / 240  # 20 queries of weight 10 and 40 of weight 1
    found = stand(tables)
    assert found.best == "heavy" and found.expected_gain_mean == pytest.approx(expected, abs=0.02)
    held = after_choosing(found, tables, Dealing(3), replace(QUICK, split="holdout")).confirmed
    assert held.chosen == "heavy" and held.observed == pytest.approx(expected, abs=0.06)
    assert held.comparison.t_interval.method == "weighted t"
    folded = after_choosing(found, tables, Dealing(3), replace(QUICK, split="kfold")).cross_validated
    assert set(folded.chosen) == {"heavy"} and folded.gain == pytest.approx(found.means["heavy"]["m"], abs=1e-9)
    assert stand(tables_of(rows)).best == "light"


def test_contrasts_and_shares_of_axes_are_by_traffic():
    # Axis x moves the heavy half by 0.4 and the light half not at all.
    large = np.arange(QUERIES) % 2 == 0
    rows = {f"{x}{y}": 0.4 * large * x + 0.01 * y for x in (0, 1) for y in (0, 1)}
    levels = {f"{x}{y}": {"x": x, "y": y} for x in (0, 1) for y in (0, 1)}
    weights = np.where(large, 3.0, 1.0)
    by_axis = {c.axis: c.difference for c in contrasts(tables_of(rows, weights), levels, primary="m", seed=0)}
    assert by_axis["x"] == pytest.approx(-0.4 * 3 / 4, abs=1e-9)
    # x moves by 0.3 on the mean; of the mean square 0.4^2 x 3/4 = 0.12 that is 0.09, less chance
    found = {share.source: share.share for share in shares(tables_of(rows, weights), levels, primary="m")}
    assert found["x"] / (found["x"] + found["x x query"]) == pytest.approx(0.75, abs=0.02)
    plain = {share.source: share.share for share in shares(tables_of(rows), levels, primary="m")}
    assert plain["x"] / (plain["x"] + plain["x x query"]) == pytest.approx(0.5, abs=0.02)


def test_an_association_of_heavy_queries_counts_for_more():
    rng = np.random.default_rng(6)
    large = np.arange(QUERIES) % 2 == 0
    retrieval, other = rng.normal(size=(2, QUERIES))
    values = np.array([retrieval, np.where(large, retrieval, other)])
    ids = tuple(f"q{number:02d}" for number in range(QUERIES))

    def association(weights):
        tables = {
            name: ScoreTable(("r", "a"), ids, row, weights=weights)
            for name, row in {"base": np.zeros((2, QUERIES)), "new": values}.items()
        }
        return associations(tables, baseline="base", retrieval=["r"], answer="a", seed=1, options=QUICK)[0]

    weights = np.where(large, 20.0, 1.0)
    x, y = (row - np.average(row, weights=weights) for row in values)
    expected = (weights * x * y).sum() / np.sqrt((weights * x**2).sum() * (weights * y**2).sum())
    assert association(weights).correlation == pytest.approx(expected, abs=1e-9)
    assert association(weights).correlation > 0.9
    assert association(None).correlation < 0.75
    assert association(weights).interval.low > association(None).interval.low


def test_a_permutation_of_an_association_is_weighed_anew():
    rng = np.random.default_rng(9)
    ids = tuple(f"q{number:02d}" for number in range(25))
    values = rng.normal(size=(2, 25)) + np.array([[0.0], [3.0]])
    weights = np.exp(rng.normal(size=25))
    tables = {
        name: ScoreTable(("r", "a"), ids, row, weights=weights)
        for name, row in {"base": np.zeros((2, 25)), "new": values}.items()
    }
    (found,) = associations(tables, baseline="base", retrieval=["r"], answer="a", seed=1, options=QUICK)

    def correlation(x, y):
        covariance = np.cov(x, y, aweights=weights)
        return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])

    assert found.correlation == pytest.approx(correlation(*values), abs=1e-9)
    order = np.random.default_rng([1, 4])
    permuted = [abs(correlation(values[0], values[1][order.permutation(25)])) for _ in range(QUICK.resamples)]
    assert found.p_corrected == (1 + sum(r >= abs(found.correlation) for r in permuted)) / 1000


# --- simulated: heavy-tailed traffic of 100 queries ----------------------------------------------------------------


def simulated(kind: str, repetitions: int, seed: int, size: int = 100):
    """Pairs of `kind` differences with mean 0 under log-normal weights (sigma 1) of `size` queries, one by one."""
    rng = np.random.default_rng(seed)
    for _ in range(repetitions):
        if kind == "normal":
            d = rng.normal(size=size)
        elif kind == "skewed":
            d = rng.exponential(size=size) - 1
        else:  # many zeros, as of RR
            d = np.where(rng.random(size) < 0.4, 0.0, rng.choice([-1.0, -0.5, 0.5, 1.0], size))
        yield pairs_of(d, np.exp(rng.normal(size=size)))


def test_the_interval_of_skewed_differences_under_unequal_weights_is_too_narrow():
    # Not promised, and said so in docs/statistics.md.
    found = [moments(pairs) for pairs in simulated("skewed", 2000, 3)]
    covered = np.mean([abs(m.mean[0]) <= stdtrit(m.degrees[0], 0.975) * m.error[0] for m in found])
    assert 0.89 <= covered <= 0.94


def test_as_many_degrees_of_freedom_as_queries_would_be_too_sure():
    # Of 40,000 samples of 30 queries: 93.9 % with Kish's number, 92.3 % with 29 degrees (docs/statistics.md).
    found = [moments(pairs) for pairs in simulated("normal", 4000, 5, 30)]
    distance = np.array([abs(m.mean[0]) / m.error[0] for m in found])
    by_kish = (distance <= stdtrit(np.array([m.degrees[0] for m in found]), 0.975)).mean()
    assert 0.925 <= by_kish <= 0.955
    assert by_kish - (distance <= stdtrit(29, 0.975)).mean() >= 0.01


@pytest.mark.parametrize("kind", ["normal", "many zeros"])
def test_the_interval_covers_and_flips_keep_their_level(kind):
    covered, false, repetitions = 0, 0, 2000
    for seed, pairs in enumerate(simulated(kind, repetitions, 3)):
        found = moments(pairs)
        covered += abs(found.mean[0]) <= stdtrit(found.degrees[0], 0.975) * found.error[0]
        false += family(pairs, seed, StatsOptions(resamples=199)).p[0] <= 0.05
    noise = 3 * np.sqrt(0.05 * 0.95 / repetitions)
    assert 0.93 <= covered / repetitions <= 0.97
    assert false / repetitions <= 0.055 + noise
