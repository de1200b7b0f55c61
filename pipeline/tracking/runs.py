"""One job as one flat MLflow run: made once, written in one batch, found again by its key."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipeline.records import JobRecord, SweepRecord
from pipeline.tracking.payload import (
    PER_QUERY,
    Extras,
    Value,
    job_metrics,
    metric_name,
    params,
    per_query_table,
)
from pipeline.tracking.view import colour

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

STATUS = {"done": "FINISHED", "failed": "FAILED", "killed": "KILLED"}
JOB_FILES = (  # by name: a file with texts must not reach a server because it lies in the folder
    "state.json",
    "manifest.json",
    "scores.csv",
    "scores_summary.csv",
    "run.trec.gz",
    "chunks.jsonl.gz",
    "failures.csv",
)
NOTE_LENGTH = 7900  # MLflow cuts tags at 8,000
TABLE_TAG = "mlflow.loggedArtifacts"  # what makes the UI page a JSON file as a table


@dataclass(frozen=True, eq=False)
class Target:
    """Where runs go: an open client, the experiment, whether query texts may go there, the address people open."""

    client: MlflowClient
    experiment: str
    full_texts: bool
    server: str


class Content(NamedTuple):
    """Everything of a run but its artifacts: one batch."""

    values: Sequence[Value]
    params: Mapping[str, str]
    tags: Mapping[str, str]


def write_job(target: Target, job: JobRecord, sweep: SweepRecord, extras: Extras) -> str:
    """Run id of the job's run. A run that stands complete is left alone, a half-written one is replaced."""
    key = job_key(sweep, job)
    found = find(target, key)
    status = STATUS[job.state]
    if found is not None and found.info.status == status:
        return str(found.info.run_id)
    if found is not None:
        target.client.delete_run(found.info.run_id)
    now = int(time.time() * 1000)
    start = now - int(1000 * max(0.0, job.facts.get("seconds", 0.0)))
    tags = _tags(job, sweep, extras)
    run = target.client.create_run(
        target.experiment, start_time=start, run_name=job.name, tags={"run_key": key, "sweep_id": sweep.id}
    )
    run_id = str(run.info.run_id)
    log_dataset(target, run_id, sweep)
    values = job_metrics(job, sweep, extras) if job.state == "done" else []
    log(target, run_id, Content(values, params(job, sweep), tags))
    log_files(target, run_id, [Path(job.folder) / name for name in JOB_FILES], _tables(target, job, sweep, extras))
    target.client.set_terminated(run_id, status=status, end_time=now)
    return run_id


def job_key(sweep: SweepRecord, job: JobRecord) -> str:
    """What makes a copy of this job findable: the sweep's folder name and the experiment's fingerprint."""
    return f"{Path(sweep.folder).name}/{job.key}"


def find(target: Target, key: str) -> Run | None:
    """The run under `key`, whatever its state; deleted ones do not count."""
    quoted = key.replace("'", "")
    found = target.client.search_runs([target.experiment], f"tags.run_key = '{quoted}'", max_results=1)
    return found[0] if found else None


def log(target: Target, run_id: str, content: Content) -> None:
    """The one batch."""
    from mlflow.entities import Metric, Param, RunTag

    now = int(time.time() * 1000)
    target.client.log_batch(
        run_id,
        metrics=[Metric(key, value, now, step) for key, value, step in content.values],
        params=[Param(key, value) for key, value in content.params.items()],
        tags=[RunTag(key, value) for key, value in content.tags.items()],
    )


def log_dataset(target: Target, run_id: str, sweep: SweepRecord) -> None:
    """The dataset as input of the run: MLflow takes 36 characters of a digest, its pages fit 12."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    name, digest = (str(sweep.dataset.get(key, "")) for key in ("name", "digest"))
    dataset = Dataset(name=name[:500] or "dataset", digest=digest[:12] or "none", source_type="local", source="{}")
    target.client.log_inputs(run_id, [DatasetInput(dataset, [InputTag("mlflow.data.context", "evaluation")])])


def log_files(target: Target, run_id: str, files: Sequence[Path], texts: Mapping[str, str]) -> None:
    """Those of `files` that exist, and `texts` (name -> content), in one upload."""
    with tempfile.TemporaryDirectory(prefix="rag-sweep-") as folder:
        for file in files:
            if file.is_file():
                shutil.copyfile(file, Path(folder) / file.name)
        for name, content in texts.items():
            (Path(folder) / name).write_text(content, encoding="utf-8")
        target.client.log_artifacts(run_id, folder)


def _tables(target: Target, job: JobRecord, sweep: SweepRecord, extras: Extras) -> dict[str, str]:
    if job.state != "done" or job.scores is None:
        return {}
    return {PER_QUERY: per_query_table(job, sweep.primary, extras.texts if target.full_texts else {})}


def _tags(job: JobRecord, sweep: SweepRecord, extras: Extras) -> dict[str, str]:
    tags = {
        "role": "job",
        "job": str(job.number),
        "mlflow.runColor": colour(job, sweep),
        "mlflow.note.content": _note(job, sweep),
        "mlflow.source.name": "rag-sweep",
        "mlflow.source.type": "LOCAL",
    }
    if extras.commit:
        tags["mlflow.source.git.commit"] = extras.commit
    if job.state == "done":
        tags[TABLE_TAG] = f'[{{"path": "{PER_QUERY}", "type": "table"}}]'
    return tags


def _note(job: JobRecord, sweep: SweepRecord) -> str:
    if job.state != "done":
        return f"**{job.state.upper()}** {job.reason}"[:NOTE_LENGTH]
    queries = f"queries, worst first: artifact `{PER_QUERY}`"
    return f"Job {job.number} of sweep `{sweep.id}`; primary measure `{metric_name(sweep.primary)}`; {queries}"[
        :NOTE_LENGTH
    ]
