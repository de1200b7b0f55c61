"""A checked sweep: aligned tables on an exact grid, units of resampling, seed and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import Floats, Longs, ScoreTable
from pipeline.stats.options import StatsOptions
from pipeline.stats.tables import Aligned, align, on_grid


@dataclass(frozen=True, eq=False)
class Sweep:
    """A checked sweep: what every step works on."""

    aligned: Aligned
    grid: tuple[Floats, ...]  # per measure (experiments, queries), sums exact
    units: Longs | None  # cluster of each query
    clusters: tuple[str, ...] | None
    seed: int
    options: StatsOptions

    @property
    def weights(self) -> Floats | None:
        """How much each query counts, on the grid; None = all alike."""
        return self.aligned.weights

    def of(self, measure: str) -> Floats:
        """The values (experiments, queries) of one measure."""
        return self.grid[self.aligned.measures.index(measure)]


def checked(
    tables: Mapping[str, ScoreTable],
    baseline: str,
    primary: str,
    seed: int,
    options: StatsOptions,
    clusters: Sequence[str] | None,
) -> Sweep:
    """What every step works on. ComparisonError where the tables do not fit together or something named is missing."""
    aligned = align(tables)
    if baseline not in aligned.names:
        raise ComparisonError(
            f"baseline {baseline!r} has no scores (failed, or not in this sweep); "
            f"choose one of {', '.join(aligned.names)}"
        )
    if primary not in aligned.measures:
        raise ComparisonError(
            f"primary measure {primary!r} was not scored; choose one of {', '.join(aligned.measures)}"
        )
    if clusters is not None and len(clusters) != len(aligned.query_ids):
        raise ComparisonError(f"{len(clusters)} cluster labels for {len(aligned.query_ids)} queries; give one a query")
    units = None if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)
    grid = tuple(on_grid(values) for values in aligned.values)
    return Sweep(aligned, grid, units, None if clusters is None else tuple(clusters), seed, options)
