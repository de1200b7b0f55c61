"""Six measures per query, ours beside pytrec_eval, ir_measures, ranx and the plain definitions, in one run.

    python benchmarks/metrics.py [--queries 1000 10000] [--rounds 5] [--without ranx]

nDCG@10, AP, RR, P@10, R@10 and R@100 of 100 hits a query with 10 to 50 judgements, grades 0 to 3. Rounds are
interleaved, so that a busy machine slows all alike; a row shows the median of the CPU time, its ratio to
"pytrec_eval, built and evaluated", and the peak of the memory that the call took on top of its input (Python and
NumPy allocations; those of C code are not seen). Before anything is timed, the values are compared.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline.metrics import Case, evaluate, parse
from pipeline.records import Qrels, Run

DOCUMENTS = 200_003  # a prime, so that the walks below never meet themselves
DEPTH = 100
NAMES = ("nDCG@10", "AP", "RR", "P@10", "R@10", "R@100")
PYTREC = {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.10,100"}
COLUMNS = ("ndcg_cut_10", "map", "recip_rank", "P_10", "recall_10", "recall_100")


@dataclass(frozen=True, eq=False)
class Material:
    """The same rankings and judgements as arrays and as dictionaries of strings."""

    case: Case
    run: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, int]]


def material(queries: int, seed: int = 7) -> Material:
    """Random rankings of which up to 40 % are judged, scores strictly falling."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(10, 51, queries)
    indptr = np.concatenate(([0], np.cumsum(counts)))
    start, stride = rng.integers(0, DOCUMENTS, queries), rng.integers(0, DOCUMENTS // 4, queries) * 2 + 1
    row = np.repeat(np.arange(queries), counts)
    docs = ((start[row] + (np.arange(indptr[-1]) - indptr[row]) * stride[row]) % DOCUMENTS).astype(np.int32)
    grades = rng.choice(np.array([0, 1, 2, 3], np.int32), indptr[-1], p=[0.3, 0.4, 0.2, 0.1])
    steps = rng.permuted(np.tile(np.arange(-60, 40), (queries, 1)), axis=1)
    items = ((start[:, None] + steps * stride[:, None]) % DOCUMENTS).astype(np.int32)
    scores = np.tile(np.arange(DEPTH, 0, -1, dtype=np.float64), (queries, 1))
    ids = tuple(f"q{i:06d}" for i in range(queries))
    name = [f"doc-{i:07d}" for i in range(DOCUMENTS)]
    run = {
        q: dict(zip([name[d] for d in items[i].tolist()], scores[i].tolist(), strict=True)) for i, q in enumerate(ids)
    }
    judged = {
        q: dict(zip([name[d] for d in docs[a:b].tolist()], grades[a:b].tolist(), strict=True))
        for q, a, b in zip(ids, indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
    }
    return Material(Case(ids, Run("document", items, scores), Qrels(indptr, docs, grades)), run, judged)


def plain(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]) -> np.ndarray:
    """The definitions as a first version is usually written."""
    rows = []
    for query, hits in run.items():
        judged, docs = qrels[query], list(hits)
        relevant = {d for d, g in judged.items() if g > 0}
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(judged.values(), reverse=True)[:10]))
        dcg = sum(judged.get(d, 0) / math.log2(i + 2) for i, d in enumerate(docs[:10]))
        found, total, first = 0, 0.0, 0.0
        for rank, doc in enumerate(docs, 1):
            if doc in relevant:
                found += 1
                total += found / rank
                first = first or 1 / rank
        at10, at100 = len(relevant & set(docs[:10])), len(relevant & set(docs[:100]))
        count = len(relevant) or 1
        rows.append((dcg / ideal if ideal else 0.0, total / count, first, at10 / 10, at10 / count, at100 / count))
    return np.array(rows)


def routes(given: Material) -> dict[str, Callable[[], Any]]:
    """Name -> what is timed; peers that are not installed are left out."""
    measures = [parse(name) for name in NAMES]
    calls: dict[str, Callable[[], Any]] = {"ours, from int ids": lambda: evaluate(measures, given.case).values.T}
    calls["plain definitions, from dictionaries"] = lambda: plain(given.run, given.qrels)
    import pytrec_eval

    built = pytrec_eval.RelevanceEvaluator(given.qrels, PYTREC)
    calls["pytrec_eval, built and evaluated"] = lambda: pytrec_eval.RelevanceEvaluator(given.qrels, PYTREC).evaluate(
        given.run
    )
    calls["pytrec_eval, evaluated only"] = lambda: built.evaluate(given.run)
    import ir_measures

    theirs = [ir_measures.parse_measure(name) for name in NAMES]
    calls["ir_measures"] = lambda: list(ir_measures.iter_calc(theirs, given.qrels, given.run))
    if importlib.util.find_spec("ranx"):
        import ranx

        words = ["ndcg@10", "map", "mrr", "precision@10", "recall@10", "recall@100"]
        calls["ranx, built and evaluated"] = lambda: ranx.evaluate(
            ranx.Qrels(given.qrels), ranx.Run(given.run), words, return_mean=False
        )
    return calls


def check(given: Material, calls: dict[str, Callable[[], Any]]) -> float:
    """Largest difference between ours, the plain definitions and pytrec_eval; queries without relevant ones score 0."""
    ours = np.nan_to_num(calls["ours, from int ids"]())
    theirs = calls["pytrec_eval, evaluated only"]()
    values = np.array([[theirs[query][column] for column in COLUMNS] for query in given.case.query_ids])
    return float(max(np.abs(ours - values).max(), np.abs(ours - plain(given.run, given.qrels)).max()))


def peak(call: Callable[[], Any]) -> float:
    """Megabytes allocated at most during the call."""
    tracemalloc.start()
    call()
    size = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, nargs="+", default=[1000], help="query counts to measure at")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds; the median counts")
    parser.add_argument("--without", nargs="*", default=[], help="leave out routes whose name starts like this")
    options = parser.parse_args()
    for queries in options.queries:
        given = material(queries)
        calls = routes(given)
        print(f"\n{queries} queries x {DEPTH} hits, ids {given.case.documents.items.nbytes / 1e6:.1f} MB; ", end="")
        print(f"largest difference of a value: {check(given, calls):.1e}")
        calls = {name: call for name, call in calls.items() if not name.startswith(tuple(options.without))}
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(options.rounds):
            for name, call in calls.items():
                start = time.process_time()
                call()
                times[name].append(time.process_time() - start)
        base = statistics.median(times["pytrec_eval, built and evaluated"])
        print(f"{'route':40} {'cpu s':>8} {'ratio':>7} {'peak MB':>8}")
        for name, call in calls.items():
            cpu = statistics.median(times[name])
            print(f"{name:40} {cpu:8.3f} {cpu / base:7.3f} {peak(call):8.1f}")


if __name__ == "__main__":
    main()
