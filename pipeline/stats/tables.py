"""Score tables side by side: checked, aligned by query, and put on one grid.

All values of a measure are rounded to multiples of one power of two, so coarse that every sum over queries is exact in
float64: results then depend neither on the order of experiments nor on how a matrix product is cut into blocks. The
rounding is below 1e-12 for up to 2,000 queries with values in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import Floats, ScoreTable
from pipeline.stats.weights import scaled

NOISE = 1e-12  # values nearer than this are equal: the noise of summing in another order
MANTISSA = 52  # bits of a float64 that hold integers exactly, one kept in hand


@dataclass(frozen=True, eq=False)
class Aligned:
    """All experiments on the same queries, by ascending name, whatever their order was."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Floats  # (measures, experiments, queries), NaN = undefined, or of a query that does not count
    weights: Floats | None  # (queries,) sums exact, the largest is 1; None = all that count, count alike


def align(tables: Mapping[str, ScoreTable]) -> Aligned:
    """Every table's values in one cube. ComparisonError names the first difference, or the first infinite value."""
    if not tables:
        raise ComparisonError("no experiment has scores; nothing can be compared, see the reasons of the failed jobs")
    names = tuple(sorted(tables))
    first = tables[names[0]]
    for name in names[1:]:
        _same("query", names[0], first.query_ids, name, tables[name].query_ids)
        _same("measure", names[0], first.measures, name, tables[name].measures)
    values = np.stack([np.asarray(tables[name].values, np.float64) for name in names], axis=1)
    if (bad := np.argwhere(np.isinf(values))).size:
        measure, experiment, query = bad[0]
        raise ComparisonError(
            f"{names[experiment]}: {first.measures[measure]} of query {first.query_ids[query]!r} is infinite; "
            "expected a number, or nothing where undefined"
        )
    weights = _weights(tables, names)
    values = values if weights is None else np.where(weights > 0, values, np.nan)
    alike = weights is None or (weights[weights > 0] == 1).all()
    return Aligned(names, first.measures, first.query_ids, values, None if alike else weights)


def _weights(tables: Mapping[str, ScoreTable], names: Sequence[str]) -> Floats | None:
    """The weights that all tables share, scaled and on the grid. ComparisonError where they do not share them."""
    first = tables[names[0]]
    for name in names[1:]:
        if not _alike(first.weights, tables[name].weights):
            raise ComparisonError(
                f"{names[0]} and {name} cannot be compared: their queries have other weights; "
                "give every table the same ones"
            )
    if first.weights is None:
        return None
    if len(first.weights) != len(first.query_ids):
        raise ComparisonError(f"{len(first.weights)} weights for {len(first.query_ids)} queries; give one a query")
    weights = scaled(first.weights)
    return None if weights is None else _rounded(weights, 1.0)


def _alike(ours: Floats | None, theirs: Floats | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return np.array_equal(ours, theirs, equal_nan=True)


def _same(what: str, one: str, ours: Sequence[str], other: str, theirs: Sequence[str]) -> None:
    if tuple(ours) == tuple(theirs):
        return
    position, here, there = next(
        (i, a, b) for i, (a, b) in enumerate(zip_longest(ours, theirs, fillvalue=None)) if a != b
    )
    raise ComparisonError(
        f"{one} and {other} cannot be compared: {what} {position + 1} is {_shown(here)} in the one and "
        f"{_shown(there)} in the other; score both on the same queries, judgements and measures"
    )


def _shown(value: str | None) -> str:
    return "missing" if value is None else repr(value)


def on_grid(values: Floats) -> Floats:
    """Values (experiments, queries) with exact sums over queries; in a query, values closer than NOISE are equal."""
    largest = max(1.0, float(np.nanmax(np.abs(values), initial=0.0)))
    return _without_noise(_rounded(values, largest))


def weighed(values: Floats, weights: Floats | None) -> Floats:
    """Values on the grid, each times the weight of its query, on the grid again: equal values stay equal."""
    if weights is None:
        return values
    return _rounded(values * weights, max(1.0, float(np.nanmax(np.abs(values), initial=0.0))))


def _rounded(values: Floats, largest: float) -> Floats:
    """Values (…, queries) of at most `largest` as multiples of a power of two, of which sums are exact."""
    bits = int(np.ceil(np.log2(largest))) + int(np.ceil(np.log2(max(values.shape[-1], 1)))) + 1
    step = 2.0 ** (bits - MANTISSA)
    rounded: Floats = np.round(values / step) * step
    return rounded


def _without_noise(values: Floats) -> Floats:
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0)
    starts = np.ones(ascending.shape, np.bool_)
    starts[1:] = ~(np.diff(ascending, axis=0) <= NOISE)
    rows = np.where(starts, np.arange(len(values))[:, None], 0)
    lowest = np.take_along_axis(ascending, np.maximum.accumulate(rows, axis=0), axis=0)
    merged = np.empty_like(values)
    np.put_along_axis(merged, order, lowest, axis=0)
    return merged
