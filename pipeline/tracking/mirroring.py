"""A whole sweep into a store, without ever raising after the work is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipeline.errors import TrackingFault
from pipeline.records import JobRecord, Standing, SweepRecord
from pipeline.tracking.links import Links
from pipeline.tracking.payload import Extras


class Mirror(Protocol):
    """MlflowMirror or NoMirror."""

    def check(self, dataset_name: str) -> str:
        """Makes the store; one line to print. EnvironmentFault before any job where it cannot be reached."""
        ...

    def mirror_job(self, job: JobRecord, sweep: SweepRecord, extras: Extras = ...) -> str:
        """Run id of the copy."""
        ...

    def mirror_comparison(
        self,
        sweep: SweepRecord,
        standing: Standing | None,
        verdict: tuple[str, ...],
        folder: Path,
        extras: Extras = ...,
    ) -> Links:
        """The pages that show the sweep."""
        ...


@dataclass(frozen=True)
class Mirrored:
    """What came of it. `fault` = the one warning to print; its `exit_code` is 4."""

    links: Links
    runs: int  # job runs that stand
    fault: TrackingFault | None = None


def mirror_sweep(
    mirror: Mirror,
    sweep: SweepRecord,
    standing: Standing | None,
    verdict: tuple[str, ...],
    extras: Callable[[JobRecord], Extras],
) -> Mirrored:
    """Every ended job and the comparison; stops at the first fault, so that the wait is bounded once, not per job.

    Safe to call again: what stands complete is left alone. `extras` of the baseline also gives the query texts of the
    comparison.
    """
    runs = 0
    try:
        for job in sweep.jobs:
            runs += bool(mirror.mirror_job(job, sweep, extras(job)))
        first = next((job for job in sweep.jobs if job.name == sweep.baseline), sweep.jobs[0])
        return Mirrored(mirror.mirror_comparison(sweep, standing, verdict, Path(sweep.folder), extras(first)), runs)
    except TrackingFault as fault:
        return Mirrored(Links(), runs, fault)
