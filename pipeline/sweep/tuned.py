"""What a sweep tuned: the value of every swept setting in the experiment it chose, and which queries chose it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.records import JobRecord, Scalar, Standing, Tuned
from pipeline.stats.words import shipped
from pipeline.sweep.axes import axis_settings, level_of
from pipeline.sweep.plan import TRIPLE


def tuned(standing: Standing, jobs: Sequence[JobRecord]) -> tuple[Tuned, ...]:
    """A row a setting of the chosen experiment in which those that have a value differ; none where nothing was chosen.

    With a holdout the experiment is the one chosen on the select part, whatever the confirm part said of it; else it is
    the one that the verdict ships, or the best observed where it ships none.
    """
    ranked = [job for job in jobs if job.state == "done" and standing.defined.get(job.name, {}).get(standing.primary)]
    chosen = _chosen(standing)
    own = next((job for job in ranked if job.name == chosen), None)
    if own is None or len(ranked) < 2:
        return ()
    tuned_on, measured_on = _queries(standing, chosen)
    rows = []
    for key in _swept(ranked):
        levels = {job.name: level_of(key, job.settings.get(key, "none")) for job in ranked}
        if (value := levels[chosen]) is not None:
            rows.append(Tuned(key, value, _listed(levels.values()), chosen, tuned_on, measured_on))
    return tuple(rows)


def tuned_note(rows: Sequence[Tuned]) -> tuple[str, ...]:
    """`Tuned on all 198 queries, measured on the same: bm25.k1 = 0.9.`, of numbers other than the chunk size."""
    numbers = [row for row in rows if row.setting not in TRIPLE and type(row.value) in (int, float)]
    if not numbers:
        return ()
    listed = ", ".join(f"{row.setting} = {row.value}" for row in numbers)
    return (f"Tuned on {rows[0].tuned_on}, measured on {rows[0].measured_on}: {listed}.",)


def _chosen(standing: Standing) -> str:
    if standing.confirmed is not None:
        return standing.confirmed.chosen
    found = shipped(standing)
    return standing.best if found is None else found.treatment


def _queries(standing: Standing, chosen: str) -> tuple[str, str]:
    """The queries that chose, and those that measure the gain."""
    if (held := standing.confirmed) is not None:
        return f"select part, {held.select_queries} queries", f"confirm part, {held.confirm_queries} queries"
    whole = f"all {standing.defined[chosen][standing.primary]} queries"
    if standing.cross_validated is not None:
        return whole, f"{len(standing.cross_validated.chosen)} folds, each by the choice of the others"
    return whole, "the same"


def _swept(jobs: Sequence[JobRecord]) -> list[str]:
    """Axes, and what goes with one."""
    levels, bound = axis_settings(jobs)
    return [*dict.fromkeys(axis for own in levels.values() for axis in own), *bound]


def _listed(levels: Iterable[Scalar | None]) -> str:
    """The distinct values, numbers by size and before words."""
    values = {level for level in levels if level is not None}
    return ", ".join(str(value) for value in sorted(values, key=lambda value: (isinstance(value, str), value)))
