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

NOISE = 1e-12  # values nearer than this are equal: the noise of summing in another order
MANTISSA = 52  # bits of a float64 that hold integers exactly, one kept in hand


@dataclass(frozen=True, eq=False)
class Aligned:
    """All experiments on the same queries, by ascending name, whatever their order was."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Floats  # (measures, experiments, queries), NaN = undefined


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
    return Aligned(names, first.measures, first.query_ids, values)


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
    bits = int(np.ceil(np.log2(largest))) + int(np.ceil(np.log2(max(values.shape[1], 1)))) + 1
    step = 2.0 ** (bits - MANTISSA)
    return _without_noise(np.round(values / step) * step)


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
