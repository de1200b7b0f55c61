"""A worker process that dies takes its pool along: the jobs that wait are launched again, then the suspects one by one.

Only a death from outside or below gets here (the system ran out of memory, a library crashed); what a job raises ends
that job alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from pipeline.errors import EnvironmentFault
from pipeline.storage.job_files import JobState, write_state
from pipeline.storage.sweep_files import read_sweep
from pipeline.sweep import process

REASON = "its process died: killed by the system (often out of memory; try n_jobs=1) or by a crash in a library"


def launch(first: Callable[[], None], again: Callable[[], None], folder: Callable[[], Path]) -> None:
    """Runs `first`; where a worker dies, `again` as often as there is something left to try.

    No job is called failed that did not die alone. Raises EnvironmentFault if workers die without a job.
    """
    if _survives(first):
        return
    suspects = _fail_running(folder())
    try:
        while waiting := [job.number for job in read_sweep(folder()).jobs if job.state == "planned"]:
            if _survives(again, waiting):
                break
            suspects += _fail_running(folder())
        for number in suspects if len(suspects) > 1 else ():
            if not _survives(again, [number]):
                _fail_running(folder())
    finally:
        os.environ.pop(process.ONLY, None)
    for job in read_sweep(folder()).jobs:
        if job.number in suspects and job.reason == REASON:
            process.warn(f"job {job.number} {job.name} FAILED: {job.reason}  ({job.folder})")


def _survives(attempt: Callable[[], None], only: Iterable[int] | None = None) -> bool:
    if only is not None:
        _new_pool()
        os.environ[process.ONLY] = ",".join(map(str, only))
    try:
        attempt()
    except BrokenProcessPool:
        return False
    return True


def _new_pool() -> None:
    """Ends joblib's idle workers: they live on between launches and would not see a changed environment."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


def _fail_running(folder: Path) -> list[int]:
    """Marks the jobs that ran when the pool broke, and returns their numbers; EnvironmentFault if none did."""
    jobs = [job for job in read_sweep(folder).jobs if job.state == "running"]
    if not jobs:
        raise EnvironmentFault("launcher=joblib: its processes die before a job begins; run it with launcher=serial")
    for job in jobs:
        write_state(Path(job.folder), JobState("failed", REASON))
    return [job.number for job in jobs]
