"""Values worked out by hand, for measures and special cases that no stored output covers."""

import math

import numpy as np
import pytest

from pipeline.errors import DataError, SettingError
from pipeline.metrics import Options, evaluate, parse, summary

A, B, C, D, E = range(5)
L2, L3, L4 = math.log2(2), math.log2(3), math.log2(4)

CASES = [
    # name, ranking, judgements, value
    ("P@5", [A], {A: 1, B: 1}, 1 / 5),  # by k, although one came back
    ("R@5", [A], {A: 1, B: 1, 9: 1}, 1 / 3),  # 9 may be an id that the corpus lacks: it stays below the line
    ("Success@1", [B, A], {A: 1}, 0.0),
    ("Success@2", [B, A], {A: 1}, 1.0),
    ("RR", [C, B, A], {A: 1}, 1 / 3),
    ("RR@2", [C, B, A], {A: 1}, 0.0),
    ("AP", [A, C, B], {A: 1, B: 1, D: 1}, (1 / 1 + 2 / 3) / 3),
    ("AP@2", [A, C, B], {A: 1, B: 1, D: 1}, (1 / 1) / 3),  # cut at 2, divided by all three
    ("Rprec", [A], {A: 1, B: 1, C: 1}, 1 / 3),  # R = 3 although one came back
    ("nDCG@2", [C, A], {A: 3, B: 2, C: 1}, (1 / L2 + 3 / L3) / (3 / L2 + 2 / L3)),
    ("nDCG_exp@2", [C, A], {A: 3, B: 2, C: 1}, (1 / L2 + 7 / L3) / (7 / L2 + 3 / L3)),
    ("DCG@3", [A, D, B], {A: 3, B: 2}, 3 / L2 + 2 / L4),
    ("DCG_exp@3", [A, D, B], {A: 3, B: 2}, 7 / L2 + 3 / L4),
    ("P(rel=2)@2", [A, B], {A: 1, B: 2}, 1 / 2),
    ("R(rel=2)@2", [A, B], {A: 1, B: 2}, 1.0),
    ("AP(rel=2)", [A, B], {A: 1, B: 2}, 1 / 2),
    # condensed: C is unlisted and goes, D (grade -1) is not judged and goes too; E (grade 0) stays
    ("RR(judged_only=True)", [C, D, E, A], {A: 1, E: 0, D: -1}, 1 / 2),
    ("P(judged_only=True)@2", [C, D, E, A], {A: 1, E: 0, D: -1}, 1 / 2),
    ("nDCG(judged_only=True)@10", [C, A], {A: 2}, 1.0),
    # bpref, R = 2, N = 3: A has one judged bad hit above it, B has two: (1 - 1/2 + 1 - 2/2) / 2
    ("bpref", [C, A, D, B], {A: 1, B: 1, C: 0, D: 0, E: 0}, (1 - 1 / 2) / 2),
    ("bpref", [9, A], {A: 1}, 1.0),  # no judged bad document at all: 1, never NaN
    ("bpref", [A], {A: 1, B: 1, C: 0}, 1 / 2),  # B not retrieved
    # bpref where N < R: min(n, R) / min(N, R) = 1/1
    ("bpref", [C, A, B], {A: 1, B: 1, D: 1, C: 0}, 0.0),
    # infAP: rank 1 relevant: 1. Rank 4 relevant: 3 above, of these A relevant, D pooled, 9 unpooled:
    # 1/4 + 3/4 * (2/3) * (1 + e) / (1 + 2e), e = 0.00001
    ("infAP", [A, D, 9, B], {A: 1, B: 1, D: -1}, (1 + 1 / 4 + 1 / 2 * 1.00001 / 1.00002) / 2),
    ("SetP", [A, C, D], {A: 1, B: 1}, 1 / 3),
    ("SetR", [A, C, D], {A: 1, B: 1}, 1 / 2),
    ("SetF", [A, C, D], {A: 1, B: 1}, 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)),
    # ERR, highest grade 2: stop chances 3/4 and 1/4: 3/4 + (1 - 3/4) * 1/4 / 2
    ("ERR(max=2)@10", [A, B], {A: 2, B: 1}, 3 / 4 + 1 / 4 * 1 / 4 / 2),
    ("ERR(max=2)@1", [A, B], {A: 2, B: 1}, 3 / 4),
    ("ERR(max=2)@10", [C, A], {A: 2, B: 1}, 3 / 4 / 2),
    # RBP: 0.2 * (1 + 0.8^2); residual: rank 2 unlisted 0.2 * 0.8, tail behind rank 3: 0.8^3
    ("RBP(p=0.8)", [A, C, B], {A: 1, B: 1}, 0.2 * (1 + 0.64)),
    ("RBPres(p=0.8)", [A, C, B], {A: 1, B: 1}, 0.2 * 0.8 + 0.8**3),
    ("RBPres(p=0.8)@2", [A, C, B], {A: 1, B: 1}, 0.2 * 0.8 + 0.8**2),
    ("RBP(p=0.5)@2", [A, C, B], {A: 1, B: 1}, 0.5),
    ("Judged@10", [A, C, D], {A: 1, D: 0, E: -1}, 2 / 3),  # of the 3 that came back
    ("Judged@2", [A, C, D], {A: 1, D: 0}, 1 / 2),
    ("Judged@10", [A, E], {A: 1, E: -1}, 1 / 2),  # pooled is not judged
]


