"""Everything between composed points and the first job: checks, the store, the folder, the plan line."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipeline.config import Point
from pipeline.errors import EnvironmentFault, SettingError
from pipeline.records import Dataset, Scalar
from pipeline.report.terminal import plan_line
from pipeline.storage.sweep_files import Plan, handle, read_plan, read_sweep, write_dataset, write_plan
from pipeline.sweep import plan as planning
from pipeline.sweep import process
from pipeline.sweep.choosing import strata


@dataclass(frozen=True)
class Request:
    """What was asked for, beyond the points themselves."""

    folder: Path
    arguments: tuple[str, ...]
    multirun: bool
    baseline: Any
    cache_dir: str
    resume: bool


def prepare(points: Sequence[tuple[tuple[str, ...], Point]], request: Request) -> Plan:
    """Checks all points, makes the tracking store and the sweep's folder, and says what will be done."""
    overrides, built = [changes for changes, _ in points], [point for _, point in points]
    planning.check_together(built)
    model_notes = planning.check_models(built)
    dataset = process.load(built[0].source)
    strata(built[0].stats, dataset.queries.slices)
    built = [planning.for_dataset(point, dataset) for point in built]
    jobs = planning.jobs(built, overrides, dataset)
    baseline = planning.baseline(request.baseline, jobs)
    for point in built:
        point.answers.check()
    stages = process.stages(request.cache_dir)
    plan = Plan(
        id=request.folder.name.rpartition("-")[2],
        created=process.SystemClock().now(),
        command=shlex.join(["python", "-m", "pipeline.run", *request.arguments]),
        arguments=request.arguments,
        multirun=request.multirun,
        dataset=_dataset_facts(dataset),
        notes=(*dataset.notes, *model_notes),
        baseline=baseline,
        primary=str(built[0].primary),
        measures=tuple(dict.fromkeys((*map(str, built[0].experiment.measures), *_of_answers(built, dataset)))),
        budgets=built[0].budgets,
        seed=built[0].seed,
        jobs=jobs,
        reuse=planning.reuse(built, dataset, stages),
        software=planning.software(),
        stats=asdict(built[0].stats),
    )
    store = built[0].tracking.check(dataset.name)
    if request.resume:
        plan = _resumed(request.folder, plan)
    else:
        _create(request.folder, plan, dataset)
    if process.ONLY not in os.environ:
        _announce(request.folder, plan, store)
    return plan


def _of_answers(points: Sequence[Point], dataset: Dataset) -> Iterator[str]:
    """What is measured of any point's answers: files of answers do not all bring the same."""
    for point in points:
        yield from point.answers.measures(dataset)


def _create(folder: Path, plan: Plan, dataset: Dataset) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        write_dataset(folder, dataset)
        write_plan(folder, plan)
    except FileExistsError as error:
        raise EnvironmentFault(f"{folder} exists already; start again for a new id, or resume it") from error
    except OSError as error:
        raise EnvironmentFault(
            f"{folder}: results cannot be written there ({error.strerror}); choose another place with output_dir=FOLDER"
        ) from error


def _resumed(folder: Path, plan: Plan) -> Plan:
    """The stored plan, if the same command still means the same experiments."""
    stored = read_plan(folder)
    if [job.key for job in stored.jobs] != [job.key for job in plan.jobs]:
        raise SettingError(
            f"resume={stored.id}: its data, settings or software changed since; run it anew: {stored.command}"
            " (what is unchanged comes from the cache)"
        )
    for name, planned, now in _verdict_settings(stored, plan):
        if planned != now:
            raise SettingError(
                f"resume={stored.id}: {name}={now} differs from the plan ({planned}); resume without it, then"
                f" python -m pipeline.compare {handle(folder)}"
            )
    return stored


def _verdict_settings(stored: Plan, plan: Plan) -> Iterator[tuple[str, Scalar | None, Scalar | None]]:
    """What a verdict rests on: its name, as it was planned, and as it is now."""
    yield "primary", stored.primary, plan.primary
    yield "baseline", stored.baseline, plan.baseline
    for key in dict.fromkeys((*stored.stats, *plan.stats)):
        yield "split" if key == "split" else f"stats.{key}", stored.stats.get(key), plan.stats.get(key)


def _announce(folder: Path, plan: Plan, store: str) -> None:
    reporter = process.reporter()
    for note in plan.notes:
        reporter.note(note)
    if store:
        reporter.note(store)
    process.say(plan_line(read_sweep(folder), work(plan)))


def work(plan: Plan) -> str:
    """`embeddings 3 of 4 cached, BM25 indexes 2 of 3 cached`: what is there and what is still to do."""
    cached, needed = plan.reuse.get("experiments", (0, 0))
    if needed and cached == needed:
        return f"all {needed} experiments are cached: nothing to compute"
    parts = [f"{cached} of {needed} experiments cached"] if cached else []
    for word in ("embeddings", "BM25 indexes"):
        if word in plan.reuse:
            have, want = plan.reuse[word]
            parts.append(f"{word}: {have} cached, {want - have} to make")
    return "; ".join(parts) or "nothing is cached yet"


def reused(plan: Plan) -> str:
    """The same, looking back: `reused 3 of 4 embeddings, 2 of 3 BM25 indexes`."""
    parts = [f"{have} of {want} {word}" for word, (have, want) in plan.reuse.items() if have]
    return f"reused {', '.join(parts)}" if parts else "computed everything anew"


def _dataset_facts(dataset: Dataset) -> Mapping[str, Scalar]:
    return {
        "name": dataset.name,
        "version": dataset.version,
        "digest": dataset.digests.whole,
        "documents": len(dataset.corpus.ids),
        "queries": len(dataset.queries.ids),
        "judgements": dataset.qrels.judgements,
        "spans": 0 if dataset.spans is None else len(dataset.spans.doc),
        **{f"count.{name}": count for name, count in dataset.counts.items()},
    }
