"""A worker process that dies takes its pool along: the jobs that wait are launched again, then the suspects one by one.

Only a death from outside or below gets here (the system ran out of memory, a library crashed); what a job raises ends
that job alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeAlias

from pipeline.errors import EnvironmentFault
from pipeline.storage.job_files import JobState, write_state
from pipeline.storage.sweep_files import read_sweep
from pipeline.sweep import process

Again: TypeAlias = Callable[[str], None]

REASON = "its process died: killed by the system (often out of memory; try n_jobs=1) or by a crash in a library"


def launch(first: Callable[[], None], again: Again, folder: Callable[[], Path]) -> None:
    """Runs `first`; where a worker dies, `again` (with an override) as often as there is something left to try.

    No job is called failed that did not die alone. Raises EnvironmentFault if workers die without a job.
    """
    if _survives(first):
        return
    suspects = _fail_running(folder())
    try:
        while waiting := [job.number for job in read_sweep(folder()).jobs if job.state == "planned"]:
            if _survives(_only(again, waiting)):
                break
            suspects += _fail_running(folder())
        for number in suspects if len(suspects) > 1 else ():
            if not _survives(_only(again, [number])):
                _fail_running(folder())
    finally:
        os.environ.pop(process.ONLY, None)
    for job in read_sweep(folder()).jobs:
        if job.number in suspects and job.reason == REASON:
            process.warn(f"job {job.number} {job.name} FAILED: {job.reason}  ({job.folder})")


def _survives(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except BrokenProcessPool:
        return False
    return True


def _only(again: Again, numbers: Iterable[int]) -> Callable[[], None]:
    """`again` for these jobs alone."""
    # The planner reads the environment; workers may have begun before it changed, so Hydra sets it for each job.
    os.environ[process.ONLY] = " ".join(map(str, numbers))
    return lambda: again(f'+hydra.job.env_set.{process.ONLY}="{os.environ[process.ONLY]}"')


def _fail_running(folder: Path) -> list[int]:
    """Marks the jobs that ran when the pool broke, and returns their numbers; EnvironmentFault if none did."""
    jobs = [job for job in read_sweep(folder).jobs if job.state == "running"]
    if not jobs:
        raise EnvironmentFault("launcher=joblib: its processes die before a job begins; run it with launcher=serial")
    for job in jobs:
        write_state(Path(job.folder), JobState("failed", REASON))
    return [job.number for job in jobs]
