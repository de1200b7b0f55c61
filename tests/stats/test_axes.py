"""Which axis of a sweep matters: contrasts and shares of hand-made sweeps."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.records import ScoreTable
from pipeline.stats.axes import contrasts, shares

QUERIES = 120


def build(value_of, cases):
    tables, settings = {}, {}
    for case in cases:
        name = "-".join(str(level) for level in case.values() if level is not None)
        settings[name] = case
        ids = tuple(f"q{i:03d}" for i in range(QUERIES))
        tables[name] = ScoreTable(("m",), ids, np.asarray(value_of(case), float)[None])
    return tables, settings


NESTED = [{"retriever": "bm25", "embedding": None, "chunk_size": size} for size in (256, 512)] + [
    {"retriever": retriever, "embedding": model, "chunk_size": size}
    for retriever in ("dense", "hybrid")
    for model in ("minilm", "mpnet")
    for size in (256, 512)
]


def additive(case, noise=0.0):
    """Effects on a sharp grid: hybrid +1/8, dense -1/8, mpnet +1/16 (where there is a model), 512 +0."""
    rng = np.random.default_rng(sum(map(ord, repr(case))))
    effect = {"bm25": 0, "dense": -1 / 8, "hybrid": 1 / 8}[case["retriever"]]
    effect += 1 / 16 if case["embedding"] == "mpnet" else 0
    return 0.5 + effect + rng.normal(0, noise, QUERIES)


def test_effects_of_an_additive_sweep_are_found_with_the_model_nested_in_dense_and_hybrid():
    tables, settings = build(additive, NESTED)
    found = {(c.axis, c.level, c.against): c for c in contrasts(tables, settings, primary="m", seed=0)}
    assert found["embedding", "minilm", "mpnet"].difference == pytest.approx(-1 / 16, abs=1e-12)
    assert found["embedding", "minilm", "mpnet"].cells == 4  # dense and hybrid, two sizes each; never bm25
    assert found["chunk_size", 256, 512].difference == 0
    # bm25 has no model: it is held against the mean over both models, +1/32
    assert found["retriever", "bm25", "hybrid"].difference == pytest.approx(-(1 / 8 + 1 / 32), abs=1e-12)
    assert found["retriever", "dense", "hybrid"].difference == pytest.approx(-1 / 4, abs=1e-12)


def test_does_not_matter_needs_the_simultaneous_interval_within_the_margin():
    quiet, settings = build(lambda case: additive(case, 0.02), NESTED)
    loud, _ = build(lambda case: additive(case, 0.9), NESTED)
    verdicts = [
        next(c.verdict for c in contrasts(t, settings, primary="m", seed=0) if c.axis == "chunk_size")
        for t in (quiet, loud)
    ]
    assert verdicts == ["does not matter", "cannot tell"]
    of_retriever = [c for c in contrasts(quiet, settings, primary="m", seed=0) if c.axis == "retriever"]
    assert {c.difference > 0 for c in of_retriever} == {True, False}  # both directions
    assert {c.verdict for c in of_retriever} == {"matters"}


def test_shares_of_a_sweep_with_one_working_axis_and_one_that_depends_on_the_query():
    # two sizes x two retrievers; the retriever adds 1/4 on every query, the size +1/4 or -1/4 by the query's parity:
    # the retriever has half of the variance and the size none, all of its half being size x query. What chance lends
    # to the size: its mean square with queries, 1/(Q-1) of that, is 0 on the mean and so moves nothing
    sign = np.where(np.arange(QUERIES) % 2, 1, -1)
    cases = [{"retriever": r, "size": s} for r in ("a", "b") for s in (1, 2)]
    tables, settings = build(lambda c: 0.25 * (c["retriever"] == "b") + 0.25 * sign * (c["size"] == 2), cases)
    found = {s.source: s.share for s in shares(tables, settings, primary="m")}
    assert found["retriever"] == pytest.approx(0.5, abs=1e-9)
    assert found["size"] == pytest.approx(0.0, abs=1e-9)
    assert found["size x query"] == pytest.approx(0.5, abs=1e-9)
    assert found["rest"] == pytest.approx(0.0, abs=1e-9)


def test_shares_add_up_to_one_and_noise_gives_axes_nearly_nothing():
    rng = np.random.default_rng(0)
    tables, settings = build(lambda case: rng.normal(size=QUERIES), NESTED)
    found = shares(tables, settings, primary="m")
    assert sum(s.share for s in found) == pytest.approx(1.0, abs=1e-12)
    assert sum(s.share for s in found if s.source in ("retriever", "embedding", "chunk_size")) < 0.01
