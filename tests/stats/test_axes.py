"""Which axis of a sweep matters: contrasts and shares of hand-made sweeps."""

from __future__ import annotations

from itertools import combinations

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


def test_one_query_has_no_shares_and_no_word_on_any_axis():
    settings = {f"{a}-{b}": {"a": a, "b": b} for a in (1, 2) for b in (1, 2)}
    tables = {name: ScoreTable(("m",), ("q",), np.array([[float(i)]])) for i, name in enumerate(settings)}
    assert shares(tables, settings, primary="m") == ()
    found = contrasts(tables, settings, primary="m", seed=1)
    assert [c.verdict for c in found] == ["cannot tell"] * 2
    assert all(c.simultaneous is None for c in found)


def test_shares_add_up_to_one_and_noise_gives_axes_nearly_nothing():
    rng = np.random.default_rng(0)
    tables, settings = build(lambda case: rng.normal(size=QUERIES), NESTED)
    found = shares(tables, settings, primary="m")
    assert sum(s.share for s in found) == pytest.approx(1.0, abs=1e-12)
    assert sum(s.share for s in found if s.source in ("retriever", "embedding", "chunk_size")) < 0.01


def slow_shares(tables, settings):
    """Axis or pair -> share lost when its dummies alone are taken out, by least squares; no chance taken off."""
    names = sorted(tables)
    values = np.array([tables[name].values[0] for name in names])
    values = values - values.mean(axis=0)
    axes = sorted({axis for name in names for axis in settings[name]})

    def dummies(group):
        keys = [tuple(settings[name][axis] for axis in group) for name in names]
        return np.array([[float(key == level) for level in sorted(set(keys))] for key in keys])

    def left(groups):
        model = np.hstack([np.ones((len(names), 1)), *map(dummies, groups)])
        return float(((values - model @ np.linalg.lstsq(model, values, rcond=None)[0]) ** 2).sum())

    singles, total = [(axis,) for axis in axes], float((values**2).sum())
    found = {one: (left([g for g in singles if g != one]) - left(singles)) / total for one in singles}
    for pair in combinations(axes, 2):
        fewer = [g for g in combinations(axes, 2) if g != pair]
        found[pair] = (left([*singles, *fewer]) - left([*singles, *fewer, pair])) / total
    return {frozenset(group): share for group, share in found.items()}, left([*singles, *combinations(axes, 2)]) / total


def by_source(found):
    """Axes of a source -> its share, that with queries included."""
    sums = {}
    for share in found:
        if share.source not in ("rest", "shared"):
            key = frozenset(share.source.removesuffix(" x query").split(" x "))
            sums[key] = sums.get(key, 0.0) + share.share
    return sums


def unbalanced(seed):
    """A grid of three axes with a third of its cells missing, effects and interactions drawn at random."""
    rng = np.random.default_rng(seed)
    grid = [{"a": a, "b": b, "c": c} for a in "xy" for b in (1, 2, 3) for c in (10, 20, 30)]
    kept = [grid[place] for place in sorted(rng.permutation(len(grid))[:12])]
    return build(lambda case: rng.normal(size=QUERIES) + (case["a"] == "x") * case["b"] / 3 + case["c"] / 40, kept)


@pytest.mark.parametrize("seed", range(6))
def test_shares_are_what_a_model_loses_without_the_axis_whatever_the_order_of_axes(seed):
    tables, settings = unbalanced(seed)
    turned = [{name: {axis: own[axis] for axis in order} for name, own in settings.items()} for order in ("cab", "bca")]
    found = [shares(tables, each, primary="m") for each in (settings, *turned)]
    slow, rest = slow_shares(tables, settings)
    for each in found:
        own = by_source(each)
        assert {key: share for key, share in own.items() if share > 1e-9} == pytest.approx(
            {key: share for key, share in slow.items() if share > 1e-9}, abs=1e-9
        )
        named = {share.source: share.share for share in each}
        assert named["rest"] == pytest.approx(rest, abs=1e-9)
        assert sum(named.values()) == pytest.approx(1.0, abs=1e-9)
        assert abs(named["shared"]) > 0.001, "these designs are not balanced"


def test_a_full_grid_has_nothing_shared_and_its_sums_of_squares_are_those_of_cell_means():
    rng = np.random.default_rng(5)
    grid = [{"a": a, "b": b, "c": c} for a in "xy" for b in (1, 2, 3) for c in (10, 20)]
    tables, settings = build(lambda case: rng.normal(size=QUERIES) + case["b"] / 3, grid)
    found = shares(tables, settings, primary="m")
    assert "shared" not in {share.source for share in found}
    values = np.array([tables[name].values[0] for name in tables])
    values -= values.mean(axis=0)
    levels = np.array([settings[name]["b"] for name in tables])
    between = sum(4 * (values[levels == level].mean(axis=0) ** 2).sum() for level in (1, 2, 3))  # 4 cells a level
    assert by_source(found)[frozenset("b")] == pytest.approx(between / (values**2).sum(), abs=1e-12)


def test_a_model_that_only_some_have_takes_nothing_from_the_retriever_whatever_the_order():
    # bm25 1/2, dense 3/8, hybrid 5/8, mpnet 1/16 more: the retriever keeps the whole of bm25 against the others
    tables, settings = build(additive, NESTED)
    turned = {name: dict(reversed(own.items())) for name, own in settings.items()}
    one, other = (shares(tables, each, primary="m") for each in (settings, turned))
    assert by_source(one) == pytest.approx(by_source(other), abs=1e-12)
    # squares around the mean, in units of 1/32: bm25 0, dense -4 or -2, hybrid 4 or 6, each twice
    # mean 0.8; total 2 (0.8² + 4.8² + 2.8² + 3.2² + 5.2²) = 137.6; models 8 (±1)² = 8; the rest is retriever
    assert by_source(one)[frozenset(["embedding"])] == pytest.approx(8 / 137.6)
    assert by_source(one)[frozenset(["retriever"])] == pytest.approx(129.6 / 137.6)
