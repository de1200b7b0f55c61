"""Retrieval differences against answer differences."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.records import ScoreTable
from pipeline.stats.association import associations, best_predictor
from pipeline.stats.options import StatsOptions
from pipeline.stats.seeds import average_seeds

QUICK = StatsOptions(resamples=499)
QUERIES = 150


def sweep_with(link: float, seed: int = 3) -> dict[str, ScoreTable]:
    """Measure `r` moves the answer by `link`, measure `noise` does not."""
    rng = np.random.default_rng(seed)
    ids = tuple(f"q{i:03d}" for i in range(QUERIES))
    tables = {}
    for name in ("base", "one", "two"):
        r, noise = rng.random((2, QUERIES))
        answer = link * r + (1 - link) * rng.random(QUERIES)
        tables[name] = ScoreTable(("r", "noise", "answer"), ids, np.array([r, noise, answer]))
    return tables


def test_the_measure_that_moves_the_answer_is_named():
    found = associations(
        sweep_with(0.6), baseline="base", retrieval=["noise", "r"], answer="answer", seed=1, options=QUICK
    )
    assert [a.retrieval for a in found] == ["r", "noise"]
    assert best_predictor(found).startswith("r predicts answer best: correlation 0.8")


def test_correlation_is_numpys_on_centred_differences():
    tables = sweep_with(0.3)
    (found,) = associations(tables, baseline="base", retrieval=["r"], answer="answer", seed=1, options=QUICK)
    x, y = (
        np.concatenate(
            [d - d.mean() for name in ("one", "two") for d in [tables[name].values[i] - tables["base"].values[i]]]
        )
        for i in (0, 2)
    )
    assert found.correlation == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    assert found.interval.low < found.correlation < found.interval.high


def test_no_link_is_said_to_be_none():
    found = associations(
        sweep_with(0.0), baseline="base", retrieval=["r", "noise"], answer="answer", seed=1, options=QUICK
    )
    assert best_predictor(found) == "No retrieval measure predicts answer on these 150 queries."
    assert best_predictor(()).startswith("No retrieval measure can be held against")


def test_a_measure_that_never_changes_has_correlation_0_and_p_1():
    tables = {
        n: ScoreTable(t.measures, t.query_ids, np.vstack((np.ones(QUERIES), t.values[1:])))
        for n, t in sweep_with(0.5).items()
    }
    (found,) = associations(tables, baseline="base", retrieval=["r"], answer="answer", seed=1, options=QUICK)
    assert (found.correlation, found.p_corrected) == (0.0, 1.0)


def test_seeds_are_averaged_within_the_query():
    one = ScoreTable(("m",), ("a", "b", "c"), np.array([[0.0, 1.0, np.nan]]), {"m": {"no citation": 1}})
    two = ScoreTable(("m",), ("a", "b", "c"), np.array([[1.0, 1.0, 0.5]]))
    found = average_seeds([one, two])
    assert found.query_ids == ("a", "b", "c")
    assert found.values[0, :2].tolist() == [0.5, 1.0]
    assert np.isnan(found.values[0, 2])
    assert found.undefined == {"m": {"no citation": 1}}
