"""The three numbers of choosing the best: dealt as set, never mixed, each under its own name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline.records import ScoreTable, Standing
from pipeline.stats import Dealing, StatsOptions, after_choosing, standing, three_numbers, verdict
from pipeline.stats.dealing import holdout

FAST = StatsOptions(resamples=999, half_splits=20)
IDS = tuple(f"q{i:03d}" for i in range(80))


def tables(**rows) -> dict[str, ScoreTable]:
    return {name: ScoreTable(("m",), IDS[: len(row)], np.array([row], float)) for name, row in rows.items()}


def stand(given: dict[str, ScoreTable], dealing: Dealing, options: StatsOptions) -> Standing:
    found = standing(given, baseline="a", primary="m", seed=0, options=options, clusters=dealing.clusters)
    return after_choosing(found, given, dealing, options)


def turned() -> dict[str, ScoreTable]:
    """b gains 0.5 on the select part and loses 0.25 on the confirm part of seed 0: +0.125 on all."""
    select = holdout(IDS, seed=0).select
    shake = np.tile([0.001, -0.001], 40)
    return tables(a=np.full(80, 0.5), b=np.where(select, 1.0, 0.25) + shake)


HELD = replace(FAST, split="holdout")


def test_the_verdict_of_a_holdout_comes_from_the_confirm_part_alone():
    found = stand(turned(), Dealing(0), HELD)
    rows = {row.number: row for row in three_numbers(found)}
    assert set(rows) == {"best observed", "confirmed", "expected gain"}
    assert rows["best observed"].gain == pytest.approx(0.125, abs=0.001)
    assert (rows["confirmed"].gain, rows["confirmed"].verdict) == (pytest.approx(-0.25, abs=0.001), "worse")
    assert rows["confirmed"].queries == 40
    said = " ".join(verdict(found))
    assert said.startswith("Keep a: b was chosen, but is worse: -0.250 m [-0.25")
    assert "on 40 queries that did not choose it (p = 0.001)" in said
    assert "Best observed, on all queries: b +0.125; too high, chosen for being high." in said
    assert "Expected gain of choosing this way: " in said
    assert "Ship" not in said


def test_without_a_split_nothing_is_confirmed():
    found = stand(turned(), Dealing(0), FAST)
    assert [row.number for row in three_numbers(found)] == ["best observed", "expected gain"]
    assert found.confirmed is None and found.cross_validated is None


def test_a_confirm_part_that_served_before_reads_reused_in_verdict_and_row():
    clear = tables(a=np.linspace(0.1, 0.5, 80), b=np.linspace(0.3, 0.8, 80))
    fresh, again = (" ".join(verdict(stand(clear, Dealing(0, uses=uses), HELD))) for uses in (0, 3))
    assert fresh.startswith("Ship b over a: confirmed +0.") and "reused" not in fresh.lower()
    assert again.startswith("Ship b over a: reused, +0.") and "confirmed" not in again
    assert "Reused: the confirm part has served 3 times before; only new queries confirm afresh." in again
    (row,) = [row for row in three_numbers(stand(clear, Dealing(0, uses=3), HELD)) if row.number == "confirmed"]
    assert "reused" in row.note


@pytest.mark.parametrize("labels", [{"strata"}, {"clusters"}, {"strata", "clusters"}])
def test_strata_and_clusters_decide_who_confirms(labels: set[str]):
    columns = {"strata": ["x" if i < 20 else "y" for i in range(80)], "clusters": [f"c{i // 3:02d}" for i in range(80)]}
    given = {name: column for name, column in columns.items() if name in labels}
    part, plain = holdout(IDS, seed=0, **given), holdout(IDS, seed=0)
    assert (part.confirm != plain.confirm).any()
    rng = np.random.default_rng(3)
    base, gain = rng.random(80), rng.random(80)  # a mean over any other queries differs
    found = stand(tables(a=base, b=base + gain), Dealing(0, **given), HELD).confirmed
    assert found is not None and found.comparison is not None
    assert found.observed == pytest.approx(gain[part.select].mean())
    assert found.comparison.difference == pytest.approx(gain[part.confirm].mean())
    assert ("clusters" in found.comparison.note) == ("clusters" in labels)


def test_rivals_of_another_experiment_than_the_confirmed_one_are_not_spoken_of():
    select = holdout(IDS, seed=0).select
    noise = np.random.default_rng(4).normal(0, 0.1, (2, 80))
    b = np.where(select, 1.0, 0.6)  # chosen, and better on both parts
    c = np.where(select, 0.9, 0.9) + noise[0]  # best over all queries, and d close behind
    given = tables(a=np.full(80, 0.3) + noise[1] / 10, b=b, c=c, d=c + noise[1] / 5 - 0.001)
    found = stand(given, Dealing(0), HELD)
    assert found.confirmed is not None and found.confirmed.chosen == "b"
    assert found.best != "b" and len(found.may_be_best) > 1
    plain, held = (" ".join(verdict(each)) for each in (replace(found, confirmed=None), found))
    assert " or " in plain.partition("expected")[2], plain
    assert " or " not in held


def test_queries_without_a_value_are_in_neither_part():
    given = turned()
    given = {name: replace(t, values=np.where(np.arange(80) < 30, np.nan, t.values)) for name, t in given.items()}
    found = stand(given, Dealing(0), HELD).confirmed
    assert found is not None
    assert (found.select_queries, found.confirm_queries) == (25, 25)


def test_folds_measure_the_choice_and_are_told_beside_the_verdict():
    clear = tables(a=np.linspace(0.1, 0.5, 80), b=np.linspace(0.3, 0.8, 80))
    found = stand(clear, Dealing(0), replace(FAST, split="kfold", folds=4))
    # b leads in every fold, so the gain is the mean difference: 0.55 - 0.3
    assert found.cross_validated is not None
    assert found.cross_validated.gain == pytest.approx(0.25)
    said = " ".join(verdict(found))
    assert said.startswith("Ship b over a: +0.250 m observed, about +0.25 expected after choosing the best of 2.")
    assert "Cross-validated gain of choosing this way: +0.250 [" in said and "of 4 folds it chose b in 4." in said
    (row,) = [row for row in three_numbers(found) if row.number == "cross-validated"]
    assert (row.experiment, row.gain) == ("b:4", pytest.approx(0.25))


@pytest.mark.parametrize("options, count", [(replace(FAST, split="kfold", folds=5), 4), (HELD, 1)])
def test_too_few_queries_for_a_split_are_said_to_be_too_few(options: StatsOptions, count: int):
    found = stand(tables(a=np.zeros(count), b=np.ones(count)), Dealing(0), options)
    assert found.confirmed is None and found.cross_validated is None
    assert f"split={options.split} says nothing here" in found.notes[-1] and f"there are {count}" in found.notes[-1]


def test_a_baseline_that_leads_the_select_part_is_kept():
    found = stand(tables(a=np.linspace(0.4, 0.9, 80), b=np.linspace(0.1, 0.5, 80)), Dealing(0), HELD)
    said = "Keep a: it leads on the 40 queries to choose on; nothing to confirm."
    assert " ".join(verdict(found)).startswith(said)
    assert {row.number: row.verdict for row in three_numbers(found)}["confirmed"] == "baseline"
