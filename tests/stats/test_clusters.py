"""Queries in clusters: errors, design effect, and what a few clusters allow."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.records import ScoreTable
from pipeline.stats import interval_of_mean, standing
from pipeline.stats.axes import contrasts
from pipeline.stats.clusters import design_effect


def two(differences, clusters):
    ids = tuple(f"q{i:03d}" for i in range(len(differences)))
    given = {
        "a": ScoreTable(("m",), ids, np.zeros((1, len(ids)))),
        "b": ScoreTable(("m",), ids, np.asarray(differences, float)[None]),
    }
    return standing(given, baseline="a", primary="m", seed=0, clusters=clusters)


def test_copies_of_queries_say_no_more_than_the_queries():
    # every query asked 5 times: 20 clusters of 5 equal values; the interval must be that of the 20 values
    values = np.random.default_rng(1).normal(0.1, 0.2, 20)
    clusters = [f"c{i:02d}" for i in range(20) for _ in range(5)]
    together = interval_of_mean(np.repeat(values, 5), clusters=clusters)
    apart = interval_of_mean(values)
    assert (together.low, together.high) == pytest.approx((apart.low, apart.high), abs=1e-12)
    found = design_effect(np.repeat(values, 5), clusters)
    # variance of 100 copies taken as independent: s20**2 x 19/20 x 100/99 / 100; true: s20**2 / 20; ratio 99 / 19
    assert found.effect == pytest.approx(99 / 19, rel=1e-12)
    assert found.effective == pytest.approx(100 * 19 / 99, rel=1e-12)


def test_cr2_error_is_its_matrix_definition():
    # Bell & McCaffrey, X a column of ones: V = (X'X)^-1 sum X_g' A_g e_g e_g' A_g X_g (X'X)^-1, A_g = (I - H_gg)^(-1/2)
    rng = np.random.default_rng(6)
    sizes = [1, 4, 2, 7, 3, 3, 5]
    y = rng.normal(size=sum(sizes))
    clusters = [f"c{g}" for g, size in enumerate(sizes) for _ in range(size)]
    n, residual, total = y.size, y - y.mean(), 0.0
    for g in range(len(sizes)):
        at = np.array([c == f"c{g}" for c in clusters])
        values, vectors = np.linalg.eigh(np.eye(at.sum()) - np.ones((at.sum(), at.sum())) / n)
        total += (np.ones(at.sum()) @ vectors @ np.diag(values**-0.5) @ vectors.T @ residual[at]) ** 2
    error = np.sqrt(total) / n
    found = interval_of_mean(y, clusters=clusters)
    assert (found.high - found.low) / 2 == pytest.approx(2.4469118 * error, rel=1e-7)  # t quantile, 6 degrees


def test_nine_clusters_get_no_verdict_and_twelve_an_approximate_one():
    rng = np.random.default_rng(2)
    differences = rng.normal(0.5, 0.1, 108)
    nine = two(differences, [f"c{i % 9}" for i in range(108)]).comparisons[0]
    assert (nine.verdict, nine.note) == ("too few clusters", "9 clusters: for these documents only")
    twelve = two(differences, [f"c{i % 12:02d}" for i in range(108)]).comparisons[0]
    assert (twelve.verdict, twelve.note) == ("better", "12 clusters: approximate")


def test_below_ten_clusters_nobody_is_beaten_and_no_axis_matters():
    # every cluster says the same: of 2**9 flips two are as extreme, p = 0.004, and still nothing is settled
    differences = np.random.default_rng(2).normal(0.5, 0.1, 108)
    for count, best, word in ((9, ("b", "a"), "cannot tell"), (12, ("b",), "matters")):
        clusters = [f"c{i % count:02d}" for i in range(108)]
        found = two(differences, clusters)
        assert found.may_be_best == best
        given = {
            "a": ScoreTable(("m",), tuple(map(str, range(108))), np.zeros((1, 108))),
            "b": ScoreTable(("m",), tuple(map(str, range(108))), differences[None]),
        }
        levels = {"a": {"axis": 1}, "b": {"axis": 2}}
        (contrast,) = contrasts(given, levels, primary="m", seed=0, clusters=clusters)
        assert contrast.verdict == word


def test_signs_are_flipped_by_cluster():
    # 12 clusters, each all +1 or all -1 (9 and 3): exact p over 12 flips, not over 60
    signs = np.repeat([1.0] * 9 + [-1.0] * 3, 5)
    found = two(signs, [f"c{i:02d}" for i in range(12) for _ in range(5)]).comparisons[0]
    # binomial(12, 1/2): 2 x (1 + 12 + 66 + 220) / 4096
    assert found.p == pytest.approx(2 * 299 / 4096, abs=1e-15)


def test_the_notes_say_what_clusters_cost():
    values = np.repeat(np.random.default_rng(1).normal(0.1, 0.2, 20), 5)
    (note,) = two(values, [f"c{i:02d}" for i in range(20) for _ in range(5)]).notes
    assert note.startswith("100 queries from 20 clusters: design effect 5.2, as sure as 19 independent queries.")
