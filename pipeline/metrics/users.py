"""Measures of a user who walks down the list and stops, and of one who takes all of it; shape (n,)."""

from __future__ import annotations

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.gains import exponential_gain, ranking_of, share
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import Ranked
from pipeline.records import Floats


def expected_reciprocal_rank(view: Ranked, measure: Measure) -> Floats:
    """Sum over the first k of r(i)/i times the chance to come that far.

    r = (2^grade - 1) / 2^max (Chapelle et al. 2009). SettingError where a judgement exceeds `max`.
    """
    top = measure.integer("max", 1)
    highest = int(view.judged.max(initial=0))
    if highest > top:
        raise SettingError(f"measure {measure}: a judgement has grade {highest}; max must be the highest grade in use")
    stop = exponential_gain(ranking_of(view, measure).grades[:, : measure.cutoff]) / 2.0**top
    come = np.ones_like(stop)
    np.cumprod(1.0 - stop[:, :-1], axis=1, out=come[:, 1:])
    return (stop * come) @ (1.0 / np.arange(1.0, stop.shape[1] + 1.0))


def rank_biased_precision(view: Ranked, measure: Measure) -> Floats:
    """(1 - p) times the sum over relevant hits of p^(rank - 1) (Moffat and Zobel 2008)."""
    p = measure.number("p", 0.8)
    relevant = ranking_of(view, measure).relevant(measure.integer("rel", 1))[:, : measure.cutoff]
    return (1.0 - p) * (relevant @ p ** np.arange(relevant.shape[1]))


def set_precision(view: Ranked, measure: Measure) -> Floats:
    """Relevant hits / hits, of the whole list; 0 where nothing came back."""
    ranking = ranking_of(view, measure)
    return share(ranking.found(None, measure.integer("rel", 1)), ranking.retrieved)


def set_recall(view: Ranked, measure: Measure) -> Floats:
    """Relevant hits / R, of the whole list."""
    level = measure.integer("rel", 1)
    return share(ranking_of(view, measure).found(None, level), view.total(level))


def set_f(view: Ranked, measure: Measure) -> Floats:
    """Harmonic mean of set precision and set recall; 0 where both are."""
    p, r = set_precision(view, measure), set_recall(view, measure)
    return share(2.0 * p * r, p + r)
