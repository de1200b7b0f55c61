"""Bounds over unjudged documents: against all outcomes tried out, and against judgements that were hidden."""

import itertools
import math

import numpy as np
import pytest

from pipeline.errors import SettingError
from pipeline.metrics import Case, Options, evaluate, parse
from pipeline.metrics.unjudged import difference_bounds, shortest_list, tipping_point, widened
from pipeline.records import Qrels

HIGHEST = 2
FAR = 10**9


def outcomes(docs):
    for grades in itertools.product(range(HIGHEST + 1), repeat=len(docs)):
        yield dict(zip(docs, grades, strict=True))


def slow(name, k, ranking, judged, unseen):
    """One measure of one ranking by its definition, `unseen` further documents of the highest grade existing."""
    grades = [judged.get(d, 0) for d in ranking[:k]]
    relevant = [g >= 1 for g in grades]
    total = sum(g >= 1 for g in judged.values()) + unseen
    binary = {
        "P": lambda: sum(relevant) / k,
        "Success": lambda: float(any(relevant)),
        "RR": lambda: 1 / (relevant.index(True) + 1) if any(relevant) else 0.0,
        "R": lambda: sum(relevant) / max(total, 1),
        "AP": lambda: sum(sum(relevant[: i + 1]) / (i + 1) for i, r in enumerate(relevant) if r) / max(total, 1),
    }
    if name in binary:
        return binary[name]()
    gain = (lambda g: 2**g - 1) if name.endswith("_exp") else (lambda g: g)
    dcg = sum(gain(g) / math.log2(i + 2) for i, g in enumerate(grades))
    if name.startswith("DCG"):
        return dcg
    best = sorted([*judged.values(), *[HIGHEST] * min(unseen, k)], reverse=True)[:k]
    ideal = sum(gain(g) / math.log2(i + 2) for i, g in enumerate(best))
    return dcg / ideal if ideal else 0.0


@pytest.mark.parametrize("name", ["P", "R", "Success", "RR", "AP", "DCG", "DCG_exp", "nDCG", "nDCG_exp"])
@pytest.mark.parametrize("judgements", ["pooled", "complete"])
def test_bounds_are_those_of_all_outcomes_tried_out(build, name, judgements):
    rng = np.random.default_rng(len(name))
    k, rankings_a, rankings_b, rows = 3, [], [], []
    for _ in range(60):
        rankings_a.append(rng.permutation(8)[:4].tolist())
        rankings_b.append(rng.permutation(8)[:4].tolist())
        known = rng.permutation(10)[: rng.integers(1, 6)].tolist()
        rows.append({d: int(rng.integers(-1, HIGHEST + 1)) for d in known})
    qrels = build.qrels(rows, judgements=judgements)
    got = difference_bounds(parse(f"{name}@{k}"), build.run(rankings_a), build.run(rankings_b), qrels, HIGHEST)
    assert got.exact.all()
    for q, (a, b, row) in enumerate(zip(rankings_a, rankings_b, rows, strict=True)):
        judged = {d: g for d, g in row.items() if g >= 0}
        open_ = [] if judgements == "complete" else sorted({d for d in a[:k] + b[:k] if d not in judged})
        values = [
            slow(name, k, a, judged | more, unseen) - slow(name, k, b, judged | more, unseen)
            for more in outcomes(open_)
            for unseen in ([0] if judgements == "complete" else [0, 1, FAR])
        ]
        assert got.high[q] == pytest.approx(max(values), abs=1e-8), (name, q, a, b, row)
        assert got.low[q] == pytest.approx(min(values), abs=1e-8), (name, q, a, b, row)


def test_average_precision_tries_every_outcome_of_hits_alone_and_shared(build):
    rng = np.random.default_rng(3)
    for _ in range(40):
        a, b = (rng.permutation(9)[:6].tolist() for _ in "ab")
        judged = {int(d): int(rng.integers(0, 2)) for d in rng.permutation(11)[:3]}
        got = difference_bounds(parse("AP@5"), build.run([a]), build.run([b]), build.qrels([judged]), 1)
        open_ = sorted({*a[:5], *b[:5]} - {*judged})
        ways = [dict(zip(open_, way, strict=True)) for way in itertools.product((0, 1), repeat=len(open_))]
        values = [0.0, *(slow("AP", 5, a, judged | way, 0) - slow("AP", 5, b, judged | way, 0) for way in ways)]
        assert (got.low[0], got.high[0]) == pytest.approx((min(values), max(values)))


