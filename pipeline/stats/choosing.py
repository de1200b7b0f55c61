"""After choosing the best of many: three numbers that are never mixed.

Best observed   the highest mean: too high, because it was chosen for being high (`Standing.means`).
Confirmed       chosen on one part of the queries, measured on the other alone.
Expected gain   of choosing this way: averaged over half-splits (gain.py); slightly low, as a choice sees only half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import Bools, Comparison, Floats, Interval, Longs, ScoreTable
from pipeline.stats.dealing import Split
from pipeline.stats.intervals import interval_of_mean
from pipeline.stats.options import StatsOptions
from pipeline.stats.standing import standing
from pipeline.stats.sweep import Sweep, checked


@dataclass(frozen=True)
class Confirmed:
    """An experiment chosen on the select part, and its gain from the confirm part alone."""

    chosen: str
    observed: float  # gain over the baseline on the select part: too high
    select_queries: int
    confirm_queries: int
    comparison: Comparison | None  # on the confirm part, one comparison, nothing to correct; None = the baseline won
    note: str  # "reused" once the confirm part has served before


def confirmed(
    tables: Mapping[str, ScoreTable],
    split: Split,
    *,
    baseline: str,
    primary: str,
    options: StatsOptions = StatsOptions(),  # noqa: B008 - frozen
) -> Confirmed:
    """The best experiment of the select part, tested against the baseline on the confirm part.

    Once the confirm part has served before (`split.uses`), it no longer confirms as it did, and the note says so.
    """
    sweep = checked(tables, baseline, primary, split.seed, options, split.clusters)
    values = sweep.aligned.values[sweep.aligned.measures.index(primary)]
    chosen, observed = _best(sweep, values[:, split.select], baseline)
    comparison = None
    if chosen != baseline:
        kept = {name: _some(tables[name], split.confirm) for name in (baseline, chosen)}
        labels = None if split.clusters is None else np.array(split.clusters)[split.confirm].tolist()
        found = standing(
            kept,
            baseline=baseline,
            primary=primary,
            seed=split.seed,
            options=replace(options, half_splits=0),
            clusters=labels,
        )
        comparison = next((c for c in found.comparisons if c.measure == primary), None)
    note = f"reused: the confirm part has served {split.uses} times before" if split.uses else ""
    return Confirmed(chosen, observed, int(split.select.sum()), int(split.confirm.sum()), comparison, note)


def _best(sweep: Sweep, values: Floats, baseline: str) -> tuple[str, float]:
    """The name with the highest mean (the first by name of equal ones), and its gain over the baseline."""
    if np.isnan(values).all(axis=1).any():
        raise ComparisonError("the select part has no defined value for some experiment; give it more queries")
    means = np.nanmean(values, axis=1)
    best = int(np.argmax(means))
    return sweep.aligned.names[best], float(means[best] - means[sweep.aligned.names.index(baseline)])


def _some(table: ScoreTable, chosen: Bools) -> ScoreTable:
    ids = tuple(query for query, use in zip(table.query_ids, chosen, strict=True) if use)
    return ScoreTable(table.measures, ids, table.values[:, chosen])


@dataclass(frozen=True)
class CrossValidated:
    """The best of every fold's other queries, measured on the fold."""

    gain: float  # mean over queries of (chosen for the query's fold - baseline)
    interval: Interval
    chosen: tuple[str, ...]  # one a fold


def cross_validated(
    tables: Mapping[str, ScoreTable],
    *,
    baseline: str,
    primary: str,
    fold: Longs,
    options: StatsOptions = StatsOptions(),  # noqa: B008 - frozen
    clusters: Sequence[str] | None = None,
) -> CrossValidated:
    """k-fold cross-validation of the whole choice: no query is measured with an experiment that it helped to choose.

    `fold`: fold of every query, from `folds`. The interval takes the choices as given.
    """
    sweep = checked(tables, baseline, primary, 0, options, clusters)
    values = sweep.aligned.values[sweep.aligned.measures.index(primary)]
    place = sweep.aligned.names.index(baseline)
    differences = np.full(values.shape[1], np.nan)
    chosen = []
    for part in np.unique(fold):
        name, _ = _best(sweep, values[:, fold != part], baseline)
        chosen.append(name)
        differences[fold == part] = (values[sweep.aligned.names.index(name)] - values[place])[fold == part]
    interval = interval_of_mean(differences, level=options.level, clusters=clusters)
    return CrossValidated(float(np.nanmean(differences)), interval, tuple(chosen))
