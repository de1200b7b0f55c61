"""Where a sweep stands, against trec_eval's golden comparison, hand examples and invariances."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from pipeline.errors import ComparisonError
from pipeline.records import ScoreTable, Standing
from pipeline.stats import StatsOptions, standing

MEASURES = ("ndcg_cut_10", "map", "recip_rank", "recall_10")


def table(values, measures=("m",), ids=None) -> ScoreTable:
    rows = np.atleast_2d(np.asarray(values, float))
    return ScoreTable(measures, tuple(ids or (f"q{i:04d}" for i in range(rows.shape[1]))), rows)


def sweep_of(count: int, queries: int, seed: int = 0, measures=("a", "b")) -> dict[str, ScoreTable]:
    rng = np.random.default_rng(seed)
    base = rng.beta(2, 2, (len(measures), queries))
    return {
        f"e{i:02d}": table(np.clip(base + rng.normal(0.004 * i, 0.15, base.shape), 0, 1), measures)
        for i in range(count)
    }


@pytest.fixture(scope="module")
def cranfield(collections) -> Standing:
    folder = collections / "trec_eval_golden" / "cranfield"
    with gzip.open(folder / "per_query.json.gz") as file:
        values = json.load(file)
    ids = sorted(values["bm25"])
    tables = {
        run: table([[values[run][q][m] for q in ids] for m in MEASURES], MEASURES, ids)
        for run in ("bm25", "lsa100", "rrf")
    }
    return standing(tables, baseline="bm25", primary="ndcg_cut_10", seed=1)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("treatment", ["lsa100", "rrf"])
def test_cranfield_comparison_is_the_golden_one(collections, cranfield, measure, treatment):
    folder = collections / "trec_eval_golden" / "cranfield"
    golden = json.loads((folder / "comparison.json").read_text())["comparisons"][f"bm25 vs {treatment} {measure}"]
    found = next(c for c in cranfield.comparisons if (c.measure, c.treatment) == (measure, treatment))
    assert found.queries == golden["n"]
    assert found.difference == pytest.approx(golden["mean_diff"], abs=1e-12)
    assert (found.wins, found.ties, found.losses) == (golden["wins_b"], golden["ties"], golden["losses_b"])
    half = (found.t_interval.high - found.t_interval.low) / 2
    # half width of the 95 % t interval with 224 degrees of freedom: 1.970611 x s / sqrt(n)
    assert half == pytest.approx(1.9706111 * golden["std_diff_ddof1"] / np.sqrt(golden["n"]), rel=1e-6)
    interval = found.bootstrap_interval
    assert (interval.low, interval.high) == pytest.approx(golden["boot_percentile_95"], abs=1.5e-3)
    assert found.p == pytest.approx(golden["sign_flip_p"], abs=0.011)
    assert found.p > 0


def test_order_of_experiments_changes_no_bit():
    tables = sweep_of(6, 80)
    once = standing(tables, baseline="e03", primary="a", seed=5)
    again = standing(dict(reversed(tables.items())), baseline="e03", primary="a", seed=5)
    assert repr(once) == repr(again)


def test_different_queries_are_refused_with_the_first_difference():
    ours, theirs = table([1, 2, 3], ids=["a", "b", "c"]), table([1, 2, 3], ids=["a", "x", "c"])
    with pytest.raises(ComparisonError, match=r"query 2 is 'b' in the one and 'x' in the other"):
        standing({"one": ours, "two": theirs}, baseline="one", primary="m", seed=0)


def test_identical_runs_are_identical_with_p_1():
    values = np.linspace(0, 1, 40)
    found = standing({"a": table(values), "b": table(values)}, baseline="a", primary="m", seed=0)
    (c,) = found.comparisons
    assert (c.verdict, c.p, c.p_corrected, c.difference) == ("identical", 1.0, 1.0, 0.0)
    assert found.may_be_best == ("a", "b")


def test_few_differing_queries_get_no_verdict_however_large_the_difference():
    # 14 of 40 queries go from 0 to 1: exact p = 2 / 2**14 = 0.00012, and yet below the 15 that a verdict needs
    worse = np.zeros(40)
    better = np.where(np.arange(40) < 14, 1.0, 0.0)
    (c,) = standing({"a": table(worse), "b": table(better)}, baseline="a", primary="m", seed=0).comparisons
    assert c.verdict == "too few queries differ"
    (c,) = standing(
        {"a": table(worse), "b": table(better)},
        baseline="a",
        primary="m",
        seed=0,
        options=StatsOptions(minimum_differing=14),
    ).comparisons
    assert c.verdict == "better"


def test_swapping_treatment_and_baseline_mirrors_everything():
    tables = sweep_of(2, 90, seed=4)
    there = standing(tables, baseline="e00", primary="a", seed=2).comparisons[0]
    back = standing(tables, baseline="e01", primary="a", seed=2).comparisons[0]
    assert back.difference == -there.difference
    assert (back.t_interval.low, back.t_interval.high) == (-there.t_interval.high, -there.t_interval.low)
    assert back.bootstrap_interval.low == pytest.approx(-there.bootstrap_interval.high, abs=1e-12)
    assert (back.p, back.wins, back.losses) == (there.p, there.losses, there.wins)


def test_twice_as_many_queries_of_the_same_kind_narrow_the_interval_by_root_two():
    tables = sweep_of(2, 100, seed=4)
    doubled = {name: table(np.hstack((t.values, t.values)), t.measures) for name, t in tables.items()}
    once = standing(tables, baseline="e00", primary="a", seed=2).comparisons[0]
    twice = standing(doubled, baseline="e00", primary="a", seed=2).comparisons[0]
    widths = [c.t_interval.high - c.t_interval.low for c in (once, twice)]
    assert twice.difference == pytest.approx(once.difference, abs=1e-12)
    # s**2/n with 99 and 199 degrees of freedom: width ratio = 1.98422/1.97196 x sqrt(199/99)
    assert widths[0] / widths[1] == pytest.approx(1.984217 / 1.971957 * np.sqrt(199 / 99), rel=1e-5)
    assert twice.detectable < once.detectable
    assert twice.p < once.p or twice.p == pytest.approx(once.p, abs=0.02)


def test_the_best_observed_may_always_be_the_best_and_a_beaten_one_may_not():
    tables = sweep_of(8, 150, seed=1)
    worst = table(tables["e00"].values - 0.3, ("a", "b"))
    found = standing({**tables, "worst": worst}, baseline="e00", primary="a", seed=0)
    assert found.may_be_best[0] == found.best == max(found.means, key=lambda name: found.means[name]["a"])
    assert "worst" not in found.may_be_best
    assert {c.baseline for c in found.rivals} == set(found.may_be_best[1:])


def test_only_the_primary_measure_has_a_verdict_and_description_can_be_corrected_on_request():
    tables = sweep_of(4, 60)
    plain = standing(tables, baseline="e00", primary="b", seed=0)
    assert [c.measure for c in plain.comparisons] == ["b"] * 3 + ["a"] * 3
    assert all(c.verdict and c.correction == "max_t" for c in plain.comparisons[:3])
    assert all(not c.verdict and c.p_corrected is None for c in plain.comparisons[3:])
    asked = standing(tables, baseline="e00", primary="b", seed=0, options=StatsOptions(describe="bh"))
    assert all(c.correction == "bh" and c.p_corrected >= c.p for c in asked.comparisons[3:])


def test_detectable_does_not_depend_on_the_observed_difference():
    tables = sweep_of(2, 80)
    moved = {"e00": tables["e00"], "e01": table(tables["e01"].values + 0.0625, ("a", "b"))}
    found = [standing(t, baseline="e00", primary="a", seed=0).comparisons[0].detectable for t in (tables, moved)]
    # a shift changes which flips are extreme by chance only: the quantile moves by Monte Carlo noise
    assert found[0] == pytest.approx(found[1], rel=0.05)


def test_queries_needed_settle_the_same_difference():
    # spread 0.2, difference 0.02, t level: needs ((1.98 + 0.84) x 0.2 / 0.02)**2 = 795; flips give near that
    draw = np.random.default_rng(0).normal(size=150)
    draw = 0.02 + 0.2 * (draw - draw.mean()) / draw.std(ddof=1)
    found = standing({"a": table(np.zeros(150)), "b": table(draw)}, baseline="a", primary="m", seed=0).comparisons[0]
    assert found.verdict == "cannot tell"
    assert found.queries_needed == pytest.approx(795, rel=0.06)
    assert found.detectable == pytest.approx(2.82 * 0.2 / np.sqrt(150), rel=0.03)


def test_a_difference_that_is_real_but_small_is_said_to_be_small():
    draw = np.random.default_rng(0).normal(0.005, 0.004, 200)
    (c,) = standing({"a": table(np.zeros(200)), "b": table(draw)}, baseline="a", primary="m", seed=0).comparisons
    assert c.verdict == "better"
    assert "smaller than the margin of 0.02" in c.note


def test_a_constant_difference_is_better_with_an_interval_of_no_width():
    (c,) = standing(
        {"a": table(np.zeros(40)), "b": table(np.full(40, 0.125))}, baseline="a", primary="m", seed=0
    ).comparisons
    assert (c.verdict, c.t_interval.low, c.t_interval.high) == ("better", 0.125, 0.125)
    # all forty differ by the same: binomial, 2 / 2**40
    assert c.p == pytest.approx(2 / 2**40, rel=1e-9)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("level", 1.0), ("resamples", 10), ("correction", "none"), ("interval", "wald"), ("margin", -0.1), ("power", 1.5)],
)
def test_settings_that_cannot_be_used_are_refused_by_name(setting, value):
    with pytest.raises(ValueError, match=f"stats.{setting}"):
        StatsOptions(**{setting: value})


def test_the_best_observed_stays_in_the_set_though_another_beats_it_on_the_queries_they_share():
    # easy is defined on the 30 easy queries alone, where all is near 1; there hard is better by 0.05 on every query
    base = np.r_[np.full(30, 0.9), np.full(60, 0.2)]
    easy = np.where(np.arange(90) < 30, base, np.nan)
    found = standing({"easy": table(easy), "hard": table(base + 0.05)}, baseline="hard", primary="m", seed=0)
    assert found.best == "easy"
    assert found.may_be_best == ("easy", "hard")
    (c,) = found.comparisons
    assert (c.queries, c.verdict) == (30, "worse")
    assert "60 queries left out" in c.note


def test_a_measure_without_a_common_query_gives_no_row_and_no_nan():
    both = ("a", "b")
    one = table(np.vstack((np.linspace(0, 1, 30), np.full(30, np.nan))), both)
    two = table(np.vstack((np.linspace(1, 0, 30), np.linspace(0, 1, 30))), both)
    found = standing({"one": one, "two": two}, baseline="one", primary="a", seed=0)
    assert [c.measure for c in found.comparisons] == ["a"]
    assert found.defined["one"]["b"] == 0
