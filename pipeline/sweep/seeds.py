"""Experiments that differ in a seed alone are one experiment: averaged within each query, never more queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pipeline.records import JobRecord, Scalar, SweepRecord
from pipeline.stats.seeds import average_seeds


class Averaged(NamedTuple):
    """The sweep with one experiment for all its seeds, and what must be said of that."""

    sweep: SweepRecord
    notes: tuple[str, ...]


def averaged(sweep: SweepRecord) -> Averaged:
    """The first job of a group of seeds holds the mean of all; the others become its twins.

    Jobs that have the same seed and still are not the same experiment differ in something else: they stay apart.
    """
    groups: dict[tuple[tuple[str, Scalar], ...], list[JobRecord]] = {}
    for job in sweep.jobs:
        if job.state == "done" and job.scores is not None:
            groups.setdefault(_apart_from_seeds(job), []).append(job)
    merged = [
        group for group in groups.values() if len(group) > 1 and len({_seeds(job) for job in group}) == len(group)
    ]
    if not merged:
        return Averaged(sweep, ())
    first = {job.number: group for group in merged for job in group[:1]}
    later = {job.number: group[0] for group in merged for job in group[1:]}
    names = {job.name: _name(group[0]) for group in merged for job in group}
    jobs = tuple(
        _mean(job, first[job.number])
        if job.number in first
        else replace(job, state="twin", same_as=later[job.number].number)
        if job.number in later
        else job
        for job in sweep.jobs
    )
    named = replace(sweep, jobs=jobs, baseline=names.get(sweep.baseline, sweep.baseline))
    return Averaged(named, (_note(merged),))


def is_seed(setting: str) -> bool:
    """Whether a setting is a seed: of the run, or of one of its components."""
    return setting.rpartition(".")[2] == "seed"


def _apart_from_seeds(job: JobRecord) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted((key, value) for key, value in job.settings.items() if not is_seed(key)))


def _seeds(job: JobRecord) -> tuple[tuple[str, Scalar], ...]:
    return tuple(sorted((key, value) for key, value in job.settings.items() if is_seed(key)))


def _note(merged: Sequence[Sequence[JobRecord]]) -> str:
    """What to say of the groups; where no seed changed a value, that there was nothing to average."""
    counts = sorted({len(group) for group in merged})
    seeds = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    one = len(merged) == 1
    ran = f"{len(merged)} experiment{'' if one else 's'} ran with {seeds} seeds{'' if one else ' each'}"
    if all(_same_values(group) for group in merged):
        return f"{ran}, and no value depends on the seed; seeds add no queries."
    return f"{ran}: {'its' if one else 'their'} values are means over seeds, query by query; seeds add no queries."


def _same_values(group: Sequence[JobRecord]) -> bool:
    tables = [job.scores.values for job in group if job.scores is not None]
    return all(np.array_equal(tables[0], other, equal_nan=True) for other in tables[1:])


def _mean(job: JobRecord, group: Sequence[JobRecord]) -> JobRecord:
    tables = [each.scores for each in group if each.scores is not None]
    return replace(job, name=_name(job), scores=average_seeds(tables))


def _name(job: JobRecord) -> str:
    """The name without its seeds."""
    name = job.name
    for _, value in _seeds(job):
        name = re.sub(rf"-seed:{re.escape(str(value))}(?=-|$)", "", name)
    return name
