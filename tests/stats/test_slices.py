"""Slices: the same comparison on parts of the queries."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.errors import ComparisonError
from pipeline.records import ScoreTable
from pipeline.stats import StatsOptions, standing
from pipeline.stats.families import benjamini_hochberg
from pipeline.stats.slices import by_slice

RNG = np.random.default_rng(7)
IDS = tuple(f"q{i:03d}" for i in range(90))
TABLES = {name: ScoreTable(("m",), IDS, RNG.random((1, 90))) for name in ("a", "b", "c")}
LABELS = ["short"] * 30 + ["long"] * 40 + [""] * 20
QUICK = StatsOptions(resamples=999)


def test_a_slice_is_the_comparison_of_its_queries_alone_without_verdict():
    found = by_slice(TABLES, LABELS, baseline="a", primary="m", seed=3, options=QUICK)
    assert list(found) == ["long", "short"]
    alone = {n: ScoreTable(("m",), IDS[:30], t.values[:, :30]) for n, t in TABLES.items()}
    expected = {c.treatment: c for c in standing(alone, baseline="a", primary="m", seed=3, options=QUICK).comparisons}
    for c in found["short"]:
        same = expected[c.treatment]
        assert (c.queries, c.verdict, c.p_corrected) == (30, "", None)
        assert c.difference == pytest.approx(same.difference, abs=1e-12)
        assert c.bootstrap_interval.low == pytest.approx(same.bootstrap_interval.low, abs=1e-12)
        assert (c.p, c.wins) == (same.p, same.wins)


def test_on_request_p_is_corrected_over_all_slices_at_once():
    plain = by_slice(TABLES, LABELS, baseline="a", primary="m", seed=3, options=QUICK)
    asked = by_slice(
        TABLES, LABELS, baseline="a", primary="m", seed=3, options=StatsOptions(resamples=999, describe="bh")
    )
    expected = benjamini_hochberg(np.array([c.p for rows in plain.values() for c in rows]))
    assert [c.p_corrected for rows in asked.values() for c in rows] == expected.tolist()


def test_labels_must_be_one_a_query():
    with pytest.raises(ComparisonError, match="2 slice labels for 90 queries"):
        by_slice(TABLES, ["x", "y"], baseline="a", primary="m", seed=0)
