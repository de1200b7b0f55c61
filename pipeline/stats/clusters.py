"""Clusters of queries: how much less they say than as many independent queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pipeline.records import Floats
from pipeline.stats.intervals import moments_of
from pipeline.stats.weights import effective


class DesignEffect(NamedTuple):
    """What clustering costs."""

    queries: int
    clusters: int
    effect: float  # variance of the mean with clusters / variance as if independent; 1 without spread
    effective: float  # independent queries of equal weight that would say as much


def design_effect(differences: Floats, clusters: Sequence[str], weights: Floats | None = None) -> DesignEffect:
    """Design effect of a mean difference (Kish 1965), NaN left out; below 1 where a cluster's queries balance."""
    defined = ~np.isnan(differences)
    shares = np.ones(int(defined.sum())) if weights is None else weights[defined]
    values = differences[defined] * shares
    codes = np.unique(np.asarray(clusters)[defined], return_inverse=True)[1]
    sums, counts = (np.bincount(codes, row).astype(np.float64) for row in (values, shares))
    apart = moments_of(values[None], shares[None]).error[0]
    together = moments_of(sums[None], counts[None]).error[0]
    effect = float(together**2 / apart**2) if apart > 0 and together > 0 else 1.0
    return DesignEffect(int(values.size), counts.size, effect, float(effective(shares)) / effect)
