"""Queries that count by their traffic: by hand, against slow definitions and against repeated queries."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from pipeline.errors import ComparisonError
from pipeline.stats import Dealing, after_choosing, interval_of_mean
from pipeline.stats.association import associations
from pipeline.stats.axes import contrasts, shares
from pipeline.stats.bootstrap import bca_ends, percentile_ends, studentised_ends
from pipeline.stats.clusters import design_effect
from pipeline.stats.intervals import moments
from pipeline.stats.resampling import index_blocks
from pipeline.stats.slices import by_slice
from tests.stats.weighing import DIFFERENCES, GROUPS, QUERIES, QUICK, WHOLE, pairs_of, stand, tables_of, two

# --- by hand -------------------------------------------------------------------------------------------------------


def test_mean_and_interval_by_hand():
    # weights 1, 1, 2 of values 0, 1, 1: mean 3/4; weight x residual: -3/4, 1/4, 1/2; squared over 1 - w/4:
    # 9/16 / (3/4) + 1/16 / (3/4) + 1/4 / (1/2) = 4/3, over 4 x 4: a standard error of sqrt(1/12).
    # Kish: 16 / 6 queries, so 5/3 degrees of freedom.
    found = interval_of_mean([0.0, 1.0, 1.0], weights=np.array([1.0, 1.0, 2.0]))
    half = stdtrit(5 / 3, 0.975) * np.sqrt(1 / 12)
    assert (found.low, found.high) == pytest.approx((0.75 - half, 0.75 + half), abs=1e-12)
    assert found.method == "weighted t"


def test_p_counts_flips_of_weight_times_difference_by_hand():
    # weight x difference: 3, -1, 1, 1, together 4. Of 16 patterns of signs one gives 6 and three give 4, and as many
    # -6 and -4: 8. Counted once each the sum is 2: one pattern gives 4, four give 2, and the same mirrored: 10.
    by_traffic, plain = (stand(two([1.0, -1.0, 1.0, 1.0], w)) for w in ([3.0, 1.0, 1.0, 1.0], None))
    assert by_traffic.comparisons[0].p == 8 / 16
    assert plain.comparisons[0].p == 10 / 16
    assert by_traffic.comparisons[0].difference == pytest.approx(4 / 6)
    assert (by_traffic.comparisons[0].wins, by_traffic.comparisons[0].losses) == (3, 1)


def test_ties_of_flips_are_not_lost_to_rounding():
    # of 8 patterns of 1, 2 and 3 thirds two have |sum| = 6, two 4, two 2 and two 0 (1 + 2 - 3)
    weights = np.array([1.0, 2.0, 3.0]) / 3
    assert stand(two([1.0, 1.0, 1.0], weights)).comparisons[0].p == 2 / 8
    assert stand(two([-1.0, 1.0, 1.0], weights)).comparisons[0].p == 4 / 8
    assert stand(two([1.0, 1.0, -1.0], weights)).comparisons[0].p == 1.0
    # tenths are no binary fractions: without a tolerance two of these ties were lost, and p was 0.219
    tenths = np.array([3, 7, 9, 5, 6, 11])
    signs = np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0])
    sums = np.abs(np.array(list(product((-1, 1), repeat=6))) @ tenths)
    assert stand(two(signs, tenths * 0.1)).comparisons[0].p == (sums >= 23).mean() == 0.25


def test_zero_or_one_with_weights_is_tested_by_flips_and_t_and_says_so():
    values, base = (np.random.default_rng(6).random((2, QUERIES)) < [[0.6], [0.4]]).astype(float)
    plain, by_traffic = (stand(tables_of({"base": base, "new": values}, w)) for w in (None, WHOLE))
    assert plain.comparisons[0].interval.method == "score"
    (c,) = by_traffic.comparisons
    assert c.interval is None and c.t_interval.method == "weighted t"
    flips = np.random.default_rng(0).choice((-1.0, 1.0), (40_000, QUERIES)) @ (WHOLE * (values - base))
    expected = (np.abs(flips) >= abs(WHOLE @ (values - base))).mean()
    assert c.p == pytest.approx(expected, abs=4 * np.sqrt(expected / 999) + 1e-3)


def test_the_note_says_what_the_weights_cost():
    weights = np.where(np.arange(QUERIES) == 0, 30.0, 1.0)
    # (30 + 59)^2 / (900 + 59) = 8.26
    assert stand(two(DIFFERENCES, weights)).notes == ("Weighted by traffic: 60 queries count as about 8.",)
    assert stand(two(DIFFERENCES)).notes == ()


def test_where_one_query_has_nearly_all_weight_no_interval_is_known_alone_or_for_all():
    # weights 10 and 1 are as sure as 121 / 101 queries: a fifth of a degree of freedom
    (found,) = stand(two([0.0, 1.0], [10.0, 1.0])).comparisons
    assert (found.t_interval.low, found.t_interval.high) == (-np.inf, np.inf)
    assert found.simultaneous_interval is None
    assert found.detectable is None


def test_a_note_on_clusters_counts_them_and_says_what_they_count_as():
    # 14 clusters of one query; twelve weigh 1, two weigh 3: 18**2 / (12 + 2 * 9) = 10.8 equal ones
    clusters = [f"c{number}" for number in range(14)]
    rising = np.linspace(0.1, 0.2, 14)
    heavy = stand(two(rising, [3.0, 3.0, *[1.0] * 12]), replace(QUICK, minimum_differing=10), clusters)
    assert "14 clusters count as 10: approximate" in heavy.comparisons[0].note
    even = stand(two(rising), replace(QUICK, minimum_differing=10), clusters)
    assert even.comparisons[0].note == "14 clusters: approximate"
    few = stand(two(rising, [9.0, *[1.0] * 13]), replace(QUICK, minimum_differing=10), clusters)
    assert few.comparisons[0].verdict == "too few clusters"  # 22**2 / 94 = 5.1
    assert few.comparisons[0].note.startswith("14 clusters count as 5: for these documents only")


def test_means_are_by_traffic_and_the_unweighted_ones_stand_beside():
    found = stand(tables_of({"base": [0.0, 1.0, np.nan], "new": [1.0, 0.0, 1.0]}, [3.0, 1.0, 4.0]))
    assert found.means == {"base": {"m": pytest.approx(1 / 4)}, "new": {"m": pytest.approx(7 / 8)}}
    # by hand: residuals -1/4 x 3 and 3/4 x 1; squared over 1 - w/4 they are 9/4 and 3/4, over 4 x 4; Kish's 1.6 queries
    # leave less than one degree of freedom: no interval. With `new`: 8 x 8 / 26, 1.46 degrees.
    assert found.intervals["base"]["m"].low == -np.inf
    assert found.intervals["new"]["m"] == interval_of_mean([1.0, 0.0, 1.0], weights=np.array([3.0, 1.0, 4.0]))
    assert found.unweighted == {"base": {"m": 0.5}, "new": {"m": pytest.approx(2 / 3)}}
    assert found.comparisons[0].difference == pytest.approx(2 / 4)  # on the two queries that both have
    assert stand(two(DIFFERENCES)).unweighted == {}


def test_who_is_best_is_by_traffic():
    rows = {"base": np.zeros(40), "few": np.tile([1.0, 0.0, 0.0, 0.0], 10), "many": np.tile([0.0, 0.6, 0.6, 0.0], 10)}
    assert stand(tables_of(rows)).best == "many"
    assert stand(tables_of(rows, np.tile([9.0, 1.0, 1.0, 1.0], 10))).best == "few"


# --- slow definitions ----------------------------------------------------------------------------------------------


def resampled_means(differences, weights):
    index = np.concatenate(list(index_blocks(4, len(differences), 2000)))
    return (differences * weights)[index].sum(axis=1) / weights[index].sum(axis=1), index


def test_percentile_and_bca_are_of_the_resampled_ratio():
    weights = np.exp(np.random.default_rng(2).normal(size=QUERIES))
    options = replace(QUICK, resamples=2000)
    means, _ = resampled_means(DIFFERENCES, weights)
    pairs = pairs_of(DIFFERENCES, weights)
    assert percentile_ends([pairs], 4, options)[0][0] == pytest.approx(np.quantile(means, (0.025, 0.975)), abs=1e-9)
    from scipy.special import ndtr, ndtri

    observed = np.average(DIFFERENCES, weights=weights)
    without = [np.average(np.delete(DIFFERENCES, i), weights=np.delete(weights, i)) for i in range(QUERIES)]
    away = np.mean(without) - without
    acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    shift = ndtri((means < observed).mean())
    z = shift + ndtri(np.array((0.025, 0.975)))
    expected = np.quantile(means, ndtr(shift + z / (1 - acceleration * z)))
    assert bca_ends(pairs, 4, options)[0] == pytest.approx(expected, abs=1e-9)


def test_studentised_is_its_slow_definition():
    weights = np.exp(np.random.default_rng(2).normal(size=QUERIES))
    means, index = resampled_means(DIFFERENCES, weights)

    def error(d, w):
        return np.sqrt(((w * (d - np.average(d, weights=w))) ** 2).sum()) / w.sum()

    mean = np.average(DIFFERENCES, weights=weights)
    ratios = sorted((m - mean) / error(DIFFERENCES[row], weights[row]) for m, row in zip(means, index, strict=True))
    own = error(DIFFERENCES, weights)
    found = studentised_ends(pairs_of(DIFFERENCES, weights), 4, replace(QUICK, resamples=2000))[0]
    assert found == pytest.approx([mean - ratios[1950] * own, mean - ratios[49] * own], abs=1e-9)


def test_clusters_are_flipped_and_resampled_whole_with_their_weights():
    weights, d = WHOLE.astype(float), DIFFERENCES
    codes = np.array([int(group[1:]) for group in GROUPS])
    found = stand(two(d, weights), clusters=GROUPS).comparisons[0]
    sums, sizes = np.bincount(codes, weights * d), np.bincount(codes, weights)
    mean = sums.sum() / sizes.sum()
    error = np.sqrt(((sums - sizes * mean) ** 2 / (1 - sizes / sizes.sum())).sum()) / sizes.sum()
    counts = np.bincount(codes)
    kish = [x.sum() ** 2 / (x**2).sum() for x in (sizes, counts)]
    degrees = 14 * min(1, kish[0] / kish[1]) - 1
    half = stdtrit(degrees, 0.975) * error
    assert (found.t_interval.low, found.t_interval.high) == pytest.approx((mean - half, mean + half), abs=1e-9)
    flips = np.abs(np.random.default_rng(1).choice((-1.0, 1.0), (40_000, 14)) @ sums)
    assert found.p == pytest.approx((flips >= abs(sums.sum())).mean(), abs=0.05)


def test_clusters_of_unequal_size_alone_are_not_fewer():
    # One weight differs by next to nothing: the degrees are G - 1 as without weights.
    weights = np.ones(QUERIES)
    weights[0] = 1 + 1e-9
    sizes = [f"c{int(np.sqrt(number))}" for number in range(QUERIES)]
    near, plain = (stand(two(DIFFERENCES, w), clusters=sizes).comparisons[0] for w in (weights, None))
    assert near.t_interval.low == pytest.approx(plain.t_interval.low, abs=1e-8)
    assert near.p == pytest.approx(plain.p, abs=0.01)
    # Weights that make the clusters equal add none: still G - 1.
    counts = {label: sizes.count(label) for label in sizes}
    even = pairs_of(DIFFERENCES, [1 / counts[label] for label in sizes], np.array([int(label[1:]) for label in sizes]))
    assert moments(even).degrees[0] == len(counts) - 1


# --- repeated queries ----------------------------------------------------------------------------------------------


def test_whole_weights_give_the_estimates_of_repeated_queries_and_not_their_certainty():
    rows = {"base": np.zeros(QUERIES), "new": DIFFERENCES, "other": DIFFERENCES[::-1] * 0.9}
    weighted = stand(tables_of(rows, WHOLE))
    repeated = stand(tables_of({name: np.repeat(row, WHOLE) for name, row in rows.items()}))
    for name in rows:
        assert weighted.means[name]["m"] == pytest.approx(repeated.means[name]["m"], abs=1e-12)
    for ours, theirs in zip(weighted.comparisons, repeated.comparisons, strict=True):
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-10)
        widths = [c.t_interval.high - c.t_interval.low for c in (ours, theirs)]
        assert widths[0] > 1.5 * widths[1]  # 60 queries that count as 49 or so, not 180
        assert ours.detectable > 1.5 * theirs.detectable
        assert ours.p > theirs.p
        assert (ours.queries, theirs.queries) == (QUERIES, WHOLE.sum())


def test_queries_repeated_within_a_cluster_are_one_weighted_query():
    # the repeats of a query as one cluster: the same sums per unit, so the same error
    labels = np.repeat([f"q{number:02d}" for number in range(QUERIES)], WHOLE)
    ours = stand(two(DIFFERENCES, WHOLE)).comparisons[0]
    theirs = stand(two(np.repeat(DIFFERENCES, WHOLE)), clusters=labels).comparisons[0]
    assert ours.p == theirs.p
    assert ours.bootstrap_interval.low == pytest.approx(theirs.bootstrap_interval.low, abs=1e-9)


def test_the_design_effect_is_over_what_weights_leave():
    found = design_effect(np.repeat(DIFFERENCES, 2), np.repeat(np.arange(QUERIES), 2).astype(str), np.repeat(WHOLE, 2))
    assert found.effect == pytest.approx(2, rel=0.05)
    assert found.effective == pytest.approx(WHOLE.sum() ** 2 / (WHOLE**2).sum(), rel=0.05)


# --- invariances ---------------------------------------------------------------------------------------------------


def everything(weights, rows=None, clusters=None):
    """All that is said of a sweep, as text."""
    rows = rows or {"base": np.zeros(QUERIES), "new": DIFFERENCES, "other": DIFFERENCES[::-1] * 0.9}
    tables = tables_of(rows, weights)
    axes = {name: {"x": name == "new", "y": name == "other"} for name in rows}
    quick = replace(QUICK, describe="bh")
    found = [stand(tables, replace(quick, interval=kind), clusters) for kind in ("t", "bca", "studentised")]
    for split in ("holdout", "kfold"):
        options = replace(quick, split=split)
        found.append(after_choosing(found[0], tables, Dealing(3, clusters=clusters), options))
    twice = {n: replace(t, measures=("m", "a"), values=np.vstack((t.values, t.values**2))) for n, t in tables.items()}
    found += [
        contrasts(tables, axes, primary="m", seed=1, options=quick, clusters=clusters),
        shares(tables, axes, primary="m"),
        associations(twice, baseline="base", retrieval=["m"], answer="a", seed=2, options=quick),
        by_slice(tables, ["u", "v", "v"] * (QUERIES // 3), baseline="base", primary="m", seed=5, options=quick),
    ]
    return repr(found)


@pytest.mark.parametrize("clusters", [None, GROUPS])
def test_equal_weights_give_the_bytes_of_no_weights(clusters):
    assert everything(np.full(QUERIES, 0.1), clusters=clusters) == everything(None, clusters=clusters)
    assert everything(WHOLE.astype(float), clusters=clusters) != everything(None, clusters=clusters)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0.01, 100.0), min_size=QUERIES, max_size=QUERIES), st.floats(1e-6, 1e6))
def test_a_constant_factor_of_all_weights_changes_nothing(weights, factor):
    once, scaled = (stand(two(DIFFERENCES, np.array(weights) * by)) for by in (1.0, factor))
    for ours, theirs in zip(once.comparisons, scaled.comparisons, strict=True):
        assert (ours.p, ours.verdict, ours.wins) == (theirs.p, theirs.verdict, theirs.wins)
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-9)
        assert ours.t_interval.low == pytest.approx(theirs.t_interval.low, abs=1e-9)
        assert ours.bootstrap_interval.low == pytest.approx(theirs.bootstrap_interval.low, abs=1e-9)
    assert once.notes == scaled.notes


def test_a_factor_that_is_a_power_of_two_changes_no_bit():
    weights = np.exp(np.random.default_rng(5).normal(size=QUERIES))
    assert everything(weights) == everything(weights * 1024)


def test_a_query_of_weight_zero_does_not_count():
    weights = np.exp(np.random.default_rng(5).normal(size=QUERIES))
    weights[7:20] = 0.0
    kept = weights > 0
    rows = {"base": np.zeros(QUERIES), "new": DIFFERENCES, "other": DIFFERENCES[::-1] * 0.9}
    found = stand(tables_of(rows, weights))
    without = stand(tables_of({name: row[kept] for name, row in rows.items()}, weights[kept]))
    for ours, theirs in zip(found.comparisons, without.comparisons, strict=True):
        assert (ours.queries, ours.wins, ours.ties, ours.p) == (theirs.queries, theirs.wins, theirs.ties, theirs.p)
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-12)
        assert (ours.verdict, ours.note) == (theirs.verdict, theirs.note)
    assert found.defined["new"]["m"] == kept.sum()
    assert found.expected_gain_mean == pytest.approx(without.expected_gain_mean, abs=1e-12)
    assert found.notes == without.notes
    whole = after_choosing(found, tables_of(rows, weights), Dealing(3), replace(QUICK, split="holdout")).confirmed
    assert whole.select_queries + whole.confirm_queries == kept.sum()
    alike = stand(tables_of(rows, kept.astype(float)))
    assert alike.notes == () and alike.comparisons[0].t_interval.method == "t"


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_weight_that_is_none_is_refused_with_its_place(bad):
    weights = np.ones(QUERIES)
    weights[2] = bad
    with pytest.raises(ComparisonError, match=r"weight 3 of the queries is .*; expected a number of 0 or more"):
        stand(two(DIFFERENCES, weights))


def test_weights_that_say_nothing_or_differ_between_tables_are_refused():
    with pytest.raises(ComparisonError, match="all queries weigh 0"):
        stand(two(DIFFERENCES, np.zeros(QUERIES)))
    with pytest.raises(ComparisonError, match="2 weights for 60 queries"):
        stand(two(DIFFERENCES, [1.0, 2.0]))
    tables = two(DIFFERENCES, WHOLE)
    with pytest.raises(ComparisonError, match="base and new cannot be compared: their queries have other weights"):
        stand({**tables, "new": replace(tables["new"], weights=None)})


def test_a_constant_difference_has_an_interval_of_no_width():
    (c,) = stand(two(np.full(QUERIES, 0.3), np.exp(np.random.default_rng(5).normal(size=QUERIES)))).comparisons
    assert c.difference == pytest.approx(0.3, abs=1e-12)
    assert c.t_interval.high - c.t_interval.low == 0
    assert c.bootstrap_interval.high - c.bootstrap_interval.low < 1e-11
