"""Where a whole sweep stands: every experiment against the baseline, and which experiments may be the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from pipeline.records import Comparison, Interval, ScoreTable, Standing
from pipeline.stats.clusters import design_effect
from pipeline.stats.comparing import Named, described, judged
from pipeline.stats.families import family
from pipeline.stats.gain import expected_gain
from pipeline.stats.intervals import interval_of_mean, moments
from pipeline.stats.options import StatsOptions
from pipeline.stats.sweep import Sweep, checked
from pipeline.stats.weights import effective, mean_of

Nested = dict[str, dict[str, float]]


def standing(
    tables: Mapping[str, ScoreTable],
    *,
    baseline: str,
    primary: str,
    seed: int,
    options: StatsOptions = StatsOptions(),  # noqa: B008 - frozen
    clusters: Sequence[str] | None = None,
) -> Standing:
    """Every experiment against `baseline` on every measure, and the experiments that no other beats.

    The treatments on `primary` are one family, all pairs on `primary` another; other measures are description and get
    no verdict. Where the tables have weights, queries count by them everywhere. `clusters`: one label a query, for
    queries that are not independent. The result depends neither on the
    order of `tables` nor on anything but the values and `seed`. ComparisonError where tables do not fit together.
    """
    sweep = checked(tables, baseline, primary, seed, options, clusters)
    means, intervals, defined = _per_experiment(sweep)
    ranked = sorted(
        (name for name in sweep.aligned.names if defined[name][primary]), key=lambda name: (-means[name][primary], name)
    )
    comparisons = _against(sweep, baseline, primary, ranked)
    may_be_best, rivals = _set_of_best(sweep, primary, ranked)
    gain = expected_gain(sweep, primary, baseline)
    return Standing(
        primary=primary,
        baseline=baseline,
        best=ranked[0] if ranked else "",
        may_be_best=may_be_best,
        comparisons=comparisons,
        means=means,
        intervals=intervals,
        defined=defined,
        rivals=rivals,
        expected_gain=gain.interval if gain else None,
        expected_gain_mean=gain.mean if gain else None,
        notes=(*_weight_note(sweep, primary), *_cluster_notes(sweep, primary, baseline, ranked)),
        unweighted=_unweighted(sweep),
    )


def _per_experiment(sweep: Sweep) -> tuple[Nested, dict[str, dict[str, Interval]], dict[str, dict[str, int]]]:
    means: Nested = {}
    intervals: dict[str, dict[str, Interval]] = {}
    defined: dict[str, dict[str, int]] = {}
    aligned = sweep.aligned
    for position, name in enumerate(aligned.names):
        rows = dict(zip(aligned.measures, aligned.values[:, position], strict=True))
        defined[name] = {m: int((~np.isnan(row)).sum()) for m, row in rows.items()}
        means[name] = {m: mean_of(row, sweep.weights) for m, row in rows.items()}
        intervals[name] = {
            m: interval_of_mean(row, level=sweep.options.level, clusters=sweep.clusters, weights=sweep.weights)
            for m, row in rows.items()
        }
    return means, intervals, defined


def _unweighted(sweep: Sweep) -> Nested:
    """The means with every query counted once; empty where that is what the means are."""
    if sweep.weights is None:
        return {}
    aligned = sweep.aligned
    return {
        name: {m: mean_of(row, None) for m, row in zip(aligned.measures, aligned.values[:, position], strict=True)}
        for position, name in enumerate(aligned.names)
    }


def _against(sweep: Sweep, baseline: str, primary: str, ranked: Sequence[str]) -> tuple[Comparison, ...]:
    """Comparisons with the baseline: the primary measure first, within a measure in the order of `ranked`."""
    unranked = sorted(set(sweep.aligned.names) - set(ranked))
    family_of = [(name, baseline) for name in ranked if name != baseline and baseline in ranked]
    others = [(name, baseline) for name in (*ranked, *unranked) if name != baseline]
    first: tuple[Comparison, ...] = ()
    if family_of:
        named = Named.of(sweep, primary, family_of)
        first = judged(sweep, named, family(named.pairs, sweep.seed, sweep.options), len(family_of))
    rest = [Named.of(sweep, m, others) for m in sweep.aligned.measures if m != primary] if others else []
    return (*first, *described(sweep, rest))


def _set_of_best(sweep: Sweep, primary: str, ranked: Sequence[str]) -> tuple[tuple[str, ...], tuple[Comparison, ...]]:
    """Experiments that no other beats in the family of all pairs, and the best observed against each of them.

    The best observed is always one of them. As the family errs with a chance of alpha, the truly best one is among
    them with a chance of at least 1 - alpha. Pairs in which too few queries or clusters differ beat nobody.
    """
    if len(ranked) < 2:
        return tuple(ranked), ()
    named = Named.of(sweep, primary, list(combinations(ranked, 2)))
    tests = family(named.pairs, sweep.seed, sweep.options)
    means = moments(named.pairs)
    differing = named.pairs.wins + named.pairs.losses
    enough = differing >= sweep.options.minimum_differing
    if sweep.units is not None:
        enough &= means.degrees + 1 >= sweep.options.minimum_clusters
    settled = np.flatnonzero(enough & (tests.corrected <= sweep.options.alpha))
    beaten = {named.names[i][1 if means.mean[i] > 0 else 0] for i in settled} - {ranked[0]}
    members = tuple(name for name in ranked if name not in beaten)
    chosen = np.array([i for i, (a, b) in enumerate(named.names) if a == ranked[0] and b in members], np.int64)
    if not chosen.size:
        return members, ()
    rivals = Named.of(sweep, primary, [named.names[i] for i in chosen])
    return members, judged(sweep, rivals, tests.of(chosen), len(named.names))


def _weight_note(sweep: Sweep, primary: str) -> tuple[str, ...]:
    """What unequal weights cost, over the queries that have a value."""
    used = ~np.isnan(sweep.of(primary)).all(axis=0)
    if sweep.weights is None or not used.any():
        return ()
    return (
        f"Weighted by traffic: {int(used.sum())} queries count as about {float(effective(sweep.weights[used])):.0f}.",
    )


def _cluster_notes(sweep: Sweep, primary: str, baseline: str, ranked: Sequence[str]) -> tuple[str, ...]:
    """What clusters cost, by the difference of the best treatment from the baseline."""
    treatments = [name for name in ranked if name != baseline]
    if sweep.clusters is None or not treatments or baseline not in ranked:
        return ()
    values, names = sweep.of(primary), sweep.aligned.names
    found = design_effect(
        values[names.index(treatments[0])] - values[names.index(baseline)], sweep.clusters, sweep.weights
    )
    return (
        f"{found.queries} queries from {found.clusters} clusters: design effect {found.effect:.1f}, "
        f"as sure as {found.effective:.0f} independent queries. Means are over queries, not over clusters.",
    )
