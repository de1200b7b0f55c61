"""Does a better ranking give a better answer? Retrieval and answer measures, differences against differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.records import Bools, Floats, Interval, ScoreTable
from pipeline.stats.options import StatsOptions
from pipeline.stats.resampling import weight_blocks
from pipeline.stats.sweep import Sweep, checked

PERMUTATIONS = 4  # the stream of one seed


@dataclass(frozen=True)
class Association:
    """How far the difference in a retrieval measure goes with the difference in an answer measure, query by query."""

    retrieval: str
    answer: str
    queries: int
    correlation: float  # Pearson, of differences from the baseline, each treatment centred; 0 without spread
    interval: Interval  # percentile, over resampled queries
    p_corrected: float  # over the retrieval measures, by permuting queries


def associations(
    tables: Mapping[str, ScoreTable],
    *,
    baseline: str,
    retrieval: Sequence[str],
    answer: str,
    seed: int,
    options: StatsOptions = StatsOptions(),  # noqa: B008 - frozen
) -> tuple[Association, ...]:
    """Each retrieval measure's association with `answer`, the best predictor first.

    Treatments share the queries, so queries are resampled and permuted whole; where queries have weights, all sums are
    weighted, and a permutation leaves the weights with the retrieval measures. Queries undefined for any experiment on
    any of the measures are left out. With fewer than 3 of them nothing can be said: an empty answer.
    """
    sweep = checked(tables, baseline, answer, seed, options, None)
    missing = [np.isnan(sweep.of(m)).any(axis=0) for m in (*retrieval, answer)]
    usable: Bools = np.stack(missing).sum(axis=0) == 0
    if usable.sum() < 3 or len(tables) < 2:
        return ()
    weights = np.ones(int(usable.sum())) if sweep.weights is None else sweep.weights[usable]
    y = _differences(sweep, answer, baseline, usable)
    xs = [_differences(sweep, measure, baseline, usable) for measure in retrieval]
    observed = np.array([_correlation(x, y, weights) for x in xs])
    p = _p(xs, y, np.abs(observed), (sweep, weights))
    found = [
        Association(measure, answer, int(usable.sum()), float(r), _interval(x, y, sweep, weights), float(value))
        for measure, x, r, value in zip(retrieval, xs, observed, p, strict=True)
    ]
    return tuple(sorted(found, key=lambda a: (-a.correlation, a.retrieval)))


def best_predictor(found: Sequence[Association], level: float = 0.95) -> str:
    """One sentence: which retrieval measure predicts the answer measure best, or that none does."""
    if not found:
        return "No retrieval measure can be held against the answers: too few queries have both."
    best = found[0]
    if best.correlation <= 0 or best.p_corrected > 1 - level:
        return f"No retrieval measure predicts {best.answer} on these {best.queries} queries."
    return (
        f"{best.retrieval} predicts {best.answer} best: correlation {best.correlation:.2f} "
        f"[{best.interval.low:.2f}, {best.interval.high:.2f}] over {best.queries} queries."
    )


def _differences(sweep: Sweep, measure: str, baseline: str, usable: Bools) -> Floats:
    """(treatments, queries), each treatment with mean 0: what it does query by query, not on the whole."""
    place = sweep.aligned.names.index(baseline)
    values = sweep.of(measure)[:, usable]
    differences = np.delete(values - values[place], place, axis=0)
    return _centred(differences, None if sweep.weights is None else sweep.weights[usable])


def _centred(values: Floats, weights: Floats | None) -> Floats:
    centred: Floats = values - np.average(values, axis=1, weights=weights, keepdims=True)
    return centred


def _correlation(x: Floats, y: Floats, weights: Floats) -> float:
    scale = _scale(x, y, weights)
    return float((weights * x * y).sum() / scale) if scale > 0 else 0.0


def _scale(x: Floats, y: Floats, weights: Floats) -> float:
    return float(np.sqrt((weights * x**2).sum() * (weights * y**2).sum()))


def _p(xs: Sequence[Floats], y: Floats, observed: Floats, how: tuple[Sweep, Floats]) -> Floats:
    """Single-step corrected p: the largest |correlation| of any measure under permuted queries."""
    sweep, weights = how
    rng = np.random.default_rng([sweep.seed, PERMUTATIONS])
    spreads = np.array([(weights * x**2).sum() for x in xs])
    flat = np.stack([(weights * x).ravel() for x in xs])
    at_least = np.zeros(observed.size)
    for _ in range(sweep.options.resamples):
        permuted = y[:, rng.permutation(y.shape[1])]
        permuted = permuted if sweep.weights is None else _centred(permuted, weights)
        scales = np.sqrt(spreads * (weights * permuted**2).sum())
        largest = np.max(np.abs(flat @ permuted.ravel()) / np.where(scales > 0, scales, np.inf))
        at_least += largest >= observed - 1e-12
    return (1 + at_least) / (1 + sweep.options.resamples)


def _interval(x: Floats, y: Floats, sweep: Sweep, weights: Floats) -> Interval:
    """Percentile interval; in every resample treatments are centred anew."""
    rows = np.vstack((x, y, x * y, x**2, y**2)) * weights
    treatments, queries = x.shape
    found = []
    for times in weight_blocks(sweep.seed, queries, sweep.options.resamples):
        sums = (times @ rows.T).reshape(len(times), 5, treatments)
        whole = times @ weights
        sx, sy = sums[:, 0], sums[:, 1]
        xy, xx, yy = (sums[:, i].sum(axis=1) for i in (2, 3, 4))
        covariance = xy - (sx * sy).sum(axis=1) / whole
        spread = (xx - (sx**2).sum(axis=1) / whole) * (yy - (sy**2).sum(axis=1) / whole)
        found.append(covariance / np.sqrt(np.where(spread > 1e-18, spread, np.inf)))
    tail = sweep.options.alpha / 2
    low, high = np.quantile(np.concatenate(found), (tail, 1 - tail))
    return Interval(float(low), float(high), sweep.options.level, "percentile")
