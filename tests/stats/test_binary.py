"""0/1 measures: exact test and score interval, against scipy and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from pipeline.records import ScoreTable
from pipeline.stats import standing
from pipeline.stats.binary import mcnemar, score_interval


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (5, 5), (12, 3), (40, 61)])
def test_mcnemar_is_the_binomial_test(wins, losses):
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert mcnemar(wins, losses) == pytest.approx(expected, abs=1e-14)


def profile_score(difference, wins, losses, queries):
    """The score statistic with the shares found by maximising the likelihood: no closed form used."""
    # shares: wins q + difference, losses q, agreement the rest
    lowest, highest = max(0.0, -difference), (1 - difference) / 2

    def loss(q):
        parts = ((wins, q + difference), (losses, q), (queries - wins - losses, 1 - 2 * q - difference))
        return -sum(n * np.log(max(p, 1e-300)) for n, p in parts if n)

    q = optimize.minimize_scalar(loss, bounds=(lowest, highest), method="bounded", options={"xatol": 1e-12}).x
    variance = queries * (2 * q + difference * (1 - difference))
    return (wins - losses - queries * difference) / np.sqrt(variance)


@pytest.mark.parametrize(("wins", "losses", "queries"), [(9, 2, 44), (20, 12, 100), (0, 7, 30), (3, 3, 50)])
def test_ends_of_the_score_interval_lie_where_the_score_is_the_normal_quantile(wins, losses, queries):
    found = score_interval(wins, losses, queries, 0.95)
    assert profile_score(found.low, wins, losses, queries) == pytest.approx(1.959964, abs=1e-4)
    assert profile_score(found.high, wins, losses, queries) == pytest.approx(-1.959964, abs=1e-4)


def test_score_interval_of_swapped_counts_is_mirrored():
    there, back = score_interval(12, 5, 60, 0.9), score_interval(5, 12, 60, 0.9)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)


def test_a_sweep_on_a_0_1_measure_uses_both():
    ours, theirs = np.zeros(60), np.zeros(60)
    ours[:20] = 1
    theirs[16:24] = 1  # wins 16, losses 4
    tables = {n: ScoreTable(("S",), tuple(map(str, range(60))), v[None]) for n, v in (("a", theirs), ("b", ours))}
    (c,) = standing(tables, baseline="a", primary="S", seed=0).comparisons
    assert (c.wins, c.losses) == (16, 4)
    # binomial(20, 1/2): 2 x (1 + 20 + 190 + 1140 + 4845) / 2**20
    assert c.p == pytest.approx(2 * 6196 / 2**20, abs=1e-15)
    assert c.interval == score_interval(16, 4, 60, 0.95)