@pytest.mark.parametrize(("name", "ranking", "judgements", "expected"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])  # fmt: skip  # noqa: E501
def test_value_by_hand(build, name, ranking, judgements, expected):
    assert build.value(name, ranking, judgements) == pytest.approx(expected, abs=1e-14)


def test_whole_story_of_rbp_and_its_residual_adds_up_to_one_for_a_perfect_list(build):
    # all hits relevant: what is measured and what is still open make 1
    case = build.case([[A, B, C]], [{A: 1, B: 1, C: 1}])
    values = evaluate([parse("RBP(p=0.7)"), parse("RBPres(p=0.7)")], case).values
    assert values.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("policy", "row"),
    # q0 found, q1 judged but nothing came back, q2 nothing relevant, q3 not judged, q4 nothing relevant nor retrieved
    [
        ("pipeline", [1.0, 0.0, None, None, None]),
        ("trec", [1.0, None, 0.0, None, None]),
        ("trec_c", [1.0, 0.0, 0.0, None, 0.0]),
        ("seed", [1.0, 0.0, 0.0, 0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("name", ["nDCG@10", "R@5", "P@1", "AP", "RR", "Success@5", "bpref", "Rprec", "RBP(p=0.5)@1"])
def test_policies_differ_only_in_the_special_queries(build, policy, row, name):
    case = build.case([[A], [], [A], [A], []], [{A: 1}, {A: 1}, {A: 0}, {}, {B: 0}])
    values = evaluate([parse(name)], case, Options(policy=policy)).values[0]
    expected = [np.nan if v is None else v for v in row]
    if name == "RBP(p=0.5)@1":
        expected[0] = 0.5
    np.testing.assert_array_equal(values, expected)


def test_reasons_are_counted(build):
    case = build.case([[A], [], [A], [A]], [{A: 1}, {A: 1}, {A: 0}, {}])
    table = evaluate([parse("AP"), parse("Judged@5")], case)
    assert table.undefined == {
        "AP": {"no judgement": 1, "no relevant document": 1},
        "Judged@5": {"nothing retrieved": 1, "no judgement": 1},
    }
    assert summary(table, "AP").n == 2


def test_relevance_level_decides_which_queries_have_a_relevant_document(build):
    case = build.case([[A], [A]], [{A: 1}, {A: 2}])
    assert evaluate([parse("P(rel=2)@1")], case).undefined == {"P(rel=2)@1": {"no relevant document": 1}}


@pytest.mark.parametrize("name", ["Judged@5", "bpref", "infAP", "nDCG(judged_only=True)@5"])
def test_lists_of_positives_alone_leave_judgement_measures_undefined(build, name):
    case = build.case([[A]], [{A: 1}], judgements="positives_only")
    table = evaluate([parse(name)], case)
    assert np.isnan(table.values).all()
    assert table.undefined[name] == {"only positives are listed": 1}


def test_inferred_ap_needs_a_known_pool(build):
    table = evaluate([parse("infAP")], build.case([[A]], [{A: 1}]))
    assert table.undefined["infAP"] == {"the pool is not known: no document has grade -1": 1}


def test_negative_grades_are_unjudged_or_not_relevant_as_set(build):
    assert build.value("Judged@2", [A, B], {A: -2, B: 1}) == 0.5
    assert build.value("Judged@2", [A, B], {A: -2, B: 1}, negative_grades="nonrelevant") == 1.0
    assert build.value("bpref", [A, B], {A: -1, B: 1}) == 1.0
    assert build.value("bpref", [A, B], {A: -1, B: 1}, negative_grades="nonrelevant") == 0.0


def test_document_twice_in_a_ranking_is_refused(build):
    with pytest.raises(DataError, match=r"query at position 1 holds document 3 twice"):
        evaluate([parse("AP")], build.case([[A], [D, B, D]], [{A: 1}, {A: 1}]))


def test_hole_in_a_ranking_is_refused(build):
    with pytest.raises(DataError, match="hole"):
        evaluate([parse("AP")], build.case([[A, -1, B]], [{A: 1}]))


def test_grade_above_the_stated_highest_is_refused(build):
    with pytest.raises(SettingError, match="grade 3"):
        build.value("ERR(max=2)@10", [A], {A: 3})


def test_empty_run_scores_zero_for_every_judged_query(build):
    case = build.case([[], []], [{A: 1}, {B: 2}])
    table = evaluate([parse(n) for n in ("nDCG@10", "AP", "R@5", "RR", "SetF", "ERR(max=2)@5")], case)
    assert (table.values == 0).all()


def test_no_queries_give_no_values(build):
    table = evaluate([parse("nDCG@10")], build.case([], []))
    assert table.values.shape == (1, 0)
    assert summary(table, "nDCG@10").n == 0
    assert math.isnan(summary(table, "nDCG@10").mean)


def test_traffic_weighs_the_mean_over_the_defined_queries(build):
    # values 1 and 0, weights 3 and 1; the unjudged query's weight does not count; half of the traffic has a 1
    case = build.case([[A], [B], [B]], [{A: 1}, {A: 1}, {}])
    got = summary(evaluate([parse("RR")], case), "RR", np.array([3.0, 1.0, 9.0]))
    assert (got.mean, got.p25, got.median, got.n) == (0.75, 0.0, 1.0, 2)
    equal = summary(evaluate([parse("RR")], case), "RR", np.array([2.0, 2.0, 2.0]))
    assert equal == summary(evaluate([parse("RR")], case), "RR")


def test_summary_by_hand(build):
    # values 1, 1/2, 1/3, 0, and one query left out; linear percentiles of [0, 1/3, 1/2, 1]
    case = build.case([[A], [B, A], [B, C, A], [B], [B]], [{A: 1}] * 4 + [{}])
    got = summary(evaluate([parse("RR")], case), "RR")
    assert got.mean == pytest.approx((1 + 1 / 2 + 1 / 3) / 4)
    assert got.median == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert got.p10 == pytest.approx(0.3 * 1 / 3)
    assert got.p25 == pytest.approx(0.75 * 1 / 3)
    assert got.p75 == pytest.approx(0.5 + 0.25 * 0.5)
    assert got.p90 == pytest.approx(0.5 + 0.7 * 0.5)
    assert got.n == 4
