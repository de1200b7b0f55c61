"""Whether the bounds over unjudged documents hold the difference that all judgements of python_topics give.

    python scripts/hide_judgements.py --trials 500

Two rankings of whole topics: BM25, and BM25 nearly without frequencies, lengths and stems. Every trial hides 20 to 90 %
of the judgements, and asks whether the difference under all of them lies within the bounds: of the mean, and of every
question by itself. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import numpy as np

from pipeline.datasets.python_topics import PythonTopics
from pipeline.metrics import Case, Measure, Options, evaluate, parse
from pipeline.metrics.unjudged import difference_bounds
from pipeline.ranking import fold
from pipeline.records import Dataset, Floats, Qrels, Run, Stop
from pipeline.retrieval.bm25 import Bm25

MEASURES = ("nDCG@10", "nDCG_exp@10", "DCG@10", "P@10", "R@20", "RR", "Success@5", "AP@10")
DEPTH = 30
LEAST, MOST = 0.2, 0.9  # share of the judgements that is hidden
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


def hide(dataset: Dataset, measure: Measure, trials: int, rng: np.random.Generator) -> Held:
    """Hides judgements `trials` times, and counts how often the bounds hold the difference under all of them."""
    a, b = rankings(dataset)
    full = difference(dataset, measure, (a, b))
    means = questions = within = 0
    widths = []
    for _ in range(trials):
        bounds = difference_bounds(measure, a, b, hidden(dataset.qrels, rng), highest=int(dataset.qrels.grades.max()))
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
    options = parser.parse_args()
    dataset = PythonTopics().load()
    print("| measure | trials whose bounds hold the mean | questions whose bounds hold | median width |")
    print("|---|---|---|---|")
    for name in MEASURES:
        held = hide(dataset, parse(name), options.trials, np.random.default_rng(options.seed))
        within = f"{held.within:,} of {held.questions:,}"
        print(f"| {name} | {held.means} of {held.trials} | {within} | {held.width:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
