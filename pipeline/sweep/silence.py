"""What a sweep says about questions without an answer: a threshold is chosen and judged by the sweep's own parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from pipeline import stats
from pipeline.metrics import silence as measured
from pipeline.records import Bools, Floats, JobRecord, Longs, Queries, Run, Standing, SweepRecord, Tuned
from pipeline.stats.dealing import folds, holdout
from pipeline.storage.sweep_files import read_plan
from pipeline.sweep.choosing import strata
from pipeline.sweep.slices import apart

TELLS = 0.7  # area from which a threshold is worth a sentence

Labels: TypeAlias = Sequence[str] | None
Deal: TypeAlias = Callable[[Sequence[str], Labels, Labels], Longs]  # ids, strata, clusters -> part of each


def threshold_facts(
    run: Run, queries: Queries, primary: Floats, options: stats.StatsOptions, seed: int
) -> dict[str, float]:
    """`answer_threshold` and what it does on questions that did not choose it; empty without such questions.

    `primary`: the job's values. The parts are those that the sweep chooses and confirms on (`options.split`); questions
    that it deals into no part, as they have no value, are dealt alike. Without a split: one half by the seed.
    """
    if queries.answerable is None or len(set(queries.cluster or queries.ids)) < 2:
        return {}
    if options.split == "none":
        half = holdout(queries.ids, seed=seed, clusters=queries.cluster)
        return measured.held_out(run, queries.answerable, half.select, queries.weight)
    part = _parts(queries, _dealt_by_sweep(queries, primary), strata(options, queries.slices), _deal(options, seed))
    if options.split == "kfold":
        return measured.cross_validated(run, queries.answerable, part, queries.weight)
    return measured.held_out(run, queries.answerable, part == 0, queries.weight)


def _deal(options: stats.StatsOptions, seed: int) -> Deal:
    def in_two(ids: Sequence[str], labels: Labels, clusters: Labels) -> Longs:
        split = holdout(ids, seed=seed, share=options.select_share, strata=labels, clusters=clusters)
        return split.confirm.astype(np.int64)

    def in_folds(ids: Sequence[str], labels: Labels, clusters: Labels) -> Longs:
        units = len(set(clusters or ids))
        if units < 2:
            return np.zeros(len(ids), np.int64)
        return folds(ids, seed=seed, k=min(options.folds, units), strata=labels, clusters=clusters)

    return in_folds if options.split == "kfold" else in_two


def _dealt_by_sweep(queries: Queries, primary: Floats) -> Bools:
    """The questions that the sweep itself deals into parts."""
    used: Bools = ~np.isnan(primary)
    if queries.weight is not None:
        used &= queries.weight > 0
    machine = apart(queries.slices)
    others: Bools = used if machine is None else used & ~machine.synthetic
    return others if others.any() else used


def _parts(queries: Queries, first: Bools, labels: Labels, deal: Deal) -> Longs:
    """Part of every question: `first` are dealt as if there were no others; a cluster that is dealt takes its rest."""
    part = np.full(len(queries.ids), -1, np.int64)
    part[first] = _among(queries, first, labels, deal)
    if queries.cluster is not None:
        known = {queries.cluster[row]: int(part[row]) for row in np.flatnonzero(first)}
        part[:] = [known.get(label, -1) for label in queries.cluster]
    rest: Bools = part < 0
    part[rest] = _among(queries, rest, labels, deal)
    return part


def _among(queries: Queries, some: Bools, labels: Labels, deal: Deal) -> Longs:
    rows = np.flatnonzero(some).tolist()
    columns = [None if column is None else [column[row] for row in rows] for column in (labels, queries.cluster)]
    return deal([queries.ids[row] for row in rows], *columns) if rows else np.zeros(0, np.int64)


def silence(sweep: SweepRecord, standing: Standing) -> tuple[str, ...]:
    """How well the best and the baseline tell them from others by their first score; nothing without such questions."""
    jobs = {job.name: job for job in sweep.jobs if job.state == "done" and "answer_auroc" in job.facts}
    named = [jobs[name] for name in dict.fromkeys((standing.best, standing.baseline)) if name in jobs]
    if not named:
        return ()
    areas = ", ".join(f"{job.name} {job.facts['answer_auroc']:.3f}" for job in named)
    told = f"Questions without an answer, told by the first score (AUROC, 0.5 = chance): {areas}."
    if named[0].facts["answer_auroc"] < TELLS:
        return (told,)  # a threshold on such a score keeps nothing apart
    return (" ".join([told, *_threshold(named[0])]),)


def thresholds(jobs: Sequence[JobRecord]) -> tuple[Tuned, ...]:
    """Every job's threshold, with the questions that chose it and those that measure it."""
    found = [job for job in jobs if job.state == "done" and _tuned(job)]
    return tuple(
        Tuned("answer_threshold", job.facts["answer_threshold"], "every first score", job.name, *_questions(job))
        for job in found
    )


def _tuned(job: JobRecord) -> bool:
    """Whether it has a threshold and the questions that chose it; a sweep of an older version kept the first alone."""
    return {"answer_threshold", "answer_chosen_on"} <= set(job.facts)


def _questions(job: JobRecord) -> tuple[str, str]:
    """The questions that chose a job's threshold, and those that measure it."""
    plan = read_plan(Path(job.folder).parent)
    chosen, judged = (f"{job.facts[name]:.0f} queries" for name in ("answer_chosen_on", "answer_measured_on"))
    if (kind := plan.stats.get("split", "none")) == "kfold":
        return f"all {chosen}", f"{plan.stats['folds']} folds, each by the threshold of the others"
    if kind == "holdout":
        return f"select part, {chosen}", f"confirm part, {judged}"
    return f"one half by seed {plan.seed}, {chosen}", f"the other half, {judged}"


def _threshold(job: JobRecord) -> Iterator[str]:
    """What a threshold does on questions that did not choose it."""
    if "answer_threshold" not in job.facts:
        yield f"No threshold keeps answers without ground below {measured.MOST_ERROR:.0%}."
        return
    if not _tuned(job):
        return
    tuned_on, measured_on = _questions(job)
    error = job.facts.get("answer_error")
    wrong = "" if error is None else f", {error:.0%} of them without ground"
    yield (
        f"Above {job.facts['answer_threshold']:.4g} (tuned on {tuned_on}) {job.name} answers"
        f" {job.facts['answer_coverage']:.0%}{wrong} (measured on {measured_on})."
    )
