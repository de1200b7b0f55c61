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
