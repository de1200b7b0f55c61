"""Fusing rankings: values worked out by hand, rules for absent chunks, and a golden run."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.fusion import ReciprocalRankFusion, WeightedSum
from pipeline.ranking import padded, rank_chunks

ONE_CHUNK_EACH = np.arange(40, dtype=np.int32)  # chunk i is document i


def run_of(*queries):
    """A chunk run from dictionaries chunk -> score, one a query."""
    flat = [(row, chunk, score) for row, query in enumerate(queries) for chunk, score in query.items()]
    rows, chunks, scores = (np.array(column) for column in zip(*flat, strict=True)) if flat else (np.zeros(0, int),) * 3
    hits = padded("chunk", rows.astype(np.int64), chunks.astype(np.int32), scores.astype(float), len(queries))
    return rank_chunks(hits.items, hits.scores, ONE_CHUNK_EACH)


def scores_of(run, row=0):
    return {int(i): float(s) for i, s in zip(run.items[row], run.scores[row], strict=True) if i >= 0}


def test_rrf_adds_reciprocal_ranks_and_absent_adds_nothing():
    # Ranks: chunk 0 is 1st and 2nd, chunk 1 2nd and absent, chunk 2 absent and 1st.
    fused = ReciprocalRankFusion(60).fuse([run_of({0: 9.0, 1: 8.0}), run_of({2: 0.3, 0: 0.2})], ONE_CHUNK_EACH)
    assert scores_of(fused) == {0: round(1 / 61 + 1 / 62, 6), 2: round(1 / 61, 6), 1: round(1 / 62, 6)}
    assert fused.items.tolist() == [[0, 2, 1]]


def test_k_moves_weight_away_from_the_first_places():
    first, second = run_of({0: 3.0, 1: 2.0, 2: 1.0}), run_of({2: 3.0, 1: 2.0})
    # k=0: chunk 2 has 1/3 + 1 = 1.33, chunk 1 1/2 + 1/2 = 1, chunk 0 1. Ties: the greater document first.
    assert ReciprocalRankFusion(0).fuse([first, second], ONE_CHUNK_EACH).items.tolist() == [[2, 1, 0]]
    # k=1000: chunk 2 has 1/1003 + 1/1001, chunk 1 2/1002: equal to 6 decimals, and the greater document wins.
    assert ReciprocalRankFusion(1000).fuse([first, second], ONE_CHUNK_EACH).items.tolist() == [[2, 1, 0]]
    # k=60: chunk 2 has 1/63 + 1/61 = 0.032266, chunk 1 2/62 = 0.032258.
    assert ReciprocalRankFusion(60).fuse([first, second], ONE_CHUNK_EACH).scores[0].tolist() == [
        0.032266,
        0.032258,
        0.016393,
    ]


@pytest.mark.parametrize(
    "normalisation, expected",
    [
        # First list 10, 6, 2 -> 1, 0.5, 0; second list 0.4 alone -> 1. Weights 0.75 and 0.25.
        ("min_max", {0: 0.75, 1: 0.375 + 0.25, 2: 0.0}),
        # Mean 6, deviation sqrt(32/3) = 3.265986: z = 1.2247, 0, -1.2247. Second list: chunk 1 has 0, the others -1.
        ("z_score", {0: 0.75 * 1.224745 - 0.25, 1: 0.0, 2: -0.75 * 1.224745 - 0.25}),
        # First list 3/3, 2/3, 1/3; second list 1/1 for chunk 1.
        ("rank", {0: 0.75, 1: 0.75 * 2 / 3 + 0.25, 2: 0.25}),
    ],
)
def test_weighted_sums_by_hand(normalisation, expected):
    runs = [run_of({0: 10.0, 1: 6.0, 2: 2.0}), run_of({1: 0.4})]
    fused = WeightedSum((0.75, 0.25), normalisation).fuse(runs, ONE_CHUNK_EACH)
    assert scores_of(fused) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("normalisation", ["min_max", "z_score", "rank"])
@pytest.mark.parametrize("scores", [{3: 5.0}, {3: 5.0, 4: 5.0}, {3: 0.1 + 0.2, 4: 0.3}])
def test_a_single_or_constant_list_gives_numbers_and_a_hit_counts_more_than_an_absence(normalisation, scores):
    # Peers gave NaN for [5, 5], and no weight to the one hit of a list.
    fused = WeightedSum((0.5, 0.5), normalisation).fuse([run_of(scores), run_of({8: 2.0, 9: 1.0})], ONE_CHUNK_EACH)
    alone = WeightedSum((1.0, 0.0), normalisation).fuse([run_of(scores), run_of({8: 2.0, 9: 1.0})], ONE_CHUNK_EACH)
    assert np.isfinite(fused.scores).all()
    assert set(alone.items[0, : len(scores)].tolist()) == set(scores)
    assert scores_of(alone)[3] > scores_of(alone)[8]


@pytest.mark.parametrize("normalisation", ["min_max", "z_score", "rank"])
def test_a_query_without_hits_in_one_list_keeps_the_order_of_the_other(normalisation):
    fused = WeightedSum((0.5, 0.5), normalisation).fuse(
        [run_of({}, {0: 1.0}), run_of({5: 3.0, 6: 2.0, 7: 1.0}, {0: 1.0})], ONE_CHUNK_EACH
    )
    assert fused.items[0].tolist() == [5, 6, 7]


def test_nothing_everywhere_stays_nothing():
    for fusion in (ReciprocalRankFusion(), WeightedSum(normalisation="z_score")):
        assert fusion.fuse([run_of({}, {}), run_of({}, {})], ONE_CHUNK_EACH).items.shape == (2, 0)


lists = st.dictionaries(st.integers(0, 39), st.floats(-5, 5).map(lambda x: round(x, 2)), max_size=12)


@given(st.lists(st.tuples(lists, lists), min_size=3, max_size=3), st.sampled_from([0, 1, 60]))
def test_rrf_ignores_the_order_of_the_rankings(queries, k):
    runs = [run_of(*query) for query in queries]
    fused = [ReciprocalRankFusion(k).fuse(order, ONE_CHUNK_EACH) for order in permutations(runs)]
    for other in fused[1:]:
        assert np.array_equal(fused[0].items, other.items)
        assert np.array_equal(fused[0].scores, other.scores, equal_nan=True)


def test_a_sum_at_a_rounding_border_ignores_the_order_of_the_rankings_too():
    # With this k, 1/(k+1) + 1/(k+2) + 1/(k+3) added in one order rounds to 0.002042, in another to 0.002043.
    runs = [run_of({0: 9.0, 1: 1.0}), run_of({7: 9.0, 0: 1.0}), run_of({7: 9.0, 8: 8.0, 0: 1.0})]
    fusion = ReciprocalRankFusion(1466.788703582821)
    assert len({scores_of(fusion.fuse(order, ONE_CHUNK_EACH))[0] for order in permutations(runs)}) == 1


@given(lists, lists, st.sampled_from([0, 60]))
def test_rrf_agrees_with_a_dictionary(first, second, k):
    expected = defaultdict(float)
    for scores in (first, second):
        for rank, chunk in enumerate(sorted(scores, key=lambda c: (scores[c], c), reverse=True), start=1):
            expected[chunk] += 1 / (k + rank)
    fused = scores_of(ReciprocalRankFusion(k).fuse([run_of(first), run_of(second)], ONE_CHUNK_EACH))
    assert fused == pytest.approx(expected, abs=1e-6)
    assert list(fused) == sorted(fused, key=lambda c: (fused[c], c), reverse=True)


@given(lists, st.sampled_from(["min_max", "z_score", "rank"]))
def test_fusing_a_ranking_with_itself_keeps_its_order(scores, normalisation):
    run = run_of(scores)
    fused = WeightedSum((0.5, 0.5), normalisation).fuse([run, run], ONE_CHUNK_EACH)
    if normalisation != "rank":  # equal scores have different ranks there
        assert fused.items.tolist() == run.items.tolist()
    assert set(fused.items.ravel().tolist()) == set(run.items.ravel().tolist())


@pytest.mark.parametrize(
    "make",
    [
        lambda: ReciprocalRankFusion(-1),
        lambda: ReciprocalRankFusion("sixty"),
        lambda: WeightedSum((0.5, -0.5)),
        lambda: WeightedSum((0.0, 0.0)),
        lambda: WeightedSum(("a", "b")),
        lambda: WeightedSum((0.5, 0.5), "softmax"),
        lambda: WeightedSum((1.0,)).check(2),
        lambda: ReciprocalRankFusion().check(0),
    ],
)
def test_a_fusion_that_cannot_work_is_refused(make):
    with pytest.raises(SettingError):
        make()


def read_trec(path, ids, column):
    """query -> document position -> number in that column of the file, in plain Python."""
    run = defaultdict(dict)
    for line in path.read_text().splitlines():
        words = line.split()
        run[words[0]][ids[words[2]]] = float(words[column])
    return run


def test_the_golden_fusion_of_two_cranfield_runs_is_reproduced(collections):
    # The golden file breaks ties by ascending id, in its inputs too: so their rank column is the input here, and the
    # fused order is compared after our rule (6 decimals, descending id) was applied to the golden scores.
    folder = collections / "trec_eval_golden" / "cranfield"
    files = [folder / f"{name}.run" for name in ("bm25", "lsa100", "rrf")]
    names = sorted({line.split()[2] for path in files for line in path.read_text().splitlines()})
    ids = {name: position for position, name in enumerate(names)}
    bm25, lsa, golden = (read_trec(path, ids, column) for path, column in zip(files, (3, 3, 4), strict=True))
    doc = np.arange(len(names), dtype=np.int32)

    queries = sorted(golden)
    runs = [ranked_by_place(ranks, queries, doc) for ranks in (bm25, lsa)]
    fused = ReciprocalRankFusion(60).fuse(runs, doc)

    assert len(queries) == 225
    for row, query in enumerate(queries):
        ours, expected = scores_of(fused, row), golden[query]
        assert {d: ours[d] for d in expected} == pytest.approx(expected, abs=6e-7)
        # Cut at 100, the golden list may keep another one of equal scores than we would: only what is above is sure.
        sure = [d for d, score in ours.items() if score > min(expected.values()) + 1e-6]
        assert sure == sorted(sure, key=lambda d: (round(expected[d], 6), d), reverse=True)


def ranked_by_place(ranks, queries, doc):
    flat = [(row, d, -rank) for row, query in enumerate(queries) for d, rank in ranks[query].items()]
    rows, chunks, scores = (np.array(column) for column in zip(*flat, strict=True))
    hits = padded("chunk", rows, chunks.astype(np.int32), scores, len(queries))
    return rank_chunks(hits.items, hits.scores, doc)