def test_average_precision_beyond_sixteen_unjudged_is_a_bracket_around_the_exact_bounds(build, monkeypatch):
    from pipeline.metrics import extremes

    rng = np.random.default_rng(1)
    a, b = (build.run([rng.permutation(14)[:7].tolist() for _ in range(40)]) for _ in "ab")
    qrels = build.qrels([{int(d): 1 for d in rng.permutation(14)[:3]} for _ in range(40)])
    exact = difference_bounds(parse("AP"), a, b, qrels)
    assert exact.exact.all()
    monkeypatch.setattr(extremes, "ENUMERATED", 0)
    bracket = difference_bounds(parse("AP"), a, b, qrels)
    assert not bracket.exact[exact.high > exact.low].any()
    assert (bracket.low <= exact.low + 1e-12).all()
    assert (bracket.high >= exact.high - 1e-12).all()


@pytest.mark.parametrize("name", ["nDCG@10", "P@10", "R@20", "RR", "Success@5", "DCG_exp@10", "AP"])
def test_bounds_hold_the_full_difference_whatever_is_hidden(collections, build, name):
    golden = collections / "trec_eval_golden" / "cranfield"
    qrels, a, b = aligned(golden, build)
    measure = parse(name)
    options = Options(policy="trec_c")
    rng = np.random.default_rng(7)
    ids = tuple(map(str, range(len(qrels.indptr) - 1)))
    full = [evaluate([measure], Case(ids, run, qrels), options).values[0] for run in (a, b)]
    for trial in range(72):  # 7 measures x 72 > 500 trials
        kept = rng.random(len(qrels.docs)) >= rng.uniform(0.2, 0.9)
        rows = np.repeat(np.arange(len(ids)), np.diff(qrels.indptr))
        counts = np.bincount(rows[kept], minlength=len(ids))
        hidden = Qrels(np.concatenate(([0], np.cumsum(counts))), qrels.docs[kept], qrels.grades[kept])
        bounds = difference_bounds(measure, a, b, hidden, highest=4)
        has = counts > 0
        assert np.isnan(bounds.low[~has]).all()
        difference = (full[0] - full[1])[has]
        assert (bounds.low[has] <= difference + 1e-12).all(), trial
        assert (bounds.high[has] >= difference - 1e-12).all(), trial


def aligned(golden, build):
    """Judgements of the first 60 queries, and two runs over the same documents."""
    qrels_path = golden / "qrels.trec"
    names = {line.split()[2] for path in (qrels_path, golden / "bm25.run", golden / "lsa100.run") for line in path.read_text().splitlines()}  # fmt: skip  # noqa: E501
    place = {doc: i for i, doc in enumerate(sorted(names))}
    judged, runs = {}, []
    for line in qrels_path.read_text().splitlines():
        query, _, doc, grade = line.split()
        judged.setdefault(query, {})[place[doc]] = int(grade)
    queries = sorted(judged)[:60]
    for name in ("bm25", "lsa100"):
        hits = {}
        for line in (golden / f"{name}.run").read_text().splitlines():
            query, _, doc, _, score, _ = line.split()
            hits.setdefault(query, []).append((float(score), doc))
        runs.append(build.run([[place[d] for _, d in sorted(hits[q], reverse=True)[:30]] for q in queries]))
    return build.qrels([judged[q] for q in queries]), *runs


# a: [0, 1], b: [2, 3]; 0 relevant, 2 judged and not, 1 and 3 open. P@2 now 1/2 against 0.
A, B, JUDGED = [0, 1], [2, 3], {0: 1, 2: 0}


def test_precision_bounds_by_hand(build):
    # 1 relevant, 3 not: 2/2 - 0; 1 not, 3 relevant: 1/2 - 1/2
    got = difference_bounds(parse("P@2"), build.run([A]), build.run([B]), build.qrels([JUDGED]))
    assert (got.low[0], got.high[0]) == (0.0, 1.0)


