"""The range over tie orders against all orders tried out."""

import itertools

import numpy as np
import pytest

from pipeline.errors import SettingError
from pipeline.metrics import evaluate, parse
from pipeline.metrics.catalogue import FAMILIES, TIES
from pipeline.metrics.ties import tie_range

SAMPLES = {"ERR": "ERR(max=3)@3", "RBP": "RBP(p=0.8)@3", "RBPres": "RBPres(p=0.8)@3"}


def sample(name, family):
    base = SAMPLES.get(name, name + ("" if family.cutoff == "none" else "@3"))
    return [parse(base)] + [parse(m) for m in ("AP(rel=2)", "nDCG(judged_only=True)@2") if name == "AP"]


MEASURES = [
    m for (name, counted), family in FAMILIES.items() if counted == "ranks" and TIES in family.relations
    for m in sample(name, family)
]  # fmt: skip


def orders(ranking, scores):
    """Every ranking in which equal scores may stand in any order."""
    groups = [
        [d for d, s in zip(ranking, scores, strict=True) if s == level] for level in sorted(set(scores), reverse=True)
    ]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield [doc for part in parts for doc in part]


def test_range_is_that_of_all_orders_tried_out(build):
    rng = np.random.default_rng(3)
    for _ in range(40):
        ranking = rng.permutation(8)[:5].tolist()
        scores = sorted(rng.integers(0, 3, 5).astype(float).tolist(), reverse=True)
        judged = {int(d): int(g) for d, g in zip(rng.permutation(8)[:5], rng.integers(-1, 4, 5), strict=True)}
        judged[7] = 1
        every = list(orders(ranking, scores))
        table = evaluate(MEASURES, build.case(every, [judged] * len(every)))
        got = tie_range(MEASURES, build.case([ranking], [judged], scores=[scores]))
        np.testing.assert_allclose(got.low.values[:, 0], table.values.min(axis=1), atol=1e-15)
        np.testing.assert_allclose(got.high.values[:, 0], table.values.max(axis=1), atol=1e-15)


def test_six_orders_of_three_tied_documents_give_one_range(build):
    # d0 relevant, d0 d1 d2 tied: RR between 1/3 and 1, whatever order the run came in
    for ranking in itertools.permutations(range(3)):
        got = tie_range([parse("RR")], build.case([ranking], [{0: 1}], scores=[[1.0, 1.0, 1.0]]))
        assert (got.low.values[0, 0], got.high.values[0, 0]) == (1 / 3, 1.0)
        assert got.touched == {"RR": 1}


def test_queries_without_ties_are_not_touched(build):
    case = build.case([[0, 1], [1, 0]], [{0: 1}, {0: 1}], scores=[[2.0, 1.0], [1.0, 1.0]])
    assert tie_range([parse("RR")], case).touched == {"RR": 1}


def test_measure_without_known_extremes_is_refused(build):
    with pytest.raises(SettingError, match="infAP"):
        tie_range([parse("infAP")], build.case([[0]], [{0: 1}]))


def test_empty_rankings_have_no_ties(build):
    got = tie_range([parse("RR")], build.case([[]], [{0: 1}]))
    assert (got.low.values[0, 0], got.high.values[0, 0], got.touched) == (0.0, 0.0, {"RR": 0})
