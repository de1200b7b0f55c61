"""3,000 random queries against pytrec_eval, ir_measures and the definitions written out."""

import math

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from pipeline.metrics import Options, evaluate, parse

QUERIES = 3000
POOL = 60


@pytest.fixture(scope="module")
def random_case(build):
    """3,000 queries: a third with tied scores, a third with scores 1e-9 apart; grades -1 to 3, some queries bare."""
    rng = np.random.default_rng(20)
    rankings, judged = [], []
    for query in range(QUERIES):
        docs = rng.permutation(POOL)[: rng.integers(0 if query % 50 == 0 else 1, 31)]
        kind = query % 3
        scores = (
            rng.integers(0, 4, len(docs)).astype(float)
            if kind == 0
            else 1.0 + 1e-9 * rng.permutation(len(docs)) if kind == 1 else rng.random(len(docs))
        )  # fmt: skip
        order = sorted(zip(scores.tolist(), docs.tolist(), strict=True), reverse=True)  # score, then id, descending
        rankings.append([doc for _, doc in order])
        listed = rng.permutation(POOL)[: rng.integers(1, 26)]
        judged.append(dict(zip(listed.tolist(), rng.integers(-1, 4, len(listed)).tolist(), strict=True)))
    return build.case(rankings, judged), rankings, judged


def as_dictionaries(case, rankings, judged):
    """Our ranks as scores, so that no oracle breaks a tie or rounds a score by itself."""
    name = "d{:03d}".format
    qrel = {q: {name(d): g for d, g in row.items()} for q, row in zip(case.query_ids, judged, strict=True)}
    run = {
        q: {name(d): float(len(row) - i) for i, d in enumerate(row)}
        for q, row in zip(case.query_ids, rankings, strict=True)
    }
    return qrel, run


PYTREC = {
    "AP": "map", "RR": "recip_rank", "Rprec": "Rprec", "bpref": "bpref", "nDCG": "ndcg", "infAP": "infAP",
    "SetP": "set_P", "SetR": "set_recall", "SetF": "set_F",
    **{f"P@{k}": f"P_{k}" for k in (1, 5, 10, 50)}, **{f"R@{k}": f"recall_{k}" for k in (1, 5, 10, 50)},
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (1, 5, 10, 50)}, **{f"AP@{k}": f"map_cut_{k}" for k in (1, 5, 10, 50)},
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
}  # fmt: skip
ASK = {
    "map", "recip_rank", "Rprec", "bpref", "ndcg", "infAP", "set_P", "set_recall", "set_F", "P.1,5,10,50",
    "recall.1,5,10,50", "ndcg_cut.1,5,10,50", "map_cut.1,5,10,50", "success.1,5,10",
}  # fmt: skip


@pytest.mark.parametrize(("switches", "extra"), [("", {}), ("rel=2", {"relevance_level": 2})])
def test_no_value_differs_from_pytrec_eval(random_case, switches, extra):
    case, rankings, judged = random_case
    qrel, run = as_dictionaries(case, rankings, judged)
    theirs = pytrec_eval.RelevanceEvaluator(qrel, ASK, **extra).evaluate(run)
    names = {}
    for name, column in PYTREC.items():
        base, at, cut = name.partition("@")
        names[f"{base}({switches}){at}{cut}" if switches and base != "nDCG" else name] = column
    values = evaluate([parse(name) for name in names], case, Options(policy="trec_c")).values
    compared = 0
    for place, query in enumerate(case.query_ids):
        expected = theirs.get(query)
        for row, column in enumerate(names.values()):
            if expected is None:
                assert values[row, place] == 0  # left out by pytrec_eval: nothing was retrieved
            else:
                assert values[row, place] == pytest.approx(expected[column], abs=1e-12), (query, column)
                compared += 1
    assert compared > 25 * 2900


IR = {
    "nDCG@10": "nDCG@10", "AP": "AP", "AP@10": "AP@10", "RR": "RR",
    "RR@3": "RR@3", "P(rel=2)@5": "P(rel=2)@5", "R(rel=2)@10": "R(rel=2)@10", "AP(rel=3)": "AP(rel=3)",
    "Success@5": "Success@5", "bpref": "Bpref", "infAP": "infAP", "Rprec": "Rprec", "SetF": "SetF",
    "P(judged_only=True)@5": "P(judged_only=True)@5", "nDCG(judged_only=True)@5": "nDCG(judged_only=True)@5",
    "AP(judged_only=True)": "AP(judged_only=True)", "RR(judged_only=True,rel=2)": "RR(rel=2,judged_only=True)",
}  # fmt: skip


