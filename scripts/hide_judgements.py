"""Whether the bounds over unjudged documents hold the difference that all judgements of a collection give.

    python scripts/hide_judgements.py --trials 500
    python scripts/hide_judgements.py --trials 500 --pool cranfield

Two rankings of whole documents: BM25, and BM25 nearly without frequencies, lengths and stems. Every trial hides 20 to
90 % of the judgements of python_topics, and asks whether the difference under all of them lies within the bounds: of
the mean, and of every question by itself. With --pool FOLDER (BEIR, judged completely) a trial first pools: only the
first 1 to 10 documents of either ranking are judged, as relevant or not. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.datasets.beir import Beir
from pipeline.datasets.python_topics import PythonTopics
from pipeline.metrics import Case, Measure, Options, evaluate, parse
from pipeline.metrics.unjudged import difference_bounds
from pipeline.ranking import fold
from pipeline.records import Dataset, Floats, Qrels, Run, Stop
from pipeline.retrieval.bm25 import Bm25

MEASURES = ("nDCG@10", "nDCG_exp@10", "DCG@10", "P@10", "R@20", "RR", "Success@5", "AP@10")
DEPTH = 30
LEAST, MOST = 0.2, 0.9  # share of the judgements that is hidden
POOLED = 10  # documents of each ranking that a pool holds, at most
NOISE = 1e-12
POLICY = Options(policy="trec_c")  # a question without relevant documents counts 0, as in the bounds


class Held(NamedTuple):
    """What came of the trials of one measure."""

    trials: int
    means: int  # trials in which the bounds of the mean hold the full difference
    questions: int  # questions with a judgement left, over all trials
    within: int  # of these, questions whose own bounds hold their own difference
    width: float  # of the bounds of the mean, median over the trials


def ranking(dataset: Dataset, retriever: Bm25) -> Run:
    """The topics of every question."""
    doc = np.arange(len(dataset.corpus.ids), dtype=np.int32)
    index = retriever.index(dataset.corpus.texts, None)
    return fold(retriever.search(index, dataset.queries.texts, None, Stop(doc, DEPTH)), doc)


def rankings(dataset: Dataset) -> tuple[Run, Run]:
    """BM25 as it is, and nearly without frequencies and lengths."""
    return ranking(dataset, Bm25()), ranking(dataset, Bm25(k1=0.01, b=0.0, stem=False, stopwords=False))


def hidden(qrels: Qrels, rng: np.random.Generator) -> Qrels:
    """The judgements that are left."""
    kept = rng.random(len(qrels.docs)) >= rng.uniform(LEAST, MOST)
    rows = np.repeat(np.arange(len(qrels.indptr) - 1), np.diff(qrels.indptr))
    counts = np.bincount(rows[kept], minlength=len(qrels.indptr) - 1)
    indptr = np.concatenate(([0], np.cumsum(counts)))
    return Qrels(indptr, qrels.docs[kept], qrels.grades[kept], qrels.missing)


def pooled(qrels: Qrels, runs: tuple[Run, Run], rng: np.random.Generator) -> Qrels:
    """What a pool of the first documents of both rankings would have judged; what is not listed is not relevant."""
    depth = int(rng.integers(1, POOLED + 1))
    docs, grades, ends = [], [], [0]
    for row in range(len(qrels.indptr) - 1):
        listed = slice(qrels.indptr[row], qrels.indptr[row + 1])
        known = dict(zip(qrels.docs[listed].tolist(), qrels.grades[listed].tolist(), strict=True))
        pool = sorted({doc for run in runs for doc in run.items[row, :depth].tolist() if doc >= 0})
        docs += pool
        grades += [known.get(doc, 0) for doc in pool]
        ends.append(len(docs))
    return Qrels(np.array(ends), np.array(docs, qrels.docs.dtype), np.array(grades, qrels.grades.dtype))


def hide(dataset: Dataset, measure: Measure, trials: int, rng: np.random.Generator, *, pool: bool = False) -> Held:
    """Hides judgements `trials` times, and counts how often the bounds hold the difference under all of them."""
    a, b = rankings(dataset)
    full = difference(dataset, measure, (a, b))
    means = questions = within = 0
    widths = []
    for _ in range(trials):
        judged = pooled(dataset.qrels, (a, b), rng) if pool else dataset.qrels
        bounds = difference_bounds(measure, a, b, hidden(judged, rng), highest=int(dataset.qrels.grades.max()))
        has = ~np.isnan(bounds.low)
        low, high, true = bounds.low[has], bounds.high[has], full[has]
        questions += int(has.sum())
        within += int(((low <= true + NOISE) & (true <= high + NOISE)).sum())
        means += bool(low.mean() <= true.mean() + NOISE and true.mean() <= high.mean() + NOISE)
        widths.append(float((high - low).mean()))
    return Held(trials, means, questions, within, float(np.median(widths)))


def difference(dataset: Dataset, measure: Measure, runs: tuple[Run, Run]) -> Floats:
    """The difference of every question under all judgements."""
    a, b = (evaluate([measure], Case(dataset.queries.ids, run, dataset.qrels), POLICY).values[0] for run in runs)
    return a - b


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=500, help="of every measure")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pool", type=Path, metavar="FOLDER", help="a BEIR folder to pool first, judged completely")
    options = parser.parse_args()
    dataset = Beir(str(options.pool)).load() if options.pool else PythonTopics().load()
    print("| measure | trials whose bounds hold the mean | questions whose bounds hold | median width |")
    print("|---|---|---|---|")
    for name in MEASURES:
        rng = np.random.default_rng(options.seed)
        held = hide(dataset, parse(name), options.trials, rng, pool=options.pool is not None)
        within = f"{held.within:,} of {held.questions:,}"
        print(f"| {name} | {held.means} of {held.trials} | {within} | {held.width:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
