"""Sentences about leaks, budgets that are not filled, and questions without an answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.records import JobRecord, Standing, SweepRecord, Tuned
from pipeline.storage.sweep_files import Plan, write_plan
from pipeline.sweep.cautions import cautions
from pipeline.sweep.silence import silence, thresholds


def sweep(**facts: dict[str, float]) -> SweepRecord:
    settings = {"embedding": "none", "chunk_size": 64}
    jobs = tuple(
        JobRecord(n, name, "done", "", None, str(n), settings, (), own, None, "")
        for n, (name, own) in enumerate(facts.items())
    )
    return SweepRecord("x", "", "", "", {}, (), "a", "nDCG@10", ("nDCG@10", "R@64tok", "R@512tok"), jobs, 0, 0.0)


STANDING = Standing("nDCG@10", "a", "b", ("b",), (), {}, {}, {})


def test_hits_from_the_future_are_told() -> None:
    (said,) = cautions(sweep(a={"later_hits": 0.0}, b={"later_hits": 1200.0}), None)
    assert said.startswith("1,200 hits of b are dated after the day of their question")
    assert cautions(sweep(a={"later_hits": 0.0, "later_removed": 0.0}), None) == ()


def test_hits_from_the_future_that_the_re_ranking_took_out_are_told() -> None:
    (said,) = cautions(sweep(a={"later_removed": 7.0}, b={"later_removed": 3.0}), None)
    assert said.startswith("decay.later=exclude took 7 hits out of the ranking of a, dated after the day")


def test_budgets_that_experiments_fill_differently_are_told() -> None:
    (said,) = cautions(sweep(a={"filled": 0.6}, b={"filled": 0.95}), None)
    assert said.startswith("rankings end before 512 tokens: a fills 60% of them, b 95%")


def test_budgets_that_all_leave_open_alike_are_told() -> None:
    (said,) = cautions(sweep(a={"filled": 0.65}, b={"filled": 0.6}), None)
    assert said == "rankings end before 512 tokens: at least 60% and at most 65% of them are filled"
    assert cautions(sweep(a={"filled": 0.95}, b={"filled": 1.0}), None) == ()


def test_a_value_that_ties_leave_open_is_told() -> None:
    facts = {"ties/nDCG@10/low": 0.5, "ties/nDCG@10/high": 0.625, "ties/nDCG@10/queries": 3.0}
    said = cautions(sweep(a={}, b=facts), STANDING)
    assert "equal scores leave nDCG@10 of b open between 0.500 and 0.625: 3 queries" in said
    settled = facts | {"ties/nDCG@10/queries": 0.0}
    assert not any("equal scores" in line for line in cautions(sweep(a=facts, b=settled), STANDING))


PLAN = Plan("x", "", "", (), True, {}, (), "a", "nDCG@10", (), (), 7, ())
CHOSEN = {
    "answer_auroc": 0.81, "answer_threshold": 7.5, "answer_coverage": 0.6, "answer_error": 0.18,
    "answer_chosen_on": 30.0, "answer_measured_on": 31.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("split", "tuned_on", "measured_on"),
    [
        ("none", "one half by seed 7, 30 queries", "the other half, 31 queries"),
        ("holdout", "select part, 30 queries", "confirm part, 31 queries"),
        ("kfold", "all 30 queries", "5 folds, each by the threshold of the others"),
    ],
)
def test_the_best_and_the_baseline_say_how_they_tell_silence(
    tmp_path: Path, split: str, tuned_on: str, measured_on: str
) -> None:
    write_plan(tmp_path, replace(PLAN, stats={"split": split, "folds": 5}))
    of = sweep(a={"answer_auroc": 0.7}, b=CHOSEN, c={"answer_auroc": 0.9})
    of = replace(of, jobs=tuple(replace(job, folder=str(tmp_path / str(job.number))) for job in of.jobs))
    (said,) = silence(of, STANDING)
    assert "b 0.810, a 0.700." in said and "0.9" not in said
    told = f"(tuned on {tuned_on}) b answers 60%, 18% of them without ground (measured on {measured_on})."
    assert said.endswith(f"Above 7.5 {told}")
    assert thresholds(of.jobs) == (
        Tuned("answer_threshold", 7.5, "every first score", "b", tuned_on, measured_on),
    )  # fmt: skip
    (said,) = silence(sweep(a={"answer_auroc": 0.7}), replace(STANDING, best="a"))
    assert said.endswith("No threshold keeps answers without ground below 20%.")
    assert silence(sweep(a={}, b={}), STANDING) == ()


def test_a_threshold_of_an_older_sweep_that_does_not_say_who_chose_it_is_left_out() -> None:
    # comparing such a sweep again ended in KeyError: 'answer_chosen_on'
    old = {name: value for name, value in CHOSEN.items() if not name.endswith("_on")}
    (said,) = silence(sweep(b=old), STANDING)
    assert said.endswith("b 0.810.") and thresholds(sweep(b=old).jobs) == ()
