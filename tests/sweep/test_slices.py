"""Slices by hand: labels, weights, contradictions, and synthetic questions that are never pooled."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline import stats
from pipeline.records import SweepRecord
from pipeline.sweep.slices import (
    apart,
    columns,
    contradictions,
    counted,
    set_apart,
    slice_rows,
    turned,
    weighed,
    without,
)
from tests.sweep.small import dataset, table

FOUR = [{0: 1}, {0: 1, 1: 1}, {2: 0}, {3: 2}]
OPTIONS = stats.StatsOptions(resamples=200, half_splits=0)


def standing(tables, baseline="base"):
    return stats.standing(tables, baseline=baseline, primary="nDCG@10", seed=0, options=OPTIONS)


def test_queries_part_by_their_columns_their_length_and_their_relevant_documents() -> None:
    data = dataset(FOUR, slices={"topic": ("a", "b", "a", ""), "same": ("x", "x", "x", "x")})
    assert columns(data) == {"topic": ("a", "b", "a", ""), "relevant documents": ("1", "2 to 5", "", "1")}


def test_every_slice_has_its_mean_over_the_queries_that_have_a_value() -> None:
    data = dataset(FOUR, slices={"topic": ("a", "b", "a", "a")}, weight=[1.0, 1.0, 9.0, 3.0])
    rows = {
        (row["column"], row["label"]): row for row in slice_rows({"one": table([0.0, 1.0, np.nan, 1.0])}, data, 0.95)
    }
    assert (rows["all", ""]["n"], rows["all", ""]["unweighted_mean"]) == (3, pytest.approx(2 / 3))
    assert rows["all", ""]["mean"] == pytest.approx(4 / 5)
    # weight x residual is -0.8, 0.2, 0.6 (weights 1, 1, 3); squared over 1 - w/5 they are 0.8 + 0.05 + 0.9, over 25
    # 0.07. Kish's 25/11 queries leave 14/11 degrees of freedom, for which t is 7.778.
    assert rows["all", ""]["low"] == pytest.approx(4 / 5 - 7.778 * np.sqrt(0.07), abs=1e-3)
    assert (rows["topic", "a"]["n"], rows["topic", "a"]["unweighted_mean"]) == (2, 0.5)
    assert rows["topic", "a"]["mean"] == pytest.approx(3 / 4)


def many(difference_a: float, difference_b: float) -> tuple[dict, object]:
    """40 queries of topic a and 20 of b, each pair with that difference, give or take."""
    shake = np.tile([0.01, -0.01], 30)
    new = 0.5 + np.repeat([difference_a, difference_b], [40, 20]) + shake
    data = dataset([{0: 1}] * 60, slices={"topic": ("a",) * 40 + ("b",) * 20})
    return {"base": table([0.5] * 60), "new": table(new.tolist())}, data


def test_a_slice_that_contradicts_the_whole_is_told_and_others_are_not() -> None:
    tables, data = many(0.3, -0.2)
    (said,) = contradictions(tables, data, standing(tables), OPTIONS)
    assert "topic=b (20 queries): there new against base is -0.200" in said
    tables, data = many(0.3, 0.1)
    assert contradictions(tables, data, standing(tables), OPTIONS) == ()


def test_what_only_one_slice_alone_would_show_is_not_told_among_several() -> None:
    # Slice b: mean -0.0516, t = 0.516 x sqrt(19) = 2.25 with 19 degrees: beyond 2.09 (95 %), within 2.43 (97.5 %).
    swing = np.tile([-0.1516, 0.0484], 10)
    new = 0.5 + np.concatenate((np.full(40, 0.3) + np.tile([0.01, -0.01], 20), swing))
    _, data = many(0.3, -0.2)
    tables = {"base": table([0.5] * 60), "new": table(new.tolist())}
    assert stats.interval_of_mean(swing).high < 0
    assert contradictions(tables, data, standing(tables), OPTIONS) == ()


def test_weights_that_turn_the_sign_are_told() -> None:
    tables = {"base": table([0.0, 0.0, 1.0] * 6), "new": table([0.5, 0.5, 0.4] * 6)}
    found = standing(weighed(tables, [1.0, 1.0, 20.0] * 6))
    # Plain: 0.4667 - 0.3333; by weight: (0.5 + 0.5 + 8) / 22 - 20 / 22 = -0.5.
    assert found.means == {"base": {"nDCG@10": pytest.approx(20 / 22)}, "new": {"nDCG@10": pytest.approx(9 / 22)}}
    assert found.best == "base"
    (said,) = turned(found)
    assert "new against base is -0.500 nDCG@10 by traffic, +0.133 if every query counts once" in said
    assert turned(standing(tables)) == turned(standing(weighed(tables, [1.0, 1.0, 1.1] * 6))) == ()


def test_a_slice_contradicts_by_traffic_alone() -> None:
    # In slice b 5 of 20 queries have gained and 15 lost; only the traffic of the 15 turns the slice.
    shake = np.tile([0.01, -0.01], 30)
    new = 0.5 + np.concatenate((np.full(40, 0.3), np.full(15, -0.1), np.full(5, 0.3))) + shake
    tables = {"base": table([0.5] * 60), "new": table(new.tolist())}
    topics = {"topic": ("a",) * 40 + ("b",) * 20}
    plain, heavy = (
        dataset([{0: 1}] * 60, slices=topics, weight=[2 * share] * 40 + [share] * 15 + [1.0] * 5)
        for share in (1.0, 30.0)
    )
    assert contradictions(tables, plain, standing(weighed(tables, plain.queries.weight)), OPTIONS) == ()
    # (15 x 30 x -0.1 + 5 x 0.3) / 455 = -0.0956; the shakes of the 15 do not cancel: +0.01 x 30 / 455
    (said,) = contradictions(tables, heavy, standing(weighed(tables, heavy.queries.weight)), OPTIONS)
    assert "topic=b (20 queries): there new against base is -0.095" in said


def test_synthetic_questions_stand_apart() -> None:
    data = dataset(FOUR, slices={"origin": ("human", "synthetic", "human", "synthetic")})
    found = apart(data.queries.slices)
    assert found is not None and found.synthetic.tolist() == [False, True, False, True]
    tables = {"one": table([0.1, 0.9, 0.3, 0.7])}
    assert np.nanmean(without(tables, found.synthetic)["one"].values) == pytest.approx(0.2)
    assert "2 questions are synthetic (origin)" in set_apart(tables, found, "nDCG@10")
    assert "the 2 others; on them one leads with 0.800" in set_apart(tables, found, "nDCG@10")


def test_only_where_no_other_question_has_a_value_does_a_verdict_rest_on_synthetic_ones() -> None:
    origin = {"origin": ("human", "synthetic", "human", "synthetic")}
    sweep = SweepRecord("a", "", "", "", {}, (), "one", "nDCG@10", ("nDCG@10",), (), 0, 0, weights=(1.0, 1.0, 3.0, 1.0))
    mixed = counted({"one": table([0.1, 0.9, 0.3, 0.7])}, sweep, origin)
    assert mixed.tables["one"].values[0] == pytest.approx([0.1, np.nan, 0.3, np.nan], nan_ok=True)
    assert mixed.tables["one"].weights.tolist() == [1, 1, 3, 1]
    assert mixed.said[0].startswith("2 questions are synthetic (origin) and stand apart")
    alone = counted({"one": table([np.nan, 0.9, np.nan, 0.7])}, sweep, origin)
    assert alone.tables["one"].values[0] == pytest.approx([np.nan, 0.9, np.nan, 0.7], nan_ok=True)
    assert alone.said == ("only synthetic questions (origin) have a value: the verdict rests on them",)
    assert counted({"one": table([np.nan] * 4)}, sweep, origin).said == ()


@pytest.mark.parametrize("labels", [("human",) * 4, ("synthetic",) * 4, ("web", "mail", "web", "mail")])
def test_questions_of_one_kind_stay_together(labels) -> None:
    assert apart({"origin": labels}) is None
