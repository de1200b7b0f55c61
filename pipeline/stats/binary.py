"""Pairs of 0/1 values: the exact test and the interval that fit them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import bdtr, ndtri

from pipeline.records import Interval

STEPS = 80  # halvings of a bracket of width 2: below 1e-20


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided exact p that wins and losses are equally likely (McNemar 1947): binomial, doubled, at most 1."""
    return float(min(1.0, 2 * bdtr(min(wins, losses), wins + losses, 0.5)))


def score_interval(wins: int, losses: int, queries: int, level: float) -> Interval:
    """Score interval of the difference of two paired proportions (Tango 1998): keeps within [-1, 1], holds for few.

    The ends are the differences at which the score statistic of the table equals -+ the normal quantile.
    """
    if not queries:
        return Interval(-np.inf, np.inf, level, "score")
    z = float(ndtri(0.5 + level / 2))
    low = _root(lambda d: _score(d, wins, losses, queries) - z)
    high = _root(lambda d: _score(d, wins, losses, queries) + z)
    return Interval(low, high, level, "score")


def _score(difference: float, wins: int, losses: int, queries: int) -> float:
    """Standardised distance of the table from `difference`; falls as `difference` rises."""
    distance = wins - losses - queries * difference
    linear = (2 * queries - wins + losses) * difference - wins - losses
    constant = -losses * difference * (1 - difference)
    share = (np.sqrt(max(linear**2 - 8 * queries * constant, 0.0)) - linear) / (4 * queries)
    variance = queries * (2 * share + difference * (1 - difference))
    if variance <= 0:
        return float(np.sign(distance) * np.inf) if distance else 0.0
    return float(distance / np.sqrt(variance))


def _root(falling: Callable[[float], float]) -> float:
    low, high = -1.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
