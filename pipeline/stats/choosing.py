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
from pipeline.records import Bools, Confirmed, CrossValidated, Floats, Longs, ScoreTable, Standing
from pipeline.stats.dealing import Split, folds, holdout
from pipeline.stats.intervals import interval_of_mean
from pipeline.stats.options import StatsOptions
from pipeline.stats.standing import standing
from pipeline.stats.sweep import Sweep, checked
from pipeline.stats.weights import mean_of


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
    chosen, observed = _best(sweep, values, split.select, baseline)
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
    times = "once" if split.uses == 1 else f"{split.uses} times"
    note = f"reused: the confirm part has served {times} before" if split.uses else ""
    return Confirmed(chosen, observed, int(split.select.sum()), int(split.confirm.sum()), comparison, note)


def _best(sweep: Sweep, values: Floats, select: Bools, baseline: str) -> tuple[str, float]:
    """The name with the highest mean (the first by name of equal ones), and its gain over the baseline."""
    weights = None if sweep.weights is None else sweep.weights[select]
    means = np.array([mean_of(row, weights) for row in values[:, select]])
    if np.isnan(means).any():
        raise ComparisonError("the select part has no defined value for some experiment; give it more queries")
    best = int(np.argmax(means))
    return sweep.aligned.names[best], float(means[best] - means[sweep.aligned.names.index(baseline)])


def _some(table: ScoreTable, chosen: Bools) -> ScoreTable:
    ids = tuple(query for query, use in zip(table.query_ids, chosen, strict=True) if use)
    weights = None if table.weights is None else table.weights[chosen]
    return ScoreTable(table.measures, ids, table.values[:, chosen], weights=weights)


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
        name, _ = _best(sweep, values, fold != part, baseline)
        chosen.append(name)
        differences[fold == part] = (values[sweep.aligned.names.index(name)] - values[place])[fold == part]
    interval = interval_of_mean(differences, level=options.level, clusters=clusters, weights=sweep.weights)
    return CrossValidated(mean_of(differences, sweep.weights), interval, tuple(chosen))


@dataclass(frozen=True)
class Dealing:
    """How the queries are dealt into parts."""

    seed: int
    strata: Sequence[str] | None = None  # one label a query
    clusters: Sequence[str] | None = None  # one label a query; they stay whole
    uses: int = 0  # how often the confirm part has served before


def after_choosing(
    standing: Standing, tables: Mapping[str, ScoreTable], dealing: Dealing, options: StatsOptions
) -> Standing:
    """The standing with the number that `options.split` asks for, or with a note that says why there is none.

    Queries of weight 0, or on which no experiment has a value, are dealt into no part; nor do experiments without a
    value take part.
    """
    primary = standing.primary
    ranked = {name: table for name, table in tables.items() if standing.defined[name][primary]}
    if options.split == "none" or len(ranked) < 2 or standing.baseline not in ranked:
        return standing
    one = next(iter(ranked.values()))
    row = one.measures.index(primary)
    used: Bools = np.any([~np.isnan(table.values[row]) for table in ranked.values()], axis=0)
    used &= True if one.weights is None else one.weights > 0
    groups = one.query_ids if dealing.clusters is None else dealing.clusters
    units = len({group for group, use in zip(groups, used, strict=True) if use})
    needed = options.folds if options.split == "kfold" else 2
    if units < needed:
        return _unsplit(standing, options, f"{needed} queries or clusters are needed, there are {units}")
    try:
        if options.split == "kfold":
            found = _folded(standing, ranked, used, dealing, options)
            return replace(standing, cross_validated=found)
        return replace(standing, confirmed=_held_out(standing, ranked, used, dealing, options))
    except ComparisonError as error:
        return _unsplit(standing, options, str(error))


def _unsplit(standing: Standing, options: StatsOptions, why: str) -> Standing:
    return replace(standing, notes=(*standing.notes, f"split={options.split} says nothing here: {why}."))


def _held_out(
    standing: Standing, tables: Mapping[str, ScoreTable], used: Bools, dealing: Dealing, options: StatsOptions
) -> Confirmed:
    ids, strata, clusters = _labels(tables, used, dealing)
    part = holdout(ids, seed=dealing.seed, share=options.select_share, strata=strata, clusters=clusters)
    select, confirm = np.zeros_like(used), np.zeros_like(used)
    select[used], confirm[used] = part.select, part.confirm
    if not (select.any() and confirm.any()):
        raise ComparisonError("one of the two parts is empty; its clusters are too large")
    every = None if dealing.clusters is None else tuple(dealing.clusters)
    split = Split(select, confirm, dealing.seed, every, dealing.uses)
    return confirmed(tables, split, baseline=standing.baseline, primary=standing.primary, options=options)


def _folded(
    standing: Standing, tables: Mapping[str, ScoreTable], used: Bools, dealing: Dealing, options: StatsOptions
) -> CrossValidated:
    ids, strata, clusters = _labels(tables, used, dealing)
    some = {name: _some(table, used) for name, table in tables.items()}
    fold = folds(ids, seed=dealing.seed, k=options.folds, strata=strata, clusters=clusters)
    return cross_validated(
        some, baseline=standing.baseline, primary=standing.primary, fold=fold, options=options, clusters=clusters
    )


def _labels(
    tables: Mapping[str, ScoreTable], used: Bools, dealing: Dealing
) -> tuple[tuple[str, ...], list[str] | None, list[str] | None]:
    """Ids, strata and clusters of the queries used."""
    ids = np.array(next(iter(tables.values())).query_ids, object)[used]
    strata, clusters = (
        None if labels is None else [label for label, use in zip(labels, used, strict=True) if use]
        for labels in (dealing.strata, dealing.clusters)
    )
    return tuple(ids.tolist()), strata, clusters
