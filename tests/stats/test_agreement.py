"""Overlap of rankings and what to judge first, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.errors import ComparisonError
from pipeline.records import Run
from pipeline.stats import disagreement, overlap


def run(*rows, unit="document") -> Run:
    items = np.array(rows, np.int32)
    return Run(unit, items, np.where(items < 0, np.nan, 1.0))


A = run([1, 2, 3, 4], [5, 6, -1, -1], [-1, -1, -1, -1])
B = run([2, 1, 7, 8], [5, -1, -1, -1], [-1, -1, -1, -1])


def test_overlap_by_hand():
    # query 0: {1, 2} of 4 = 1/2; query 1: {5} of 2 = 1/2; query 2 answered by neither
    found = overlap({"a": A, "b": B}, cutoff=4)
    assert found.names == ("a", "b")
    assert found.values == pytest.approx(np.array([[1, 0.5], [0.5, 1]]))
    # cut at 2: query 0 2/2, query 1 1/2
    assert overlap({"a": A, "b": B}, cutoff=2).values[0, 1] == pytest.approx(0.75)


def test_nothing_retrieved_at_all_has_no_overlap_to_speak_of():
    empty = run([-1], [-1])
    assert np.isnan(overlap({"a": empty, "b": empty}).values[0, 1])


def test_disagreement_is_the_spread_of_the_discount_and_leaves_out_what_all_rank_alike():
    found = disagreement({"a": A, "b": B}, cutoff=4)
    weights = {(d.query, d.document): d.weight for d in found}
    assert (1, 5) not in weights  # both rank it first
    # 3: rank 3 in a alone: 1/log2(4) = .5 against 0, standard deviation .25; 6: rank 2 in a alone: .6309/2
    assert weights[0, 3] == weights[0, 7] == pytest.approx(0.25)
    assert weights[1, 6] == pytest.approx(0.5 / np.log2(3))
    # 1: first in a, second in b: (1 - .6309) / 2
    assert weights[0, 1] == weights[0, 2] == pytest.approx((1 - 1 / np.log2(3)) / 2)
    assert found[0][:2] == (1, 6)
    assert [d.weight for d in found] == sorted((d.weight for d in found), reverse=True)


def test_of_one_configuration_the_first_documents_are_judged_first():
    assert [d[:2] for d in disagreement({"a": A}, cutoff=2)] == [(0, 1), (1, 5), (0, 2), (1, 6)]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"a": A, "b": run([1], unit="chunk")}, "b ranks chunks"),
        ({"a": A, "b": run([1])}, "a answers 3 queries and b 1"),
        (
            {"a": Run("document", A.items, A.scores, ("x",)), "b": Run("document", A.items, A.scores, ("y",))},
            "name documents outside the corpus differently",
        ),
    ],
)
def test_runs_that_cannot_be_held_together_are_refused(runs, message):
    with pytest.raises(ComparisonError, match=message):
        overlap(runs)
