"""Where differences come from: what each axis of a sweep (chunk size, model, …) changes, over distinct experiments.

Axes are fixed, queries random. An axis that only some experiments have (the embedding, which bm25 lacks) is nested: its
levels are compared among those that have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from pipeline.records import Bools, Contrast, Floats, Interval, Scalar, ScoreTable, Share
from pipeline.stats.bootstrap import percentile_ends
from pipeline.stats.families import family
from pipeline.stats.intervals import around, moments, moments_of
from pipeline.stats.options import StatsOptions
from pipeline.stats.pairing import pair_up
from pipeline.stats.sweep import checked
from pipeline.stats.tables import on_grid

Settings = Mapping[str, Mapping[str, Scalar | None]]

TINY = 1e-9  # singular values and shares below it are rounding


def contrasts(
    tables: Mapping[str, ScoreTable],
    settings: Settings,
    *,
    primary: str,
    seed: int,
    options: StatsOptions = StatsOptions(),  # noqa: B008 - frozen
    clusters: Sequence[str] | None = None,
) -> tuple[Contrast, ...]:
    """Every two levels of every axis: the difference of cell means, per query, averaged over the cells both have.

    `settings`: experiment -> axis -> level, None (or no entry) where an axis does not apply. Queries undefined for any
    experiment are left out. Levels never run under equal circumstances give no contrast.
    """
    sweep = checked(tables, sorted(tables)[0], primary, seed, options, clusters)
    labels, weights, cells = _weights(sweep.aligned.names, settings)
    if not labels:
        return ()
    values = sweep.of(primary)
    values = np.where(np.isnan(values).any(axis=0), np.nan, values)
    rows = on_grid(np.vstack((np.array(weights) @ values, np.where(np.isnan(values[:1]), np.nan, 0.0))))
    left = np.arange(len(labels))
    pairs = pair_up(rows, left, np.full_like(left, len(labels)), sweep.units, sweep.weights)
    found, tests = moments(pairs), family(pairs, seed, options)
    ends = percentile_ends([pairs], seed, options)[0]
    differing = pairs.wins + pairs.losses
    enough: Bools = differing >= options.minimum_differing
    if sweep.units is not None:
        enough &= found.degrees + 1 >= options.minimum_clusters
    made = []
    for i, (axis, level, against) in enumerate(labels):
        mean, error = float(found.mean[i]), float(found.error[i])
        critical = float(tests.critical[i])
        joint = around(mean, error, critical, options.level, "simultaneous") if np.isfinite(critical) else None
        corrected = float(tests.corrected[i])
        low, high = (float(end) + 0.0 for end in ends[i])  # + 0.0: no -0
        interval = Interval(low, high, options.level, "percentile")
        verdict = _verdict(corrected, joint, options) if enough[i] else "cannot tell" if differing[i] else "identical"
        made.append(Contrast(axis, level, against, cells[i], mean, interval, joint, corrected, verdict))
    return tuple(made)


def _verdict(corrected: float, joint: Interval | None, options: StatsOptions) -> str:
    """Within the margin for sure comes first: a difference can be real and still not matter."""
    if joint is not None and -options.margin < joint.low and joint.high < options.margin:
        return "does not matter"
    return "matters" if corrected <= options.alpha else "cannot tell"


Label = tuple[str, Scalar, Scalar]


def _weights(names: Sequence[str], settings: Settings) -> tuple[list[Label], list[Floats], list[int]]:
    """Contrasts as weights over experiments, which add up to 0, and the number of cells of each."""
    levels = {axis: _levels(axis, names, settings) for axis in _axes(names, settings)}
    labels, weights, cells = [], [], []
    for axis, of_level in levels.items():
        for level, against in combinations(of_level, 2):
            shared = [
                other for other in levels if other != axis and _all_have(other, names, settings, (axis, level, against))
            ]
            by_cell = [_cells(names, settings, shared, axis, value) for value in (level, against)]
            common = sorted(set(by_cell[0]) & set(by_cell[1]))
            if not common:
                continue
            row = np.zeros(len(names))
            for cell in common:
                for sign, side in ((1.0, by_cell[0]), (-1.0, by_cell[1])):
                    row[side[cell]] += sign / len(side[cell]) / len(common)
            labels.append((axis, level, against))
            weights.append(row)
            cells.append(len(common))
    return labels, weights, cells


def _axes(names: Sequence[str], settings: Settings) -> list[str]:
    """Axes with at least two levels, in the order in which experiments name them."""
    seen = dict.fromkeys(axis for name in names for axis in settings[name])
    return [axis for axis in seen if len(_levels(axis, names, settings)) > 1]


def _levels(axis: str, names: Sequence[str], settings: Settings) -> list[Scalar]:
    found = {level for name in names if (level := settings[name].get(axis)) is not None}
    return sorted(found, key=lambda level: (isinstance(level, str), level))


def _all_have(other: str, names: Sequence[str], settings: Settings, of: Label) -> bool:
    """Whether every experiment at either level has the other axis."""
    axis, *both = of
    return all(settings[n].get(other) is not None for n in names if settings[n].get(axis) in both)


def _cells(
    names: Sequence[str], settings: Settings, shared: Sequence[str], axis: str, level: Scalar
) -> dict[str, list[int]]:
    """Experiments at a level, by their settings of the shared axes."""
    found: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        if settings[name].get(axis) == level:
            found.setdefault(repr([settings[name].get(other) for other in shared]), []).append(position)
    return found


def shares(tables: Mapping[str, ScoreTable], settings: Settings, *, primary: str) -> tuple[Share, ...]:
    """How the variance within queries divides among axes, pairs of axes, their dealings with queries, and the rest.

    By comparison of models (sums of squares of type II): an axis has what is lost when it alone is taken out of the
    model of all axes, a pair what is lost when it alone is taken out of that of all axes and pairs. The order of axes
    changes nothing. What chance alone lends to an axis (its mean square with queries) is moved to `axis x query`.
    Where the design is not balanced, `shared` is what all explain together beyond that (negative where an axis shows
    only once another is held equal). Shares add up to 1, all others are >= 0; none without variance, or without two
    experiments and two queries on which all are defined.
    """
    sweep = checked(tables, sorted(tables)[0], primary, 0, StatsOptions(), None)
    values = sweep.of(primary)
    used = ~np.isnan(values).any(axis=0)
    values = values[:, used]
    weights = np.ones(values.shape[1]) if sweep.weights is None else sweep.weights[used]
    if values.shape[1] < 2 or len(values) < 2:
        return ()
    centred = values - values.mean(axis=0)
    total = float((weights * centred**2).sum())
    if not total:
        return ()
    sources, whole = _bases(sweep.aligned.names, settings)
    explained = float((weights * (whole.T @ centred) ** 2).sum()) / total
    parts = []
    for source, basis in sources:
        along = basis.T @ centred
        found = moments_of(weights * along, np.broadcast_to(weights, along.shape))
        mean = float(weights.sum() * (found.mean**2).sum())
        within = float((weights * along**2).sum()) - mean
        by_chance = min(mean, float(weights.sum() * (found.error**2).sum()))
        for name, amount in ((source, mean - by_chance), (f"{source} x query", within + by_chance)):
            parts.append(Share(name, amount / total))
    shared = explained - sum(part.share for part in parts)
    if abs(shared) > TINY:
        parts.append(Share("shared", shared))
    return (*parts, Share("rest", max(1.0 - explained, 0.0)))


def _bases(names: Sequence[str], settings: Settings) -> tuple[list[tuple[str, Floats]], Floats]:
    """Orthonormal columns of what each axis, then each pair of axes, explains alone, and of the whole model."""
    axes = _axes(names, settings)
    mean = {(): np.ones((len(names), 1))}
    single = {(axis,): _columns(names, settings, (axis,)) for axis in axes}
    double = {pair: _columns(names, settings, pair) for pair in combinations(axes, 2)}
    found = []
    for own, model in ((single, mean | single), (double, mean | single | double)):
        for group, columns in own.items():
            others = _span(np.hstack([each for name, each in model.items() if name != group]))
            basis = _span(columns - others @ (others.T @ columns))
            if basis.shape[1]:
                found.append((" x ".join(group), basis))
    every = np.hstack([*single.values(), *double.values(), np.zeros((len(names), 1))])
    return found, _span(every - every.mean(axis=0))


def _columns(names: Sequence[str], settings: Settings, group: tuple[str, ...]) -> Floats:
    """A column for each setting of a group of axes, 0 for experiments that lack one of them.

    Free of what fewer of the axes explain among those that have them all: that bm25 has no model is the retriever's.
    """
    levels = [[settings[name].get(axis) for axis in group] for name in names]
    rows = [position for position, found in enumerate(levels) if None not in found]
    fewer = [np.ones((len(rows), 1))]
    if len(group) > 1:
        fewer += [_indicators([levels[row][place] for row in rows]) for place in range(len(group))]
    basis = _span(np.hstack(fewer))
    own = _indicators([levels[row] for row in rows])
    columns = np.zeros((len(names), own.shape[1]))
    columns[rows] = own - basis @ (basis.T @ own)
    return columns


def _indicators(keys: Sequence[object]) -> Floats:
    """A column of 0 and 1 for each distinct key."""
    texts = np.array([repr(key) for key in keys], dtype=str)
    columns: Floats = (texts[:, None] == np.unique(texts)).astype(np.float64)
    return columns


def _span(columns: Floats) -> Floats:
    """Orthonormal columns of the space that `columns` span."""
    left, size, _ = np.linalg.svd(columns, full_matrices=False)
    basis: Floats = left[:, size > TINY]
    return basis
