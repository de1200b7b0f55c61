"""The order of a leaderboard: distinct experiments, best first, with those that have no number behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pipeline.records import Comparison, Interval, JobRecord, Scalar, Standing, SweepRecord

_PARTS = ("retriever", "embedding", "chunk_size")


@dataclass(frozen=True, eq=False)
class Row:
    """One distinct experiment. `rank` is None without a value on the primary measure."""

    rank: int | None
    job: JobRecord
    means: Mapping[str, float]  # measure -> mean over the queries where it is defined
    intervals: Mapping[str, Interval]
    defined: Mapping[str, int]
    may_be_best: bool
    comparison: Comparison | None  # with the baseline, on the primary measure
    unweighted: Mapping[str, float]  # `means` with every query counted once; empty without weights


def board(sweep: SweepRecord, standing: Standing | None) -> tuple[Row, ...]:
    """Rows by the mean of the primary measure, equal means by job number; then the jobs that have none."""
    rows = [_row(job, sweep.primary, standing) for job in sweep.jobs if job.state != "twin"]
    valued = sorted((r for r in rows if _value(r, sweep) is not None), key=lambda r: (-_ranked(r, sweep), r.job.number))
    others = sorted((r for r in rows if _value(r, sweep) is None), key=lambda r: (r.job.state != "done", r.job.number))
    ranked = [_with_rank(row, place) for place, row in enumerate(valued, 1)]
    return (*ranked, *others)


def parts(sweep: SweepRecord) -> Mapping[str, tuple[str, ...]]:
    """Name -> cells that say what it is: retriever, embedding and chunk size, or just the name.

    The three settings stand for the names where every name is made of them alone and no two experiments share them.
    """
    jobs = [job for job in sweep.jobs if job.state != "twin"]
    cells = {job.name: _cells(job.settings) for job in jobs}
    if len(set(cells.values())) == len(jobs) and all(_made_of(name, cell) for name, cell in cells.items()):
        return cells
    return {job.name: (job.name,) for job in jobs}


def _row(job: JobRecord, primary: str, standing: Standing | None) -> Row:
    means, defined = _measured(job)
    intervals: Mapping[str, Interval] = {}
    comparison = None
    if standing is not None and job.name in standing.means:
        means, defined = standing.means[job.name], standing.defined.get(job.name, {})
        intervals = standing.intervals.get(job.name, {})
        matching = (c for c in standing.comparisons if c.treatment == job.name and c.measure == primary)
        comparison = next((c for c in matching if c.baseline == standing.baseline), None)
    tied = standing is not None and len(standing.may_be_best) > 1 and job.name in standing.may_be_best
    unweighted = {} if standing is None else standing.unweighted.get(job.name, {})
    return Row(None, job, means, intervals, defined, tied, comparison, unweighted)


def _measured(job: JobRecord) -> tuple[Mapping[str, float], Mapping[str, int]]:
    if job.scores is None or job.state != "done":
        return {}, {}
    known = ~np.isnan(job.scores.values)
    counts = {name: int(known[i].sum()) for i, name in enumerate(job.scores.measures)}
    means = {
        name: float(job.scores.values[i][known[i]].mean()) if counts[name] else math.nan
        for i, name in enumerate(job.scores.measures)
    }
    return means, counts


def _value(row: Row, sweep: SweepRecord) -> float | None:
    value = row.means.get(sweep.primary, math.nan)
    return None if row.job.state != "done" or math.isnan(value) else value


def _ranked(row: Row, sweep: SweepRecord) -> float:
    return row.means[sweep.primary]


def _with_rank(row: Row, rank: int) -> Row:
    return replace(row, rank=rank)


def _cells(settings: Mapping[str, Scalar]) -> tuple[str, ...]:
    values = [str(settings.get(part, "none")) for part in _PARTS]
    return tuple("-" if value in ("none", "None", "") else value for value in values)


def _made_of(name: str, cells: tuple[str, ...]) -> bool:
    """Whether `name` joins some of `cells`, in their order, by hyphens."""
    rest = name
    for cell in cells:
        if rest == cell:
            return True
        rest = rest.removeprefix(f"{cell}-")
    return False
