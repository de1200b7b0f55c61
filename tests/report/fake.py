"""A sweep that never ran: 212 queries, six distinct experiments of which one failed, one twin."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from pipeline.records import Comparison, Interval, JobRecord, ScoreTable, Standing, SweepRecord, Tuned

QUERIES = 212
MEASURES = ("nDCG@10", "R@2048tok", "nDCG_exp@10", "R@5", "R@10", "P@5", "AP", "RR", "Success@5")
SETUPS = (  # retriever, embedding, chunk size, level of the primary measure, share read, ms
    ("bm25", "none", 512, 0.52, math.nan, 2.1),
    ("dense", "bge-m3", 512, 0.56, 1.0, 58.2),
    ("hybrid", "minilm", 256, 0.60, 1.0, 13.8),
    ("hybrid", "minilm", 512, 0.61, 0.512, 14.4),
    ("hybrid", "bge-m3", 512, 0.60, 1.0, 61.0),
)


def scores(level: float, seed: int) -> ScoreTable:
    """Per-query values of all measures: a shared difficulty per query plus noise, in [0, 1]; two queries undefined."""
    hardness = np.random.default_rng(7).normal(0, 0.25, QUERIES)
    rng = np.random.default_rng(seed)
    rows = [np.clip(level + 0.02 * i + hardness + rng.normal(0, 0.12, QUERIES), 0, 1) for i in range(len(MEASURES))]
    values = np.array(rows).round(3)
    values[1, :2] = np.nan
    ids = tuple(f"q{i:03d}" for i in range(QUERIES))
    return ScoreTable(MEASURES, ids, values, {"R@2048tok": {"nothing to find": 2}})


def jobs(folder: str) -> tuple[JobRecord, ...]:
    """Five that are done, a twin of the first, and one that failed."""
    made = []
    for number, (retriever, embedding, size, level, read, ms) in enumerate(SETUPS):
        parts = [retriever, *([embedding] if embedding != "none" else []), str(size)]
        settings = {
            "retriever": retriever,
            "embedding": embedding,
            "chunk_size": size,
            "chunk_overlap": 0,
            "depth": 100,
        }
        settings |= {"retriever.k1": 1.2} if retriever == "bm25" else {"fusion": "rrf", "fusion.k": 60}
        facts = {"read_share": read, "p50_ms": ms, "p95_ms": ms * 1.6, "index_bytes": 5.1e6, "chunks": 9120.0,
                 "seconds": 21.5, "judged_at_10": 0.98}  # fmt: skip
        made.append(JobRecord(number, "-".join(parts), "done", "", None, f"{number:064x}", settings,
                              (f"retriever={retriever}", f"chunk_size={size}"), facts, scores(level, number),
                              f"{folder}/jobs/{number:02d}"))  # fmt: skip
    twin = JobRecord(5, "bm25-512", "twin", "", 0, made[0].key, made[0].settings, (), {}, None, f"{folder}/jobs/05")
    failed = JobRecord(6, "hybrid-bge-m3-1024", "failed", "out of memory: embedding.batch_size=8", None, "f" * 64,
                       {**made[4].settings, "chunk_size": 1024}, (), {}, None, f"{folder}/jobs/06")  # fmt: skip
    return (*made, twin, failed)


def sweep(folder: str = "outputs/sweeps/1130-1412-a1f3") -> SweepRecord:
    dataset = {"name": "kb-support", "version": "1", "digest": "ab" * 32, "documents": 3412, "queries": QUERIES,
               "judged": QUERIES, "judgements": "pooled"}  # fmt: skip
    return SweepRecord("a1f3", folder, "2026-11-30T14:12:00Z", "python -m pipeline.run -m …", dataset, (), "bm25-512",
                       "nDCG@10", MEASURES, jobs(folder), 1, 161.0)  # fmt: skip


def compare(base: JobRecord, other: JobRecord, measure: str, family: int) -> Comparison:
    row = MEASURES.index(measure)
    deltas = other.scores.values[row] - base.scores.values[row]
    deltas = deltas[~np.isnan(deltas)]
    test = stats.ttest_1samp(deltas, 0.0)
    interval = Interval(*map(float, test.confidence_interval(0.95)))
    corrected = min(1.0, float(test.pvalue) * family)
    verdict = "cannot tell" if corrected > 0.05 else "better" if deltas.mean() > 0 else "worse"
    return Comparison(measure, base.name, other.name, len(deltas), float(deltas.mean()), interval, interval, interval,
                      float(test.pvalue), corrected if measure == "nDCG@10" else None, "Holm", int((deltas > 0).sum()),
                      int((deltas == 0).sum()), int((deltas < 0).sum()), verdict, 0.031, None)  # fmt: skip


def standing(record: SweepRecord) -> Standing:
    done = [job for job in record.jobs if job.state == "done"]
    means, intervals, defined = {}, {}, {}
    for job in done:
        known = {m: v[~np.isnan(v)] for m, v in zip(MEASURES, job.scores.values, strict=True)}
        means[job.name] = {m: float(v.mean()) for m, v in known.items()}
        defined[job.name] = {m: len(v) for m, v in known.items()}
        half = {m: 1.96 * float(v.std(ddof=1)) / math.sqrt(len(v)) for m, v in known.items()}
        intervals[job.name] = {m: Interval(means[job.name][m] - h, means[job.name][m] + h) for m, h in half.items()}
    best = max(means, key=lambda name: means[name]["nDCG@10"])
    ranked = sorted(means, key=lambda name: -means[name]["nDCG@10"])
    comparisons = tuple(compare(done[0], job, m, len(done) - 1) for m in ("nDCG@10", "R@10") for job in done[1:])
    swept = (Tuned("chunk_size", 512, "256, 512", best, "all 212 queries", "the same"),)
    return Standing("nDCG@10", "bm25-512", best, tuple(ranked[:3]), comparisons, means, intervals, defined, tuned=swept)
