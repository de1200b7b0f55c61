"""Several seeds of one stochastic stage: averaged within a query first, never counted as more queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import ScoreTable
from pipeline.stats.tables import align


def average_seeds(tables: Sequence[ScoreTable]) -> ScoreTable:
    """One table whose values are means over seeds, query by query; undefined where any seed is undefined.

    A mean over the seeds that happen to be defined would compare different things from query to query. ComparisonError
    where the tables are not over the same queries and measures.
    """
    if not tables:
        raise ComparisonError("no seed has scores; nothing can be averaged")
    aligned = align({f"seed {i:04d}": table for i, table in enumerate(tables)})
    values = aligned.values.mean(axis=1)
    undefined = _undefined(tables, values, aligned.measures)
    return ScoreTable(aligned.measures, aligned.query_ids, values, undefined, tables[0].weights)


def _undefined(
    tables: Sequence[ScoreTable], values: np.ndarray, measures: Sequence[str]
) -> Mapping[str, Mapping[str, int]]:
    """The first table's reasons where they explain all, else the count under one reason."""
    counted: dict[str, Mapping[str, int]] = {}
    for measure, row in zip(measures, values, strict=True):
        missing = int(np.isnan(row).sum())
        reasons = tables[0].undefined.get(measure, {})
        if missing:
            counted[measure] = reasons if sum(reasons.values()) == missing else {"undefined for a seed": missing}
    return counted
