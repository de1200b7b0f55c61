"""Hybrid: the legs' lists fused once."""

from __future__ import annotations

import pytest

from pipeline.errors import SettingError
from pipeline.fusion import ReciprocalRankFusion, WeightedSum
from pipeline.retrieval.bm25 import Bm25
from pipeline.retrieval.dense import Dense
from pipeline.retrieval.hybrid import Hybrid

TEXTS = ["red stone", "red red", "stone wall", "green cloud", "cloud stone red wall", "lemon"]


def test_the_fused_list_is_the_reciprocal_rank_sum_of_the_legs(ask, embedder):
    legs = (Bm25(), Dense(embedder))
    fused = ask(Hybrid(*legs, ReciprocalRankFusion(60)), TEXTS).chunks(["red stone", "lemon"], depth=3)
    lists = [ask(leg, TEXTS).chunks(["red stone", "lemon"], depth=3) for leg in legs]
    for row, hits in enumerate(fused):
        expected = {}
        for ranked in lists:
            for rank, (chunk, _) in enumerate(ranked[row], start=1):
                expected[chunk] = expected.get(chunk, 0.0) + 1 / (60 + rank)
        assert dict(hits) == pytest.approx(expected, abs=1e-6)


def test_a_query_of_unknown_words_keeps_the_dense_order(ask, embedder):
    dense = ask(Dense(embedder), TEXTS).chunks(["zzz"])[0]
    fused = ask(Hybrid(Bm25(), Dense(embedder), ReciprocalRankFusion()), TEXTS).chunks(["zzz"])[0]
    assert [chunk for chunk, _ in fused] == [chunk for chunk, _ in dense]


@pytest.mark.parametrize("weights, place", [((1.0, 0.0), 0), ((0.0, 1.0), 1)])
def test_all_weight_on_one_leg_gives_that_legs_first_hit(ask, embedder, weights, place):
    legs = (Bm25(), Dense(embedder))
    first = ask(legs[place], TEXTS).chunks(["red"])[0][0][0]
    assert ask(Hybrid(*legs, WeightedSum(weights)), TEXTS).chunks(["red"])[0][0][0] == first


def test_the_wrong_number_of_weights_is_refused_before_any_work(embedder):
    with pytest.raises(SettingError, match="expected 2, one for each ranking"):
        Hybrid(Bm25(), Dense(embedder), WeightedSum((0.2, 0.3, 0.5)))


def test_legs_stand_in_the_order_of_the_weights(embedder):
    hybrid = Hybrid(Bm25(), Dense(embedder), ReciprocalRankFusion())
    assert [leg.kind for leg in hybrid.legs] == ["bm25", "dense"]
