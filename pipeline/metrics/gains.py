"""The ranked measures: each one function of `Ranked`, shape (n,), 0 where there is nothing to find.

g(i) is the grade at rank i (from 1), rel(i) = 1 where g(i) >= level, R the number of relevant documents among the
judgements. Sources stand in docs/measures.md.
"""

from __future__ import annotations

import numpy as np

from pipeline.metrics.blocks import UNLISTED
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import Ranked
from pipeline.records import Bools, Floats, Ints, Longs


def share(part: Floats | Longs, whole: Floats | Longs) -> Floats:
    """What `part` is of `whole`; 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)


def ranking_of(view: Ranked, measure: Measure) -> Ranked:
    """The ranking that the measure looks at: condensed for `judged_only`."""
    return view.condensed if measure.flag("judged_only") else view


def precision(view: Ranked, measure: Measure) -> Floats:
    """Relevant among the first k, divided by k even if fewer came back."""
    k = measure.cutoff or 1
    return ranking_of(view, measure).found(k, measure.integer("rel", 1)) / k


def recall(view: Ranked, measure: Measure) -> Floats:
    """Relevant among the first k / R."""
    level = measure.integer("rel", 1)
    return share(ranking_of(view, measure).found(measure.cutoff, level), view.total(level))


def success(view: Ranked, measure: Measure) -> Floats:
    """1 where any of the first k is relevant."""
    return (ranking_of(view, measure).found(measure.cutoff, measure.integer("rel", 1)) > 0).astype(np.float64)


def reciprocal_rank(view: Ranked, measure: Measure) -> Floats:
    """1 / rank of the first relevant hit among the first k, else 0 (Voorhees 1999)."""
    relevant = ranking_of(view, measure).relevant(measure.integer("rel", 1))[:, : measure.cutoff]
    first = relevant.argmax(axis=1)
    return np.where(relevant[np.arange(len(first)), first], 1.0 / (first + 1.0), 0.0)


def average_precision(view: Ranked, measure: Measure) -> Floats:
    """Sum over relevant hits among the first k of precision at their rank, divided by R (all of them)."""
    level = measure.integer("rel", 1)
    ranking = ranking_of(view, measure)
    hits = ranking.hits(level)[:, : measure.cutoff] * ranking.relevant(level)[:, : measure.cutoff]
    return share(hits @ (1.0 / np.arange(1.0, hits.shape[1] + 1.0)), view.total(level))


def r_precision(view: Ranked, measure: Measure) -> Floats:
    """Precision at rank R, divided by R even if fewer came back."""
    level = measure.integer("rel", 1)
    ranking = ranking_of(view, measure)
    total = view.total(level)
    last = np.minimum(total, ranking.width).astype(np.int64) - 1
    found = ranking.hits(level)[np.arange(len(last)), np.maximum(last, 0)].astype(np.float64)
    return share(np.where(total > 0, found, 0.0), total)


def linear_gain(grades: Ints) -> Floats:
    """The grade itself; negative and missing grades gain 0."""
    return np.maximum(grades, 0).astype(np.float64)


def exponential_gain(grades: Ints, *, signed: bool = False) -> Floats:
    """2^grade - 1; negative grades gain 0, or less than 0 where `signed`; missing ones 0."""
    kept: Bools = grades > UNLISTED if signed else grades > 0
    return np.ldexp(1.0, np.where(kept, grades, 0)) - 1.0


def discounted(gains: Floats) -> Floats:
    """Sum over ranks of gain / log2(rank + 1) (Järvelin and Kekäläinen 2002, as trec_eval)."""
    return gains @ (1.0 / np.log2(np.arange(2.0, gains.shape[1] + 2.0)))


def dcg(view: Ranked, measure: Measure) -> Floats:
    """Discounted grades of the first k."""
    return discounted(linear_gain(ranking_of(view, measure).grades[:, : measure.cutoff]))


def ndcg(view: Ranked, measure: Measure) -> Floats:
    """DCG@k / DCG@k of all judged documents in the best order."""
    return share(dcg(view, measure), discounted(linear_gain(view.judged[:, : measure.cutoff])))


def dcg_exp(view: Ranked, measure: Measure) -> Floats:
    """Discounted 2^grade - 1 of the first k."""
    ranking = ranking_of(view, measure)
    return discounted(exponential_gain(ranking.grades[:, : measure.cutoff], signed=ranking.signed))


def ndcg_exp(view: Ranked, measure: Measure) -> Floats:
    """DCG_exp@k / DCG_exp@k of all judged documents in the best order."""
    ideal = discounted(exponential_gain(view.judged[:, : measure.cutoff], signed=view.signed))
    return share(dcg_exp(view, measure), ideal)
