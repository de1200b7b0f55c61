"""What missing judgements leave open: how far the difference of two rankings could be from what it seems.

Every hit without judgement may turn out to have any grade from 0 to the highest, and there may be any number of
relevant documents that neither ranking shows. A query's difference then lies between two bounds, and queries are
independent of one another, so the bounds of a mean are the means of the bounds. A query without relevant documents
counts 0 here: which queries those are is itself open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics import extremes
from pipeline.metrics.blocks import join
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import rank_block
from pipeline.records import Bools, Floats, Ints, Longs, Qrels, Run


@dataclass(frozen=True, eq=False)
class Bounds:
    """Per query the smallest and largest possible difference a - b; NaN where the query has no judgement at all.

    `exact`: the bound is reached (or come as close to as one likes); else it is a bracket around it.
    """

    low: Floats
    high: Floats
    exact: Bools


class Widened(NamedTuple):
    """Bounds of the mean, and the same with the sampling error of each end added outwards."""

    low: float
    high: float
    low_sampled: float
    high_sampled: float
    queries: int
    determined: bool  # 0 lies outside [low, high]: the judgements fix the sign


class Sheet(NamedTuple):
    """Documents to judge, the one that narrows the bounds of the mean most first."""

    query: Longs
    doc: Ints
    narrows: Floats  # by how much the width of the bounds falls
    expected: int | None  # how many are expected to settle the sign; None = not even all of these


def difference_bounds(measure: Measure, a: Run, b: Run, qrels: Qrels, highest: int | None = None) -> Bounds:
    """Bounds of measure(a) - measure(b) for every query.

    `highest`: the highest grade an unjudged document can have; default the highest in use. Exact for P, R, Success,
    RR, DCG and nDCG (both gains), and for AP up to 16 unjudged hits; SettingError for other measures.
    """
    gap = _gap(measure, a, b, qrels, highest)
    upper = extremes.UPPER.get(measure.name)
    if upper is None or measure.counted == "tokens" or measure.flag("judged_only"):
        known = ", ".join(extremes.UPPER)
        raise SettingError(f"measure {measure} has no bounds over unjudged documents; those that have: {known}")
    high, exact = upper(gap, measure)
    low, exact_too = upper(gap.swapped(), measure)
    unknown = np.diff(qrels.indptr) == 0
    high[unknown] = low[unknown] = np.nan
    return Bounds(-low, high, exact & exact_too)


def widened(bounds: Bounds, level: float = 0.95, weight: Floats | None = None) -> Widened:
    """Bounds of the mean over the queries that have them, each end moved outwards by its t interval at `level`.

    `weight`: how much each query counts; None = all alike. SettingError with fewer than two queries.
    """
    from scipy.special import stdtrit  # scipy.stats would take a second to import

    kept = ~np.isnan(bounds.low)
    low, high = bounds.low[kept], bounds.high[kept]
    count = len(low)
    if count < 2:
        raise SettingError(f"bounds with sampling error need at least 2 judged queries; got {count}")
    own = np.ones(count) if weight is None else weight[kept]
    share = own / own.sum()
    reach = float(stdtrit(max(1 / (share**2).sum() - 1, 1.0), 0.5 + level / 2))  # Kish's effective number less one
    ends = [
        (float(share @ end), reach * float(np.sqrt((share**2 * (end - share @ end) ** 2 / (1 - share)).sum())))
        for end in (low, high)
    ]
    (first, below), (last, above) = ends
    return Widened(first, last, first - below, last + above, count, first > 0 or last < 0)


def tipping_point(
    measure: Measure, a: Run, b: Run, qrels: Qrels, highest: int | None = None, weight: Floats | None = None
) -> float:
    """By how much the relevance rate of unjudged hits that a ranks higher must exceed that of b's to turn the sign.

    Hits of b are taken to be relevant at the rate of the judged hits, those of a at that rate plus the answer; a
    relevant one has the highest grade. For nDCG and R the ideal stays as it is. Below 0: they must be relevant less
    often. Where only positives are listed no rate is known: there the hits of the ranking that leads are not relevant,
    as they are counted, and those of the other are at the rate that makes up for it. `weight`: how much each query
    counts. NaN where no unjudged hit could do that. May lie outside of what rates can be: then no rate turns it.
    """
    gap = _gap(measure, a, b, qrels, highest)
    adds, known = _weights(gap, measure)
    if weight is not None:
        adds, known = adds * weight[:, None], known * weight
    for_a, for_b = float(np.maximum(adds, 0).sum()), float(np.minimum(adds, 0).sum())
    leads = float(known.sum()) + _rate(gap) * (for_a + for_b)
    turned_by = for_b if qrels.judgements == "positives_only" and leads > 0 else -for_a
    return leads / turned_by if turned_by else float("nan")


def shortest_list(
    measure: Measure, a: Run, b: Run, qrels: Qrels, highest: int | None = None, weight: Floats | None = None
) -> Sheet:
    """Which documents to judge first, and how many are expected to settle the sign of the mean difference.

    Greedy: a document narrows the bounds by the weight of its ranks, times `weight` of its query where that is given.
    The expected number takes each to be relevant at the rate of the judged hits, or none where only positives are
    listed. For P, R, DCG and nDCG (ideal as it is); SettingError for other measures.
    """
    gap = _gap(measure, a, b, qrels, highest)
    adds, known = _weights(gap, measure)
    judged = np.diff(qrels.indptr) > 0
    own = judged.astype(np.float64) if weight is None else judged * weight
    total = float(own.sum()) or 1.0
    row, column = np.nonzero((adds != 0) & judged[:, None])
    values = adds[row, column] * own[row] / total
    order = np.lexsort((gap.docs[row, column], row, -np.abs(values)))
    row, column, values = row[order], column[order], values[order]
    rate = _rate(gap)
    middle = float((known * own)[judged].sum()) / total
    rises = np.where(values > 0, rate, 1 - rate) * np.abs(values)  # what the lower bound is expected to gain
    low = middle + float(np.minimum(values, 0).sum()) + np.cumsum(np.concatenate(([0.0], rises)))
    falls = np.abs(values) - rises
    high = middle + float(np.maximum(values, 0).sum()) - np.cumsum(np.concatenate(([0.0], falls)))
    settled = np.flatnonzero((low > 0) | (high < 0))
    return Sheet(row, gap.docs[row, column], np.abs(values), int(settled[0]) if len(settled) else None)


def _gap(measure: Measure, a: Run, b: Run, qrels: Qrels, highest: int | None) -> extremes.Gap:
    """Both rankings to the cutoff, and every unjudged hit with its two ranks."""
    rows = np.arange(len(qrels.indptr) - 1, dtype=np.int64)
    if len(a.items) != len(rows) or len(b.items) != len(rows):
        raise SettingError(f"rankings of {len(a.items)} and {len(b.items)} queries, judgements of {len(rows)}")
    runs = [
        replace(run, items=run.items[:, : measure.cutoff], scores=run.scores[:, : measure.cutoff]) for run in (a, b)
    ]
    views = [rank_block(run, qrels, rows) for run in runs]
    closed = qrels.judgements == "complete"
    open_ = (np.diff(qrels.indptr) > 0)[:, None] & (not closed)
    free = [
        np.where((view.grades < 0) & (run.items >= 0) & open_, run.items, -1) if run.items.shape[1] else
        np.full((len(rows), 1), -1, np.int32)
        for view, run in zip(views, runs, strict=True)
    ]  # fmt: skip
    rank = [np.where(part >= 0, np.arange(1.0, part.shape[1] + 1), np.inf) for part in free]
    both = join(free[0], free[1], rows, repeats=False)
    rank_a = np.concatenate((rank[0], np.full(free[1].shape, np.inf)), axis=1)
    rank_b = np.concatenate((np.full(free[0].shape, np.inf), rank[1]), axis=1)
    docs = np.concatenate(free, axis=1)
    behind = free[0].shape[1] + both.hit
    rank_b[both.row, both.judgement] = rank_b[both.row, behind]
    rank_b[both.row, behind] = np.inf
    docs[both.row, behind] = -1
    top = max(int(qrels.grades.max(initial=1)), 1) if highest is None else highest
    if top < int(qrels.grades.max(initial=0)):
        raise SettingError(f"the highest grade is {top}, but a judgement has {int(qrels.grades.max())}")
    positives = qrels.judgements == "positives_only"
    return extremes.Gap(views[0], views[1], rank_a, rank_b, docs.astype(np.int32), top, closed, positives)


def _rate(gap: extremes.Gap) -> float:
    """Share of the judged hits of both rankings that are relevant, 0 where that is not known."""
    grades = np.concatenate((gap.a.grades.ravel(), gap.b.grades.ravel()))
    judged = int(np.count_nonzero(grades >= 0))
    return int(np.count_nonzero(grades >= 1)) / judged if judged and not gap.positives else 0.0


def _weights(gap: extremes.Gap, measure: Measure) -> tuple[Floats, Floats]:
    """What each unjudged hit adds to a query's difference if it has the highest grade, and the difference as known."""
    if measure.name not in extremes.ADDITIVE or measure.counted == "tokens":
        raise SettingError(f"measure {measure}: this needs P, R, DCG or nDCG, whose parts add up")
    return extremes.additive(gap, measure)