def test_tipping_point_by_hand(build):
    # judged hits: 1 of 2 relevant, rate 1/2. Expected: 1/2 + 1/2 (1/2 + x) - 1/2 * 1/2 = 0 at x = -1
    assert tipping_point(parse("P@2"), build.run([A]), build.run([B]), build.qrels([JUDGED])) == pytest.approx(-1.0)


def test_tipping_point_where_only_positives_are_listed_is_the_rate_that_makes_up_for_the_lead(build):
    # P@2: 1/2 against 0, and both hits of b may be relevant, each worth 1/2: half of them are enough.
    qrels = build.qrels([{0: 1}], judgements="positives_only")
    assert tipping_point(parse("P@2"), build.run([A]), build.run([B]), qrels) == pytest.approx(-0.5)
    assert tipping_point(parse("P@2"), build.run([B]), build.run([A]), qrels) == pytest.approx(0.5)
    # R@2 with a second relevant document that neither found: the same in halves of recall.
    more = build.qrels([{0: 1, 9: 1}], judgements="positives_only")
    assert tipping_point(parse("R@2"), build.run([A]), build.run([B]), more) == pytest.approx(-0.5)
    # Nothing of b is unlisted: whatever a's other hit is, a stays ahead.
    same = build.qrels([{0: 1, 1: 1, 2: 1}], judgements="positives_only")
    assert math.isnan(tipping_point(parse("P@2"), build.run([A]), build.run([[2]]), same))


def test_list_where_only_positives_are_listed_takes_none_of_it_to_be_relevant(build):
    # P@2: 1/2 as known; 1 may add 1/2, 2 and 3 may take 1/2 each. 1 is not relevant: no lower end moves; then 2 and 3.
    qrels = build.qrels([{0: 1}], judgements="positives_only")
    sheet = shortest_list(parse("P@2"), build.run([A]), build.run([B]), qrels)
    assert (sheet.doc.tolist(), sheet.expected) == ([1, 2, 3], 3)


def test_no_unjudged_hit_leaves_no_tipping_point_and_no_list(build):
    qrels = build.qrels([{0: 1, 2: 0}])
    assert math.isnan(tipping_point(parse("P@1"), build.run([A]), build.run([B]), qrels))
    sheet = shortest_list(parse("P@1"), build.run([A]), build.run([B]), qrels)
    assert len(sheet.doc) == 0
    assert sheet.expected == 0  # settled as it is


def test_shortest_list_puts_the_heaviest_document_first(build):
    # DCG@2, both rankings start with an open document: rank 1 weighs 1, rank 2 weighs 0.63
    sheet = shortest_list(parse("DCG@2"), build.run([[0, 1]]), build.run([[2, 3]]), build.qrels([{1: 1, 9: 0}]))
    assert sheet.doc.tolist() == [0, 2, 3]
    assert sheet.narrows == pytest.approx([1, 1, 1 / math.log2(3)])
    assert set(sheet.query.tolist()) == {0}


def test_expected_number_by_hand(build):
    # P@2, 2 queries. Query 0: a has two relevant, b two judged bad ones: difference 1. Query 1: a has 4 and 5 open,
    # b has 6 and 7 judged bad: between 0 and 1. Nothing to judge: already above 0 for sure.
    qrels = build.qrels([{0: 1, 1: 1, 2: 0, 3: 0}, {6: 0, 7: 0}])
    a, b = build.run([[0, 1], [4, 5]]), build.run([[2, 3], [6, 7]])
    assert shortest_list(parse("P@2"), a, b, qrels).expected == 0
    # exchanged in query 1: b's two open documents make it 0 at worst; the mean's lower end is (1 - 1) / 2 = 0.
    # Rate: 2 of 6 judged hits are relevant, so one document is expected to lift it by (1 - 1/3) / 4.
    a, b = build.run([[0, 1], [6, 7]]), build.run([[2, 3], [4, 5]])
    assert shortest_list(parse("P@2"), a, b, qrels).expected == 1


