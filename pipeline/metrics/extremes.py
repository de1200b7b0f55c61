"""The largest possible difference of two rankings, measure by measure, over all outcomes of unjudged documents.

The smallest is the largest with the rankings exchanged. Each function gives (n,) values and whether they are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics import gains
from pipeline.metrics.gains import share
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import Ranked
from pipeline.records import Bools, Floats, Ints, Longs

ENUMERATED = 16
"""Unjudged hits of a query up to which AP tries out every outcome."""

_SETTLED = 1e-15


@dataclass(frozen=True, eq=False)
class Gap:
    """Two rankings of n queries, cut at the cutoff, and their unjudged hits: infinite rank = not in that ranking."""

    a: Ranked
    b: Ranked
    rank_a: Floats  # (n, u)
    rank_b: Floats  # (n, u)
    docs: Ints  # (n, u), -1 = nothing
    highest: int  # grade that an unjudged document can have at most
    closed: bool  # every relevant document is listed: nothing is open
    positives: bool  # only relevant documents are listed: what the others are is not known

    def swapped(self) -> Gap:
        """The same with the rankings exchanged."""
        return Gap(self.b, self.a, self.rank_b, self.rank_a, self.docs, self.highest, self.closed, self.positives)

    def only_a(self) -> Floats:
        """(n,): unjudged hits that only a has."""
        counts: Longs = np.count_nonzero(np.isfinite(self.rank_a) & np.isinf(self.rank_b), axis=1)
        return counts.astype(np.float64)


class Upper(NamedTuple):
    """The largest possible difference, and where it is exact."""

    value: Floats
    exact: Bools


def _exact(value: Floats) -> Upper:
    return Upper(value, np.ones(len(value), bool))


def _level(gap: Gap, measure: Measure) -> int:
    level = measure.integer("rel", 1)
    if level > gap.highest:
        raise SettingError(f"measure {measure}: no document can have grade {level}; the highest is {gap.highest}")
    return level


def precision(gap: Gap, measure: Measure) -> Upper:
    """Every unjudged hit of a alone is relevant, those of b alone are not."""
    _level(gap, measure)
    known = gains.precision(gap.a, measure) - gains.precision(gap.b, measure)
    return _exact(known + gap.only_a() / (measure.cutoff or 1))


def recall(gap: Gap, measure: Measure) -> Upper:
    """(d + m) / (R + m) grows with m, so all m unjudged hits of a alone are relevant.

    Where that is below 0, unseen relevant documents bring it as close to 0 as one likes.
    """
    level = _level(gap, measure)
    more = gap.only_a()
    part = gap.a.found(measure.cutoff, level) - gap.b.found(measure.cutoff, level) + more
    value = share(part, gap.a.total(level) + more)
    return _exact(value if gap.closed else np.maximum(value, 0.0))


def success(gap: Gap, measure: Measure) -> Upper:
    """The best of all outcomes of three kinds of unjudged hits: of a alone, of b alone, of both."""
    level = _level(gap, measure)
    known_a, known_b = gap.a.found(measure.cutoff, level) > 0, gap.b.found(measure.cutoff, level) > 0
    in_a, in_b = np.isfinite(gap.rank_a), np.isfinite(gap.rank_b)
    kinds = [np.any(kind, axis=1) for kind in (in_a & ~in_b, in_b & ~in_a, in_a & in_b)]
    best = np.full(len(known_a), -np.inf)
    for alone_a, alone_b, shared in product((False, True), repeat=3):
        possible = np.ones(len(best), bool)
        for wanted, kind in zip((alone_a, alone_b, shared), kinds, strict=True):
            possible &= kind | (not wanted)
        value = (known_a | alone_a | shared).astype(np.float64) - (known_b | alone_b | shared)
        best = np.where(possible, np.maximum(best, value), best)
    return _exact(best)


def reciprocal_rank(gap: Gap, measure: Measure) -> Upper:
    """At most one unjudged hit is relevant: more of them only help b."""
    _level(gap, measure)
    known_a, known_b = gains.reciprocal_rank(gap.a, measure), gains.reciprocal_rank(gap.b, measure)
    one = np.maximum(1.0 / gap.rank_a, known_a[:, None]) - np.maximum(1.0 / gap.rank_b, known_b[:, None])
    return _exact(np.maximum(np.max(one, axis=1, initial=-np.inf), known_a - known_b))


def _steps(gap: Gap, measure: Measure) -> Floats:
    """(highest,): how much gain each grade adds to the one below."""
    grades = np.arange(gap.highest + 1, dtype=np.int32)
    gain = gains.exponential_gain(grades) if measure.name.endswith("_exp") else gains.linear_gain(grades)
    return np.diff(gain)


def _rank_weights(gap: Gap) -> Floats:
    """(n, u): discount of each unjudged hit in a less that in b."""
    return 1.0 / np.log2(gap.rank_a + 1.0) - 1.0 / np.log2(gap.rank_b + 1.0)


def _dcg_known(gap: Gap, measure: Measure) -> Floats:
    compute = gains.dcg_exp if measure.name.endswith("_exp") else gains.dcg
    return compute(gap.a, measure) - compute(gap.b, measure)


def dcg(gap: Gap, measure: Measure) -> Upper:
    """An unjudged hit that stands higher in a has the highest grade, any other grade 0."""
    top = float(_steps(gap, measure).sum())
    return _exact(_dcg_known(gap, measure) + top * np.maximum(_rank_weights(gap), 0.0).sum(axis=1))


def ndcg(gap: Gap, measure: Measure) -> Upper:
    """The largest N / I by Dinkelbach's iteration: I, the ideal DCG, moves with the outcome.

    Let S(t) be the unjudged hits of grade t or more. N - lambda * I falls into one part a grade, step(t) *
    (sum of the rank weights over S(t) - lambda * (ideal discounts of the K(t) + |S(t)| best ranks)), and each is
    largest for a prefix of the hits by weight. As K falls with t so does the best prefix, so the parts agree.
    """
    cutoff = measure.cutoff
    if cutoff is None:
        raise SettingError(f"measure {measure}: bounds need a cutoff, as unseen documents move the ideal without end")
    steps, weight = _steps(gap, measure), _rank_weights(gap)
    known = _dcg_known(gap, measure)
    most = known + steps.sum() * np.maximum(weight, 0.0).sum(axis=1)
    ideal = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(np.arange(2.0, cutoff + 2.0)))))
    listed = np.stack([gap.a.total(t) for t in range(1, gap.highest + 1)], axis=1).astype(np.int64)
    prefix = np.zeros((len(weight), weight.shape[1] + 1))
    np.cumsum(-np.sort(-weight, axis=1), axis=1, out=prefix[:, 1:])
    cost = ideal[np.minimum(listed[:, :, None] + np.arange(prefix.shape[1]), cutoff)]
    value = _dinkelbach(known, prefix, cost, steps)
    now = share(known, (cost[:, :, 0] * steps).sum(axis=1))
    below = now if gap.closed else most / (ideal[-1] * steps.sum())
    return _exact(np.where(most > 0, value, below))


def _dinkelbach(known: Floats, prefix: Floats, cost: Floats, steps: Floats) -> Floats:
    """The largest (known + sum of steps * prefix) / (sum of steps * cost), where it is above 0."""
    ratio = np.zeros(len(known))
    for _ in range(64):  # each round is exact for its ratio; a handful suffices
        best = np.argmax(prefix[:, None, :] - ratio[:, None, None] * cost, axis=2)
        gained = np.take_along_axis(prefix, best, axis=1) @ steps + known
        paid = np.take_along_axis(cost, best[:, :, None], axis=2)[:, :, 0] @ steps
        better = gained - ratio * paid > _SETTLED
        if not better.any():
            break
        ratio = np.where(better, share(gained, paid), ratio)
    return ratio


def additive(gap: Gap, measure: Measure) -> tuple[Floats, Floats]:
    """(n, u) what an unjudged hit of the highest grade adds to the difference, and (n,) the difference as known.

    R and nDCG keep the number of relevant documents and the ideal that the judgements give.
    """
    if measure.name == "P":
        in_a, in_b = np.isfinite(gap.rank_a), np.isfinite(gap.rank_b)
        cutoff = measure.cutoff or 1
        known = gains.precision(gap.a, measure) - gains.precision(gap.b, measure)
        return (in_a.astype(np.float64) - in_b) / cutoff, known
    if measure.name == "R":
        level = _level(gap, measure)
        found = gap.a.found(measure.cutoff, level) - gap.b.found(measure.cutoff, level)
        total = gap.a.total(level)
        alone = np.isfinite(gap.rank_a).astype(np.float64) - np.isfinite(gap.rank_b)
        return share(alone, np.broadcast_to(total[:, None], alone.shape)), share(found, total)
    weight, known = _rank_weights(gap) * _steps(gap, measure).sum(), _dcg_known(gap, measure)
    if not measure.name.startswith("nDCG"):
        return weight, known
    gain = gains.exponential_gain if measure.name.endswith("_exp") else gains.linear_gain
    ideal = gains.discounted(gain(gap.a.judged[:, : measure.cutoff]))
    return share(weight, np.broadcast_to(ideal[:, None], weight.shape)), share(known, ideal)


def average_precision(gap: Gap, measure: Measure) -> Upper:
    """All outcomes that can be the best one, up to ENUMERATED unjudged hits; beyond, a bracket.

    The bracket: with m relevant among its unjudged hits, a gains most if these are its first m, and b gains least if
    none of its own are relevant. A value below 0 comes as close to 0 as one likes through unseen documents.
    """
    level = _level(gap, measure)
    total = gap.a.total(level)
    known = (gap.a.relevant(level), gap.b.relevant(level))
    free_a = _columns(gap.rank_a, gap.a.width)
    order = np.cumsum(free_a, axis=1)
    base = _precision_sum(known[1])
    best = np.full(len(total), -np.inf)
    for count in range(int(order[:, -1].max(initial=0)) + 1):
        first = known[0] | (free_a & (order <= count))
        value = share(_precision_sum(first) - base, total + count)
        best = np.where(order[:, -1] >= count, np.maximum(best, value), best)
    few = np.count_nonzero(gap.docs >= 0, axis=1) <= ENUMERATED
    for row in np.flatnonzero(few):
        best[row] = _enumerated((known[0][row], known[1][row]), gap.rank_a[row], gap.rank_b[row], float(total[row]))
    return Upper(best if gap.closed else np.maximum(best, 0.0), few)


def _columns(rank: Floats, width: int) -> Bools:
    """(n, width): the ranks that unjudged hits hold."""
    held = np.zeros((len(rank), width), bool)
    row, column = np.nonzero(np.isfinite(rank))
    held[row, rank[row, column].astype(np.int64) - 1] = True
    return held


def _precision_sum(relevant: Bools) -> Floats:
    """Sum over relevant ranks (last axis) of the precision there."""
    return (np.cumsum(relevant, axis=-1) * relevant) @ (1.0 / np.arange(1.0, relevant.shape[-1] + 1.0))


def _enumerated(known: tuple[Bools, Bools], rank_a: Floats, rank_b: Floats, total: float) -> float:
    """The largest difference of AP of one query over the outcomes of its unjudged hits, where it is above 0.

    However many hits of a alone are relevant, a gains most if they are its first, and none of b alone may be: it would
    add to b and to the number of relevant documents. So only the hits of both are tried in every combination.
    """
    in_a, in_b = np.isfinite(rank_a), np.isfinite(rank_b)
    both = np.flatnonzero(in_a & in_b)
    chosen = (np.arange(1 << len(both))[:, None] >> np.arange(len(both))) & 1 > 0
    sum_a = _sums(known[0], np.sort(rank_a[in_a & ~in_b]), rank_a[both], chosen)
    sum_b = _sums(known[1], rank_b[:0], rank_b[both], chosen)
    found = total + np.count_nonzero(chosen, axis=1)[:, None] + np.arange(sum_a.shape[1])
    return float(share(sum_a - sum_b, found).max())


def _sums(known: Bools, alone: Floats, both: Floats, chosen: Bools) -> Floats:
    """(outcomes, len(alone) + 1): sum of precisions with the first 0, 1, … ranks of `alone` relevant."""
    relevant = np.repeat(np.repeat(known[None, None], len(chosen), axis=0), len(alone) + 1, axis=1)
    relevant[:, :, both.astype(np.int64) - 1] = chosen[:, None, :]
    for count, place in enumerate(alone.astype(np.int64) - 1, start=1):
        relevant[:, count:, place] = True
    return _precision_sum(relevant)


UPPER: dict[str, Callable[[Gap, Measure], Upper]] = {
    "P": precision, "R": recall, "Success": success, "RR": reciprocal_rank, "DCG": dcg, "DCG_exp": dcg,
    "nDCG": ndcg, "nDCG_exp": ndcg, "AP": average_precision,
}  # fmt: skip
"""Measures with bounds over unjudged documents."""

ADDITIVE = frozenset({"P", "R", "DCG", "DCG_exp", "nDCG", "nDCG_exp"})
"""Those to which every hit adds a share of its own, as long as the ideal stays (`additive`)."""
