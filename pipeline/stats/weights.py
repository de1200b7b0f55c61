"""Queries that do not count alike (traffic): their weights checked and scaled, and what unequal weights cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import Floats


def scaled(weights: Sequence[float] | Floats) -> Floats | None:
    """The weights with 1 as the largest; None where all queries count alike. A query of weight 0 does not count.

    ComparisonError where a weight is negative, infinite or no number, or where all are 0.
    """
    given = np.asarray(weights, np.float64)
    if (bad := np.flatnonzero(~(np.isfinite(given) & (given >= 0)))).size:
        raise ComparisonError(f"weight {bad[0] + 1} of the queries is {given[bad[0]]}; expected a number of 0 or more")
    if not given.any():
        raise ComparisonError("all queries weigh 0, so none counts; give at least one a weight above 0")
    if (given == given[0]).all():
        return None
    shares: Floats = given / given.max()
    return shares


def mean_of(values: Floats, weights: Floats | None) -> float:
    """Mean of the values that are defined, each counting by its weight; NaN where nothing counts."""
    used = ~np.isnan(values) if weights is None else ~np.isnan(values) & (weights > 0)
    if not used.any():
        return float("nan")
    return float(np.nanmean(values) if weights is None else np.average(values[used], weights=weights[used]))


def effective(weights: Floats) -> Floats:
    """How many equal weights say as much: (sum w)**2 / sum w**2 along the last axis (Kish 1965); 0 for none."""
    squares = (weights * weights).sum(axis=-1)
    found: Floats = weights.sum(axis=-1) ** 2 / np.where(squares > 0, squares, 1.0)
    return found