def test_no_value_differs_from_ir_measures(random_case):
    case, rankings, judged = random_case
    qrel, run = as_dictionaries(case, rankings, judged)
    values = evaluate([parse(name) for name in IR], case, Options(policy="trec_c")).values
    rows = {str(ir_measures.parse_measure(theirs)): row for row, theirs in enumerate(IR.values())}
    place = {query: at for at, query in enumerate(case.query_ids)}
    assert len(rows) == len(IR)
    compared = 0
    for metric in ir_measures.iter_calc([ir_measures.parse_measure(m) for m in IR.values()], qrel, run):
        mine = values[rows[str(metric.measure)], place[metric.query_id]]
        assert mine == pytest.approx(metric.value, abs=1e-12), metric
        compared += 1
    assert compared > len(IR) * 2900


def slow(name, ranking, judged, cutoff, top=3):
    """The definitions in plain Python, for what the peers lack or name otherwise."""
    grades = [judged.get(doc) for doc in ranking[:cutoff]]
    if name == "Judged":
        return sum(g is not None and g >= 0 for g in grades) / len(grades) if grades else math.nan
    if name == "ERR":
        come, total = 1.0, 0.0
        for rank, grade in enumerate(grades, 1):
            stop = (2 ** max(grade or 0, 0) - 1) / 2**top
            total += come * stop / rank
            come *= 1 - stop
        return total
    if name == "RBP":
        return sum(0.2 * 0.8**i for i, g in enumerate(grades) if g is not None and g >= 1)
    if name == "RBPres":
        return sum(0.2 * 0.8**i for i, g in enumerate(grades) if g is None or g < 0) + 0.8 ** len(grades)
    if name == "nDCG_exp":
        ideal = sorted(range(len(judged)), key=list(judged.values()).__getitem__, reverse=True)
        best = slow("DCG_exp", ideal, dict(enumerate(judged.values())), cutoff)
        return slow("DCG_exp", ranking, judged, cutoff) / best if best else 0.0
    gain = (lambda g: max(g, 0)) if name == "DCG" else (lambda g: 2 ** max(g, 0) - 1)
    return sum(gain(g or 0) / math.log2(i + 2) for i, g in enumerate(grades))


@pytest.mark.parametrize(
    ("ours", "name", "cutoff"),
    [("Judged@7", "Judged", 7), ("ERR(max=3)@10", "ERR", 10), ("ERR(max=3)", "ERR", None), ("RBP(p=0.8)@9", "RBP", 9),
     ("RBPres(p=0.8)@9", "RBPres", 9), ("RBPres(p=0.8)", "RBPres", None), ("DCG@10", "DCG", 10),
     ("nDCG_exp@10", "nDCG_exp", 10),
     ("DCG_exp@5", "DCG_exp", 5)],
)  # fmt: skip
def test_no_value_differs_from_the_definition(random_case, ours, name, cutoff):
    case, rankings, judged = random_case
    values = evaluate([parse(ours)], case, Options(policy="trec_c")).values[0]
    expected = [slow(name, ranking, row, cutoff) for ranking, row in zip(rankings, judged, strict=True)]
    np.testing.assert_allclose(values, expected, atol=1e-12, rtol=0)


def test_seed_policy_equals_the_harness(random_case):
    from pipeline import harness

    case, rankings, judged = random_case
    names = ["P@5", "R@5", "RR", "AP", "nDCG_exp@5"]
    values = evaluate([parse(name) for name in names], case, Options(policy="seed")).values
    for place, (ranking, row) in enumerate(zip(rankings, judged, strict=True)):
        relevant = {doc for doc, grade in row.items() if grade > 0}
        expected = [
            harness.precision_at_k(ranking, relevant, 5), harness.recall_at_k(ranking, relevant, 5),
            harness.reciprocal_rank(ranking, relevant), harness.average_precision(ranking, relevant),
            harness.ndcg_at_k(ranking, row, 5),
        ]  # fmt: skip
        assert values[:, place] == pytest.approx(expected, abs=1e-12), case.query_ids[place]
