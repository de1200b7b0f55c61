"""Every digit of NIST trec_eval: full-precision values per query, and its printed output under -q, -c, -l, -J, -M."""

import gzip
import json
import math

import numpy as np
import pytest

from pipeline.metrics import Case, Options, evaluate, parse
from pipeline.records import Run

OURS = {
    "map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "bpref", "ndcg": "nDCG", "infAP": "infAP",
    "set_P": "SetP", "set_recall": "SetR", "set_F": "SetF",
    "map_cut": "AP@", "ndcg_cut": "nDCG@", "recall": "R@", "P": "P@", "success": "Success@",
}  # fmt: skip


def ours(theirs, switches=""):
    """Our name for one of theirs, None where we have none: P_5 -> P@5, with -l2 P(rel=2)@5."""
    head, _, tail = theirs.rpartition("_")
    name = OURS.get(theirs) or (OURS[head] + tail if head in OURS and tail.isdigit() else None)
    if name is None or not switches:
        return name
    if switches.startswith("rel") and name.startswith("nDCG"):
        return name  # trec_eval's -l does not touch nDCG
    base, at, cut = name.partition("@")
    return f"{base}({switches}){at}{cut}"


def printed(path):
    """(measure, query) -> the printed digits."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3}


@pytest.fixture(scope="module")
def golden(collections):
    return collections / "trec_eval_golden"


def test_every_value_per_query_equals_trec_eval(golden, build):
    compared = 0
    with gzip.open(golden / "cranfield" / "per_query.json.gz") as file:
        stored = json.load(file)
    for run, queries in stored.items():
        case = build.trec(golden / "cranfield" / "qrels.trec", golden / "cranfield" / f"{run}.run")
        names = sorted({name for row in queries.values() for name in row})
        measures = [parse(ours(name)) for name in names]
        table = evaluate(measures, case, Options(policy="trec"))
        defined = {q for q, row in zip(table.query_ids, table.values.T, strict=True) if not np.isnan(row).all()}
        assert defined == set(queries)
        for column, query in enumerate(table.query_ids):
            for row, name in enumerate(names):
                if query in queries:
                    compared += 1
                    assert table.values[row, column] == pytest.approx(queries[query][name], abs=1e-12), (
                        run,
                        query,
                        name,
                    )
    assert compared >= 5000


FILES = [
    ("cranfield/bm25.out", "cranfield/qrels.trec", "cranfield/bm25.run", "trec", ""),
    ("cranfield/lsa100.out", "cranfield/qrels.trec", "cranfield/lsa100.run", "trec", ""),
    ("cranfield/rrf.out", "cranfield/qrels.trec", "cranfield/rrf.run", "trec", ""),
    ("cranfield/ties.out", "cranfield/qrels.trec", "cranfield/ties.run", "trec", ""),
    ("cranfield/partial.out", "cranfield/qrels.trec", "cranfield/partial.run", "trec", ""),
    ("cranfield/partial.c.out", "cranfield/qrels.trec", "cranfield/partial.run", "trec_c", ""),
    ("cranfield/bm25.l3.out", "cranfield/qrels.trec", "cranfield/bm25.run", "trec", "rel=3"),
    ("cranfield/bm25.M10.out", "cranfield/qrels.trec", "cranfield/bm25.run", "trec", "M10"),
    ("cranfield/bm25.J.out", "cranfield/qrels.trec", "cranfield/bm25.run", "trec", "judged_only=True"),
    ("cacm/anserini-bm25.out", "cacm/qrels.trec", "cacm/anserini-bm25.run", "trec", ""),
    ("cacm/anserini-bm25.as_published.out", "cacm/qrels.as_published.trec", "cacm/anserini-bm25.run", "trec", ""),
    ("edge/edge.out", "edge/qrels.trec", "edge/edge.run", "trec", ""),
    ("edge/edge.c.out", "edge/qrels.trec", "edge/edge.run", "trec_c", ""),
    ("edge/edge.l2.out", "edge/qrels.trec", "edge/edge.run", "trec", "rel=2"),
    ("upstream/out.test.aq", "upstream/qrels.test", "upstream/results.test", "trec", ""),
    ("upstream/out.test.aqc", "upstream/qrels.test", "upstream/results.trunc", "trec_c", ""),
    ("upstream/out.test.aqcM", "upstream/qrels.test", "upstream/results.trunc", "trec_c", "M100"),
    ("upstream/out.test.aql", "upstream/qrels.rel_level", "upstream/results.test", "trec", "rel=2"),
]


@pytest.mark.parametrize("file", FILES, ids=[row[0] for row in FILES])
def test_printed_values_and_means_equal_trec_eval(golden, build, file):
    output, qrels, run, policy, switches = file
    case = build.trec(golden / qrels, golden / run)
    if switches.startswith("M"):
        cut = int(switches[1:])
        ranked = Run("document", case.documents.items[:, :cut], case.documents.scores[:, :cut])
        case, switches = Case(case.query_ids, ranked, case.qrels), ""
    lines = printed(golden / output)
    wanted = {}
    for name, _ in lines:
        bare = ours(name)
        untouched = switches == "judged_only=True" and bare in {"bpref"}  # it is condensed by its definition
        mine = bare if untouched else ours(name, switches)
        if mine is not None:
            wanted[name] = parse(mine)
    table = evaluate(list(wanted.values()), case, Options(policy=policy))
    compared = 0
    for row, name in enumerate(wanted):
        values = table.values[row]
        mean = np.nanmean(values)
        for (theirs, query), digits in lines.items():
            if theirs == name:
                mine = mean if query == "all" else values[table.query_ids.index(query)]
                assert math.isclose(mine, float(digits), abs_tol=0.50001e-4), (name, query, mine, digits)
                compared += 1
        assert int((~np.isnan(values)).sum()) == int(lines.get(("num_q", "all"), 0))
    assert compared >= 50


def test_exponential_gain_equals_trec_eval_with_gains_1_3_7_15(golden, build):
    case = build.trec(golden / "cranfield" / "qrels.trec", golden / "cranfield" / "bm25.run")
    table = evaluate([parse("nDCG_exp")], case, Options(policy="trec"))
    lines = printed(golden / "cranfield" / "bm25.ndcg_exp.out")
    assert len(lines) > 200
    for (_, query), digits in lines.items():
        mine = np.nanmean(table.values[0]) if query == "all" else table.values[0, table.query_ids.index(query)]
        assert mine == pytest.approx(float(digits), abs=0.50001e-4)
