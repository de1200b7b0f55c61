"""Where the variance comes from: the axes of a sweep, what each of them moves, and that in two lines."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import NamedTuple

from pipeline.citations import of_answers
from pipeline.records import Contrast, JobRecord, Scalar, ScoreTable, Standing, SweepRecord
from pipeline.stats import StatsOptions, axes
from pipeline.stats.words import WIDTH
from pipeline.sweep.plan import GIVEN, TRIPLE
from pipeline.sweep.seeds import is_seed

FILE = "axes.csv"
LINES = 2  # of the terminal
SHOWN = 3  # settings named together
STILL = ("does not matter", "identical")
LEVELS = (*GIVEN, "context")  # settings of which `none` is a level; elsewhere it means "has no part"

Levels = Mapping[str, Mapping[str, Scalar | None]]


class Axes(NamedTuple):
    """What a sweep varies."""

    levels: Levels  # experiment -> axis -> level
    bound: Mapping[str, str]  # a setting that goes with an axis and is none of its own -> that axis


def explained(
    standing: Standing,
    sweep: SweepRecord,
    tables: Mapping[str, ScoreTable],
    options: StatsOptions,
    clusters: Sequence[str] | None,
) -> Standing:
    """The standing with contrasts and shares of its axes, where it has two, and notes on what is told apart."""
    ranked = {name: table for name, table in tables.items() if standing.defined[name][standing.primary]}
    settings, bound = axis_settings(_of_primary(sweep, standing.primary, ranked))
    names = list(dict.fromkeys(axis for levels in settings.values() for axis in levels))
    notes = (*standing.notes, *bound_note(bound))
    if len(names) < 2:
        return replace(standing, notes=notes)
    found = axes.contrasts(
        ranked, settings, primary=standing.primary, seed=sweep.seed, options=options, clusters=clusters
    )
    never = [axis for axis in names if axis not in {contrast.axis for contrast in found}]
    notes = (*notes, *axes_note(found, standing.primary, options.margin), *_never_note(never))
    if not found:
        return replace(standing, notes=notes)
    return replace(
        standing, contrasts=found, shares=axes.shares(ranked, settings, primary=standing.primary), notes=notes
    )


def _of_primary(sweep: SweepRecord, primary: str, names: Container[str]) -> list[JobRecord]:
    """The jobs of these names, with the settings that can move the primary measure: answers move no ranking."""
    done = [job for job in sweep.jobs if job.name in names and job.state == "done"]
    if of_answers(primary):
        return done
    return [replace(job, settings={k: v for k, v in job.settings.items() if k != "answers"}) for job in done]


def axis_settings(jobs: Sequence[JobRecord]) -> Axes:
    """The axes, retriever, embedding and chunk size first; the level is None where an axis has no part.

    A setting that follows from an earlier axis (an overlap that goes with the size) is no axis of its own: what moves
    with another cannot be told from it. It is bound, unless it belongs to what the axis chooses (the limit of a model).
    A seed is no axis.
    """
    every = dict.fromkeys((*TRIPLE, *(key for job in jobs for key in job.settings)))
    kept: dict[str, dict[str, Scalar | None]] = {}
    bound: dict[str, str] = {}
    for key in every:
        levels = {job.name: level_of(key, job.settings.get(key, "none")) for job in jobs}
        if is_seed(key) or len(set(levels.values()) - {None}) < 2:
            continue
        leader = next((axis for axis, earlier in kept.items() if _follows(levels, earlier)), None)
        if leader is None:
            kept[key] = levels
        elif key.partition(".")[0] != leader:
            bound[key] = leader
    return Axes({job.name: {axis: levels[job.name] for axis, levels in kept.items()} for job in jobs}, bound)


def level_of(key: str, value: Scalar) -> Scalar | None:
    """The value of a setting, None where it has no part in the experiment."""
    return None if value == "none" and key not in LEVELS else value


def _follows(levels: Mapping[str, Scalar | None], earlier: Mapping[str, Scalar | None]) -> bool:
    """Whether the level of an experiment that has one is known from its level on the earlier axis."""
    known: dict[Scalar | None, Scalar] = {}
    return all(level is None or known.setdefault(earlier[name], level) == level for name, level in levels.items())


def bound_note(bound: Mapping[str, str]) -> tuple[str, ...]:
    """`chunk overlap goes with chunk size and is not told apart from it.`, a sentence an axis."""
    by_axis: dict[str, list[str]] = {}
    for setting, axis in bound.items():
        by_axis.setdefault(axis, []).append(setting)
    return tuple(
        f"{_listed(own)} {'goes' if len(own) == 1 else 'go'} with {_word(axis)} and"
        f" {'is' if len(own) == 1 else 'are'} not told apart from it."
        for axis, own in by_axis.items()
    )


def _never_note(never: Sequence[str]) -> tuple[str, ...]:
    """What the sweep varies, but never with all else equal."""
    return (f"No two experiments differ in {_listed(never)} alone: not told apart.",) if never else ()


def axes_note(found: Sequence[Contrast], primary: str, margin: float) -> tuple[str, ...]:
    """`retriever moves nDCG@10 by 0.085 (bm25 to hybrid); chunk size does not matter within ±0.02`, two lines at most.

    An axis moves by its largest settled difference; it does not matter if that is settled for all pairs of its levels.
    Where no query differs, that is said: of a few queries it is no proof that the axis does not matter.
    """
    if all(contrast.verdict == "identical" for contrast in found):
        return ()  # the verdict says that all experiments are
    by_axis: dict[str, list[Contrast]] = {}
    for contrast in found:
        by_axis.setdefault(contrast.axis, []).append(contrast)
    moving = [_largest(rows) for rows in by_axis.values() if any(c.verdict == "matters" for c in rows)]
    idle = [axis for axis, rows in by_axis.items() if all(c.verdict == "identical" for c in rows)]
    still = [axis for axis, rows in by_axis.items() if axis not in idle and all(c.verdict in STILL for c in rows)]
    moving.sort(key=lambda c: -abs(c.difference))
    clauses = [_moves(c, primary) for c in moving]
    if still:
        clauses.append(f"{_listed(still)} {'does' if len(still) == 1 else 'do'} not matter within ±{margin:g}")
    if idle:
        clauses.append(f"{_listed(idle)} {'changes' if len(idle) == 1 else 'change'} no value here")
    open_ones = [axis for axis in by_axis if axis not in (*idle, *still, *(c.axis for c in moving))]
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
    words = words if len(words) <= SHOWN else [*words[: SHOWN - 1], f"{len(words) - SHOWN + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _word(axis: str) -> str:
    return axis.replace("_", " ").replace(".", " ")
