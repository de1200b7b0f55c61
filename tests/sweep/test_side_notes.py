"""Sentences about leaks, budgets that are not filled, and questions without an answer."""

from __future__ import annotations

from dataclasses import replace

from pipeline.records import JobRecord, Standing, SweepRecord
from pipeline.sweep.cautions import cautions
from pipeline.sweep.silence import silence


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
    assert cautions(sweep(a={"later_hits": 0.0}), None) == ()


def test_budgets_that_experiments_fill_differently_are_told() -> None:
    (said,) = cautions(sweep(a={"filled": 0.6}, b={"filled": 0.95}), None)
    assert said.startswith("rankings end before 512 tokens: a fills 60% of them, b 95%")
    assert cautions(sweep(a={"filled": 0.6}, b={"filled": 0.65}), None) == ()


def test_a_value_that_ties_leave_open_is_told() -> None:
    facts = {"ties/nDCG@10/low": 0.5, "ties/nDCG@10/high": 0.625, "ties/nDCG@10/queries": 3.0}
    said = cautions(sweep(a={}, b=facts), STANDING)
    assert "equal scores leave nDCG@10 of b open between 0.500 and 0.625: 3 queries" in said
    settled = facts | {"ties/nDCG@10/queries": 0.0}
    assert not any("equal scores" in line for line in cautions(sweep(a=facts, b=settled), STANDING))


def test_the_best_and_the_baseline_say_how_they_tell_silence() -> None:
    best = {"answer_auroc": 0.81, "answer_threshold": 7.5, "answer_coverage": 0.6, "answer_error": 0.18}
    (said,) = silence(sweep(a={"answer_auroc": 0.7}, b=best, c={"answer_auroc": 0.9}), STANDING)
    assert "b 0.810, a 0.700." in said and "0.9" not in said
    assert said.endswith("Above 7.5, chosen on one half, b answers 60% of the other half, 18% of them without ground.")
    (said,) = silence(sweep(a={"answer_auroc": 0.7}), replace(STANDING, best="a"))
    assert said.endswith("No threshold keeps answers without ground below 20%.")
    assert silence(sweep(a={}, b={}), STANDING) == ()
