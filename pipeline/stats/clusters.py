"""Clusters of queries: how much less they say than as many independent queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pipeline.records import Floats
from pipeline.stats.intervals import moments_of


class DesignEffect(NamedTuple):
    """What clustering costs."""

    queries: int
    clusters: int
    effect: float  # variance of the mean with clusters / variance as if independent; 1 without spread
    effective: float  # independent queries that would say as much


def design_effect(differences: Floats, clusters: Sequence[str]) -> DesignEffect:
    """Design effect of a mean difference (Kish 1965), NaN left out; below 1 where a cluster's queries balance."""
    defined = ~np.isnan(differences)
    values = differences[defined]
    codes = np.unique(np.asarray(clusters)[defined], return_inverse=True)[1]
    sums, counts = np.bincount(codes, values), np.bincount(codes).astype(np.float64)
    apart = moments_of(values[None], np.ones((1, values.size))).error[0]
    together = moments_of(sums[None].astype(np.float64), counts[None]).error[0]
    effect = float(together**2 / apart**2) if apart > 0 and together > 0 else 1.0
    return DesignEffect(int(values.size), counts.size, effect, values.size / effect)
