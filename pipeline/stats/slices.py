"""The same comparison on parts of the queries: description without verdicts, for seeing where a difference lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import Comparison, ScoreTable
from pipeline.stats.comparing import Named, described
from pipeline.stats.families import benjamini_hochberg
from pipeline.stats.options import StatsOptions
from pipeline.stats.sweep import checked


def by_slice(
    tables: Mapping[str, ScoreTable],
    labels: Sequence[str],
    *,
    baseline: str,
    primary: str,
    seed: int,
    options: StatsOptions = StatsOptions(),  # noqa: B008 - frozen
) -> Mapping[str, tuple[Comparison, ...]]:
    """Label -> every experiment against `baseline` on the queries with that label; labels "" are left out.

    With `options.describe == "bh"` p is corrected over all slices and treatments at once. ComparisonError where labels
    and queries differ in number.
    """
    sweep = checked(tables, baseline, primary, seed, replace(options, describe="none"), None)
    if len(labels) != len(sweep.aligned.query_ids):
        raise ComparisonError(
            f"{len(labels)} slice labels for {len(sweep.aligned.query_ids)} queries; give one a query"
        )
    others = [(name, baseline) for name in sweep.aligned.names if name != baseline]
    given = np.asarray(labels)
    found = {
        str(label): described(sweep, [Named.of(sweep, primary, others, given == label)])
        for label in sorted(set(labels) - {""})
    }
    return _corrected(found) if options.describe == "bh" else found


def _corrected(found: Mapping[str, tuple[Comparison, ...]]) -> Mapping[str, tuple[Comparison, ...]]:
    p = benjamini_hochberg(np.array([c.p for rows in found.values() for c in rows]))
    rest = iter(p.tolist())
    return {
        label: tuple(replace(c, p_corrected=next(rest), correction="bh") for c in rows) for label, rows in found.items()
    }