def test_expected_number_takes_documents_to_be_relevant_at_the_rate_of_the_judged(build):
    # P@4. Query 0: 3/4 against 0. Query 1: b has four open documents, a four judged bad ones. Lower end of the mean:
    # 3/8 - 1/2. 3 of 12 judged hits are relevant, so each open one is expected to lift it by 3/4 of 1/8: two needed.
    qrels = build.qrels([dict.fromkeys(range(3), 1) | dict.fromkeys(range(3, 8), 0), dict.fromkeys(range(8, 12), 0)])
    a, b = build.run([[0, 1, 2, 3], [8, 9, 10, 11]]), build.run([[4, 5, 6, 7], [12, 13, 14, 15]])
    assert shortest_list(parse("P@4"), a, b, qrels).expected == 2


def test_bounds_and_tipping_point_count_queries_by_their_weight(build):
    # P@2 twice: query 0 between 0 and 1 (known 1/2), query 1 between -1/2 and 1/2 (known 0), weights 3 and 1.
    qrels = build.qrels([JUDGED, {0: 1, 2: 1}])
    a, b, weight = build.run([A, A]), build.run([B, B]), np.array([3.0, 1.0])
    bounds = difference_bounds(parse("P@2"), a, b, qrels)
    got = widened(bounds, weight=weight)
    assert (got.low, got.high) == (-1 / 8, 7 / 8)
    # weight x distance is 3/8 either way; squared over 1 - 3/4 and 1 - 1/4 it is 3/4, over 4 x 4; 1.6 queries: 1 degree
    assert got.low_sampled == pytest.approx(-1 / 8 - 12.7062047 * np.sqrt(3 / 64))
    # rate 3/4 of the judged hits: 3 (1/2 + 1/2 (r + x) - 1/2 r) + (1/2 + 1/2 (r + x) - 1/2 - 1/2 r) = 3/2 + 2x
    assert tipping_point(parse("P@2"), a, b, qrels, weight=weight) == pytest.approx(-3 / 4)
    # without weights: 1/2 + x
    assert tipping_point(parse("P@2"), a, b, qrels) == pytest.approx(-1 / 2)
    sheet = shortest_list(parse("P@2"), a, b, qrels, weight=weight)
    assert sheet.query.tolist() == [0, 0, 1, 1]
    assert sheet.narrows == pytest.approx([3 / 8, 3 / 8, 1 / 8, 1 / 8])


def test_document_open_in_both_rankings_is_one_open_document(build):
    # 10 open documents in a, the same 10 in b: 10 outcomes to try out, not 20, so AP stays exact
    ranking = list(range(10))
    got = difference_bounds(parse("AP"), build.run([ranking]), build.run([ranking[::-1]]), build.qrels([{99: 1}]))
    assert got.exact.all()


def test_sampling_error_widens_the_bounds_outwards(build):
    qrels = build.qrels([JUDGED, {0: 1, 2: 1}])
    bounds = difference_bounds(parse("P@2"), build.run([A, A]), build.run([B, B]), qrels)
    # lows 0 and -1/2, highs 1 and 1/2; t(0.975, 1) = 12.706, standard error 0.25 each
    got = widened(bounds)
    assert (got.low, got.high) == (-0.25, 0.75)
    assert got.low_sampled == pytest.approx(-0.25 - 12.7062047 * 0.25)
    assert got.high_sampled == pytest.approx(0.75 + 12.7062047 * 0.25)
    assert not got.determined
    with pytest.raises(SettingError, match="at least 2"):
        widened(difference_bounds(parse("P@2"), build.run([A]), build.run([B]), build.qrels([JUDGED])))


@pytest.mark.parametrize("name", ["Rprec", "bpref", "P(judged_only=True)@5", "nDCG", "R@99tok"])
def test_measures_without_bounds_are_refused(build, name):
    with pytest.raises(SettingError):
        difference_bounds(parse(name), build.run([A]), build.run([B]), build.qrels([JUDGED]))


def test_grade_above_the_stated_highest_is_refused(build):
    with pytest.raises(SettingError, match="highest"):
        difference_bounds(parse("P@2"), build.run([A]), build.run([B]), build.qrels([{0: 3}]), highest=2)


def test_empty_rankings_have_bounds_of_zero(build):
    got = difference_bounds(parse("nDCG@5"), build.run([[]]), build.run([[]]), build.qrels([{0: 1}]))
    assert (got.low[0], got.high[0]) == (0.0, 0.0)
