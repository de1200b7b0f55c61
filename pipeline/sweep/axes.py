"""Where the variance comes from: the axes of a sweep, what each of them moves, and that in two lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import wrap

from pipeline.records import Contrast, JobRecord, Scalar, ScoreTable, Standing, SweepRecord
from pipeline.stats import StatsOptions, axes
from pipeline.stats.words import WIDTH
from pipeline.sweep.plan import GIVEN, TRIPLE
from pipeline.sweep.seeds import is_seed

FILE = "axes.csv"
LINES = 2  # of the terminal
STILL = ("does not matter", "identical")
LEVELS = (*GIVEN, "context")  # settings of which `none` is a level; elsewhere it means "has no part"

Levels = Mapping[str, Mapping[str, Scalar | None]]


def explained(
    standing: Standing,
    sweep: SweepRecord,
    tables: Mapping[str, ScoreTable],
    options: StatsOptions,
    clusters: Sequence[str] | None,
) -> Standing:
    """The standing with contrasts and shares of its axes and a note on them; as it is with fewer than two axes."""
    ranked = {name: table for name, table in tables.items() if standing.defined[name][standing.primary]}
    settings = axis_settings([job for job in sweep.jobs if job.name in ranked and job.state == "done"])
    if len({axis for levels in settings.values() for axis in levels}) < 2:
        return standing
    found = axes.contrasts(
        ranked, settings, primary=standing.primary, seed=sweep.seed, options=options, clusters=clusters
    )
    if not found:
        return standing
    notes = (*standing.notes, *axes_note(found, standing.primary, options.margin))
    return replace(
        standing, contrasts=found, shares=axes.shares(ranked, settings, primary=standing.primary), notes=notes
    )


def axis_settings(jobs: Sequence[JobRecord]) -> Levels:
    """Experiment -> axis -> level, None where the axis has no part; retriever, embedding and chunk size first.

    A setting that follows from an earlier axis (the limit of a model, an overlap that goes with the size) is no axis of
    its own: what moves with another cannot be told from it. Neither is a seed.
    """
    every = dict.fromkeys((*TRIPLE, *(key for job in jobs for key in job.settings)))
    kept: dict[str, dict[str, Scalar | None]] = {}
    for key in every:
        levels = {job.name: _level(key, job.settings.get(key, "none")) for job in jobs}
        if is_seed(key) or len(set(levels.values()) - {None}) < 2:
            continue
        if not any(_follows(levels, earlier) for earlier in kept.values()):
            kept[key] = levels
    return {job.name: {axis: levels[job.name] for axis, levels in kept.items()} for job in jobs}


def _level(key: str, value: Scalar) -> Scalar | None:
    return None if value == "none" and key not in LEVELS else value


def _follows(levels: Mapping[str, Scalar | None], earlier: Mapping[str, Scalar | None]) -> bool:
    """Whether the level of an experiment that has one is known from its level on the earlier axis."""
    known: dict[Scalar | None, Scalar] = {}
    return all(level is None or known.setdefault(earlier[name], level) == level for name, level in levels.items())


def axes_note(found: Sequence[Contrast], primary: str, margin: float) -> tuple[str, ...]:
    """`retriever moves nDCG@10 by 0.085 (bm25 to hybrid); chunk size does not matter within ±0.02`, two lines at most.

    An axis moves by its largest settled difference; it does not matter if that is settled for all pairs of its levels.
    """
    if all(contrast.verdict == "identical" for contrast in found):
        return ()  # the verdict says that all experiments are
    by_axis: dict[str, list[Contrast]] = {}
    for contrast in found:
        by_axis.setdefault(contrast.axis, []).append(contrast)
    moving = [_largest(rows) for rows in by_axis.values() if any(c.verdict == "matters" for c in rows)]
    still = [axis for axis, rows in by_axis.items() if all(c.verdict in STILL for c in rows)]
    moving.sort(key=lambda c: -abs(c.difference))
    clauses = [_moves(c, primary) for c in moving]
    if still:
        clauses.append(f"{_listed(still)} {'does' if len(still) == 1 else 'do'} not matter within ±{margin:g}")
    open_ones = [axis for axis in by_axis if axis not in still and axis not in {c.axis for c in moving}]
    if open_ones:
        clauses.append(f"cannot tell for {_listed(open_ones)}")
    while clauses:
        said = f"{'; '.join(clauses)} ({FILE})."
        if len(wrap(said, WIDTH, break_on_hyphens=False)) <= LINES:
            return (said,)
        clauses.pop()
    return ()


def _largest(rows: Sequence[Contrast]) -> Contrast:
    return max((c for c in rows if c.verdict == "matters"), key=lambda c: abs(c.difference))


def _moves(c: Contrast, primary: str) -> str:
    low, high = (c.against, c.level) if c.difference > 0 else (c.level, c.against)
    return f"{_word(c.axis)} moves {primary} by {abs(c.difference):.3f} ({low} to {high})"


def _listed(axes_named: Sequence[str]) -> str:
    words = [_word(axis) for axis in axes_named]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _word(axis: str) -> str:
    return axis.replace("_", " ").replace(".", " ")
