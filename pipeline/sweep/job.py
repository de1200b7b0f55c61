"""One job: runs its experiment and writes its folder. What went wrong stands in `state.json`.

It raises only what must end the whole sweep: an interrupt, and a disk that takes no more.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline import experiment
from pipeline.answers.precomputed import with_all
from pipeline.citations import of_answers
from pipeline.config import Point
from pipeline.errors import EnvironmentFault, PipelineError
from pipeline.experiment import Result
from pipeline.metrics.budget import found_within
from pipeline.records import Dataset, Floats, JobRecord, ScoreTable
from pipeline.report.tables import write_csv
from pipeline.report.worst import Job, worst_rows
from pipeline.storage.entries import write_text
from pipeline.storage.job_files import JobState, read_manifest, read_state, write_result, write_state
from pipeline.storage.sweep_files import PlannedJob, read_plan, read_sweep
from pipeline.sweep import process
from pipeline.sweep.plan import for_dataset, software
from pipeline.sweep.silence import threshold_facts
from pipeline.tracking.payload import Extras

UNJUDGED_AT = 10  # hits looked at for the caution about unjudged documents
TRACEBACK, WORST = "traceback.txt", "worst_queries.csv"


def perform(point: Point, planned: PlannedJob, folder: Path, cache_dir: str, *, measures: Sequence[str]) -> JobState:
    """Runs one planned job in `folder`; done jobs of a resumed sweep are left as they are.

    `measures`: those of the whole sweep; what this job's answers bring nothing for stands in its table, undefined.
    """
    if read_state(folder).state in ("done", "twin") or not process.chosen(planned.number):
        return read_state(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if planned.same_as is not None:
        return _write(folder, JobState("twin", same_as=planned.same_as))
    clock = process.SystemClock()
    started = clock.seconds()
    write_state(folder, JobState("running"))
    try:
        dataset = process.load(point.source)
        ready = for_dataset(point, dataset)
        stages = process.stages(cache_dir)
        result = experiment.run(ready.experiment, dataset, stages=stages, reporter=process.reporter(), clock=clock)
        manifest = _manifest(ready, planned, result, dataset)
        scored = ready.answers.score(result.scores, dataset, result.retrieved, folder, ready.seed)
        scores = with_all(scored.table, filter(of_answers, measures))
        told = {**scored.facts, **_threshold(ready, result, scores, dataset, folder)}
        manifest |= {"measures": list(scores.measures), "facts": {**manifest["facts"], **told}}
        write_result(folder, manifest, scores, result.retrieved, dataset)
        write_csv(folder / WORST, worst_rows(dataset, _job(ready, result), str(ready.primary)))
        state = JobState("done", seconds=round(clock.seconds() - started, 3))
    except KeyboardInterrupt:
        _write(folder, JobState("killed", "interrupted", seconds=round(clock.seconds() - started, 3)))
        raise
    except Exception as error:  # the border of a job: whatever it is, the other jobs go on
        if isinstance(error, EnvironmentFault) or process.is_disk_fault(error):  # nothing is wrong with the job
            with contextlib.suppress(OSError):
                _write(folder, JobState("killed", "stopped: disk or permissions"))
            raise
        state = _failed(error, folder, round(clock.seconds() - started, 3))
        process.warn(f"job {planned.number} {planned.name} FAILED: {state.reason}  ({folder})")
    return _write(folder, state)


def mirror(point: Point, sweep_folder: Path, number: int) -> None:
    """Copies a job that has just ended to the tracking store; what fails here is made up for when the sweep ends."""
    sweep = read_sweep(sweep_folder)
    job = sweep.jobs[number]
    with contextlib.suppress(PipelineError):
        point.tracking.mirror_job(job, sweep, extras(job, process.query_texts(point.source)))


def extras(job: JobRecord, texts: Mapping[str, str]) -> Extras:
    """What a job's manifest adds to its record."""
    if job.state != "done":
        return Extras()
    manifest = read_manifest(Path(job.folder))
    curves = {word: {int(k): float(v) for k, v in curve.items()} for word, curve in manifest["curves"].items()}
    return Extras(curves=curves, texts=texts, commit=str(manifest["software"].get("commit", "")))


def _write(folder: Path, state: JobState) -> JobState:
    write_state(folder, state)
    return state


def _failed(error: Exception, folder: Path, seconds: float) -> JobState:
    if isinstance(error, MemoryError):
        reason = "out of memory; try embedding.batch_size=8 or a smaller depth"
    elif isinstance(error, PipelineError):
        reason = str(error)
    else:
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")
    if not isinstance(error, PipelineError):
        write_text(folder / TRACEBACK, traceback.format_exc())
    return JobState("failed", reason, seconds=seconds)


def _job(point: Point, result: Result) -> Job:
    scored, cutoff = result.scored, point.primary.cutoff
    return Job(
        scores=scored.table,
        documents=result.retrieved.documents,
        documents_held=scored.held.documents,
        spans_held=scored.held.spans,
        straddled=scored.straddled,
        depth=point.experiment.depth,
        cutoff=cutoff if cutoff is not None and point.primary.counted == "ranks" else point.experiment.depth,
        budget=found_within(point.experiment.measures),
    )


def _manifest(point: Point, planned: PlannedJob, result: Result, dataset: Dataset) -> dict[str, Any]:
    return {
        "name": planned.name,
        "number": planned.number,
        "key": planned.key,
        "stages": dict(result.keys.__dict__),
        "overrides": list(planned.overrides),
        "settings": dict(planned.settings),
        "config": dict(point.config),
        "dataset": {"name": dataset.name, "version": dataset.version, "digest": dataset.digests.whole},
        "measures": list(result.scores.measures),
        "seed": point.seed,
        "facts": _facts(result, dataset),
        "latency_ms": [round(float(value), 3) for value in result.retrieved.latency_ms],
        "probe": dict(result.retrieved.machine),
        "curves": {word: {str(k): value for k, value in curve.items()} for word, curve in result.scored.curves.items()},
        "software": software(),
    }


def _facts(result: Result, dataset: Dataset) -> Mapping[str, float]:
    retrieved = result.retrieved
    facts = {name: value for name, value in result.facts.items() if not np.isnan(value)}
    latency: Floats = retrieved.latency_ms
    if latency.size:
        facts["p50_ms"] = round(float(np.percentile(latency, 50)), 3)
        facts["p95_ms"] = round(float(np.percentile(latency, 95)), 3)
    hits, unjudged = _unjudged(result, dataset)
    facts["hits_at_10"] = float(hits)
    facts["unjudged_at_10"] = float(unjudged)
    return facts


def _threshold(point: Point, result: Result, scores: ScoreTable, dataset: Dataset, folder: Path) -> Mapping[str, float]:
    """When to stay silent, by the parts into which the sweep deals its queries."""
    plan = read_plan(folder.parent)
    primary = scores.values[scores.measures.index(plan.primary)]
    return threshold_facts(result.retrieved.documents, dataset.queries, primary, point.stats, plan.seed)


def _unjudged(result: Result, dataset: Dataset) -> tuple[int, int]:
    """Top hits of the judged queries, and how many of them nobody judged."""
    qrels = dataset.qrels
    total = unjudged = 0
    for row in np.flatnonzero(np.diff(qrels.indptr)):
        top = result.retrieved.documents.items[row, :UNJUDGED_AT]
        top = top[top >= 0]
        judged = qrels.docs[qrels.indptr[row] : qrels.indptr[row + 1]]
        total += len(top)
        unjudged += int((~np.isin(top, judged)).sum())
    return total, unjudged
