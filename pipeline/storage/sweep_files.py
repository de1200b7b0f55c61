"""A sweep's folder: its plan before the first job, its results afterwards.

sweep.json         the plan: id, command, dataset, jobs with their names, keys and twins, baseline, primary measure
dataset.json       digest, counts, notes, policies
qrels.trec.gz      the judgements that every number rests on
<number>/          a folder a job (storage.job_files)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import DataError
from pipeline.records import Dataset, Scalar, SweepRecord
from pipeline.storage.entries import write_json
from pipeline.storage.job_files import read_job
from pipeline.storage.trec_files import write_qrels

PLAN, DATASET, QRELS = "sweep.json", "dataset.json", "qrels.trec.gz"
FORMAT = 1


@dataclass(frozen=True)
class PlannedJob:
    """One job as it was planned. Jobs with equal keys are twins: one of them runs, the others say `same_as`."""

    number: int
    name: str
    key: str
    same_as: int | None
    overrides: tuple[str, ...]
    settings: Mapping[str, Scalar]


@dataclass(frozen=True)
class Plan:
    """Everything known before the first job."""

    id: str
    created: str
    command: str
    arguments: tuple[str, ...]
    multirun: bool
    dataset: Mapping[str, Scalar]
    notes: tuple[str, ...]
    baseline: str
    primary: str
    measures: tuple[str, ...]
    budgets: tuple[int, ...]
    seed: int
    jobs: tuple[PlannedJob, ...]
    reuse: Mapping[str, Sequence[int]] = field(default_factory=dict)  # what -> (cached, needed)
    software: Mapping[str, str] = field(default_factory=dict)
    stats: Mapping[str, Scalar] = field(default_factory=dict)  # settings of every statistical statement

    @property
    def distinct(self) -> tuple[PlannedJob, ...]:
        """The jobs that run."""
        return tuple(job for job in self.jobs if job.same_as is None)


def write_plan(folder: Path, plan: Plan) -> None:
    """Writes `sweep.json` in one step."""
    write_json(folder / PLAN, {"format": FORMAT, **asdict(plan)})


def read_plan(folder: Path) -> Plan:
    """The plan in `folder`; DataError where there is none, or one of another version."""
    path = folder / PLAN
    try:
        value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError("not found; expected the folder of a sweep or run", path=path) from error
    except ValueError as error:
        raise DataError(f"is no JSON ({error})", path=path) from error
    if value.pop("format", None) != FORMAT:
        raise DataError(f"was written by another version; this one reads format {FORMAT}", path=path)
    jobs = tuple(PlannedJob(**{**job, "overrides": tuple(job["overrides"])}) for job in value.pop("jobs"))
    for name in ("arguments", "notes", "measures", "budgets"):
        value[name] = tuple(value[name])
    return Plan(**value, jobs=jobs)


def write_dataset(folder: Path, dataset: Dataset) -> None:
    """Writes what the results rest on: digests, counts, notes and the judgements."""
    write_json(
        folder / DATASET,
        {
            "name": dataset.name,
            "version": dataset.version,
            "digests": asdict(dataset.digests),
            "counts": dict(dataset.counts),
            "judgements": dataset.qrels.judgements,
            "grade_meanings": {str(grade): text for grade, text in dataset.grade_meanings.items()},
            "notes": list(dataset.notes),
            "clusters": None if dataset.queries.cluster is None else list(dataset.queries.cluster),
            "weights": None if dataset.queries.weight is None else dataset.queries.weight.tolist(),
            "slices": {column: list(labels) for column, labels in dataset.queries.slices.items()},
        },
    )
    names = [*dataset.corpus.ids, *dataset.qrels.missing]
    qrels = dataset.qrels
    rows = np.repeat(np.arange(len(dataset.queries.ids)), np.diff(qrels.indptr))
    write_qrels(
        folder / QRELS,
        (
            (dataset.queries.ids[row], names[doc], int(grade))
            for row, doc, grade in zip(rows, qrels.docs, qrels.grades, strict=True)
        ),
    )


def read_clusters(folder: Path) -> tuple[str, ...] | None:
    """One label a query, in the order of the score tables; None = all queries are independent."""
    clusters = _described(folder).get("clusters")
    return None if clusters is None else tuple(clusters)


def read_slices(folder: Path) -> dict[str, tuple[str, ...]]:
    """Column -> one label a query, in the order of the score tables."""
    return {str(column): tuple(labels) for column, labels in _described(folder).get("slices", {}).items()}


def read_weights(folder: Path) -> tuple[float, ...] | None:
    """Traffic share of every query, in the order of the score tables; None = all queries count alike."""
    weights = _described(folder).get("weights")
    return None if weights is None or len(set(weights)) < 2 else tuple(map(float, weights))


def _described(folder: Path) -> dict[str, Any]:
    path = folder / DATASET
    try:
        value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({error}); it belongs to the sweep", path=path) from error
    return value


def read_sweep(folder: Path) -> SweepRecord:
    """The sweep in `folder` with all its jobs, finished or not."""
    plan = read_plan(folder)
    jobs = tuple(read_job(folder / str(job.number), job.number, asdict(job)) for job in plan.jobs)
    return SweepRecord(
        id=plan.id,
        folder=str(folder),
        created=plan.created,
        command=plan.command,
        dataset=plan.dataset,
        notes=plan.notes,
        baseline=plan.baseline,
        primary=plan.primary,
        measures=plan.measures,
        jobs=jobs,
        seed=plan.seed,
        seconds=sum(job.facts.get("seconds", 0.0) for job in jobs),
        weights=read_weights(folder),
    )


def handle(folder: Path) -> str:
    """What to type for this sweep: its short id where `find_sweep` looks without being told, else its path."""
    usual = Path("outputs").absolute()
    if folder.absolute().parent.parent == usual:
        return folder.name.rpartition("-")[2]
    return str(from_here(folder))


def from_here(path: Path) -> Path:
    """The path from the working directory, where it lies below; else the whole."""
    here, whole = Path.cwd(), path.absolute()
    return whole.relative_to(here) if whole.is_relative_to(here) else whole


def find_sweep(output_dir: Path, name: str) -> Path:
    """The folder of a sweep or run by its short id, its folder name or its path."""
    as_path = Path(name).expanduser()
    if (as_path / PLAN).is_file():
        return as_path
    found = [
        path.parent
        for kind in ("sweeps", "runs")
        for path in sorted((output_dir / kind).glob(f"*/{PLAN}"))
        if path.parent.name == name or path.parent.name.endswith(f"-{name}")
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(f"{name!r} names {len(found)} sweeps: {', '.join(map(str, found))}; give the folder")
    known = sorted(path.parent.name for kind in ("sweeps", "runs") for path in (output_dir / kind).glob(f"*/{PLAN}"))
    latest = f"; the latest is {known[-1]}" if known else "; there are none yet"
    raise DataError(f"no sweep or run {name!r} under {output_dir}{latest}")
