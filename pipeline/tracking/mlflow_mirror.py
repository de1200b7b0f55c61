"""Finished jobs and sweeps as MLflow runs: flat, named, one batch each, idempotent."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pipeline.errors import EnvironmentFault, SettingError, TrackingFault
from pipeline.records import JobRecord, Standing, SweepRecord
from pipeline.tracking import store
from pipeline.tracking.comparison import write_comparison
from pipeline.tracking.links import Links, public
from pipeline.tracking.payload import NOTHING, Extras
from pipeline.tracking.runs import STATUS, Target, write_job
from pipeline.tracking.uri import is_local, is_server, redact

T = TypeVar("T")


@dataclass(frozen=True)
class MlflowMirror:
    """Where finished work is copied to. MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME win where they are exported.

    `check` raises EnvironmentFault (3), the mirrors TrackingFault (4): by then the results are complete on disk.
    After the first TrackingFault of a sweep no further mirror should be called, so that the wait is `patience` in all.
    """

    uri: str = "sqlite:///outputs/mlflow.db"
    experiment: str = ""  # "" = rag-sweep/<dataset>
    artifacts: str = "outputs/artifacts"  # a server keeps its own
    texts: Literal["auto", "full", "ids"] = "auto"  # auto = query texts only to stores on this machine
    ui: str = "http://127.0.0.1:5000"  # where scripts/ui.sh listens; a server is its own address
    patience: float = 30.0  # seconds that one call may take

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"uri", "experiment", "artifacts", "texts", "ui", "patience"})

    def __post_init__(self) -> None:
        if self.texts not in ("auto", "full", "ids"):
            raise SettingError(f"tracking.texts must be auto, full or ids; got {self.texts!r}")
        if not self.patience > 0:
            raise SettingError(f"tracking.patience must be more than 0 seconds; got {self.patience}")

    # --- before the work ---

    def check(self, dataset_name: str) -> str:
        """Makes the store and the experiment, in the parent, before any job; says in one line where things go."""
        uri, name = self._uri(), self._experiment_name(dataset_name)
        broken = (ValueError, LookupError)  # what migrations raise on tables that an earlier one left half-made
        store.load()
        with store.told(uri, EnvironmentFault, also=broken):
            self._make(uri, name)
        exported = [key for key in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME") if os.environ.get(key)]
        suffix = f" (from {' and '.join(exported)})" if exported else ""
        return f"MLflow {redact(uri)}, experiment {name}{suffix}"

    # --- after the work ---

    def mirror_job(self, job: JobRecord, sweep: SweepRecord, extras: Extras = NOTHING) -> str:
        """Run id of this job's copy, made unless it stands already; "" for twins and jobs that have not ended."""
        if job.state not in STATUS:
            return ""
        return self._after(sweep, lambda target: write_job(target, job, sweep, extras))

    def mirror_comparison(
        self,
        sweep: SweepRecord,
        standing: Standing | None,
        verdict: tuple[str, ...],
        folder: Path,
        extras: Extras = NOTHING,
    ) -> Links:
        """The comparison run (made anew), verdicts on the job runs, the saved view; the pages that show them.

        `folder` holds the files of the sweep that go along: see comparison.FILES.
        """
        return self._after(sweep, lambda target: write_comparison(target, sweep, standing, (verdict, folder), extras))

    def _after(self, sweep: SweepRecord, write: Callable[[Target], T]) -> T:
        """What `write` returns. TrackingFault instead of anything that the store raises, after `patience` at most."""
        uri, name = self._uri(), self._experiment_name(str(sweep.dataset.get("name", "")))
        copied = f"; the results are complete in {sweep.folder}"
        store.load()
        with store.told(uri, TrackingFault, copied):
            file = store.sqlite_file(uri)
            if file is not None and not file.is_file():
                self._make(uri, name)
            return store.within(self.patience, lambda: write(self._target(uri, name)))
        raise TrackingFault(f"MLflow store {redact(uri)}: no answer{copied}")

    # --- where ---

    def _make(self, uri: str, name: str) -> None:
        seconds = self.patience if is_server(uri) else 2 * self.patience + 30  # the first schema takes up to 20 s
        store.prepare(uri)
        with store.alone(uri, seconds):
            store.within(seconds, lambda: self._target(uri, name))

    def _target(self, uri: str, name: str) -> Target:
        client = store.client(uri)
        full = self.texts == "full" or (self.texts == "auto" and is_local(uri))
        address = public(uri) if is_server(uri) else self.ui.rstrip("/")
        return Target(client, store.experiment(client, name, self._artifact_root(uri, name)), full, address)

    def _uri(self) -> str:
        return os.environ.get("MLFLOW_TRACKING_URI") or self.uri

    def _experiment_name(self, dataset_name: str) -> str:
        return os.environ.get("MLFLOW_EXPERIMENT_NAME") or self.experiment or f"rag-sweep/{dataset_name}"

    def _artifact_root(self, uri: str, name: str) -> str | None:
        """A folder of its own for each experiment; None = the store's own place, which a server must choose."""
        if store.sqlite_file(uri) is None:
            return None
        return (Path(self.artifacts).resolve() / store.folder_name(name)).as_uri()
