"""Jobs that raise, run out of memory or take their process along: the others are done, the failed ones are named."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from pipeline.errors import EnvironmentFault
from pipeline.storage.job_files import JobState, read_state, write_state
from pipeline.storage.sweep_files import read_sweep
from pipeline.sweep import process, survive
from tests.conftest import ROOT
from tests.whole import common, run, sweep_folder

GOOD = "abcdefghi"


@pytest.mark.slow
def test_of_twelve_jobs_three_end_badly_and_nine_are_done(place: Path) -> None:
    faults = ",".join([*GOOD[:2], "exit", *GOOD[2:5], "raise", "memory", *GOOD[5:]])
    arguments = ("retriever=bm25", "retriever._target_=tests.faults.faulty.Faulty", f"+retriever.fault={faults}")
    command = common(place, "-m", *arguments, "chunk_size=16", "launcher=joblib", "n_jobs=2")
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.run", *command],
        env=os.environ | {"PYTHONPATH": str(ROOT), "RAG_SWEEP_ALLOW": "tests"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    sweep = read_sweep(sweep_folder())
    assert [job.state for job in sweep.jobs].count("done") == len(GOOD)
    reasons = {job.name: job.reason for job in sweep.jobs if job.state == "failed"}
    assert reasons == {
        "bm25-16-fault:exit": survive.REASON,
        "bm25-16-fault:raise": "RuntimeError: index is gone",
        "bm25-16-fault:memory": "out of memory; try embedding.batch_size=8 or a smaller depth",
    }
    assert "Traceback" not in done.stderr and done.stderr.count("FAILED: ") == 3
    assert all(name in done.stdout for name in reasons)
    with (sweep_folder() / "leaderboard.csv").open(encoding="utf-8") as stream:
        ranked = {row["name"] for row in csv.DictReader(stream) if row["rank"]}
    assert ranked == {f"bm25-16-fault:{name}" for name in GOOD}
    assert not any(name in (sweep_folder() / "comparisons.csv").read_text() for name in reasons)


@pytest.fixture
def planned(place: Path) -> Path:
    """The folder of a sweep of four jobs of which none has run."""
    assert run(*common(place, "-m", "retriever=bm25", "chunk_size=8,16,32,64")) == 0
    for number in range(4):
        write_state(sweep_folder() / str(number), JobState("planned"))
    return sweep_folder()


def pool(folder: Path, deadly: int, launches: list[list[int]]) -> None:
    """Two workers at a time; the one that meets job `deadly` takes its neighbour along."""
    wanted = [number for number in range(4) if process.chosen(number)]
    wanted = [number for number in wanted if read_state(folder / str(number)).state != "done"]
    launches.append(wanted)
    for start in range(0, len(wanted), 2):
        for number in wanted[start : start + 2]:
            write_state(folder / str(number), JobState("running"))
        if deadly in wanted[start : start + 2]:
            raise BrokenProcessPool
        for number in wanted[start : start + 2]:
            write_state(folder / str(number), JobState("done"))


def test_the_neighbour_of_a_job_that_dies_is_run_again_alone(planned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launches: list[list[int]] = []

    def attempt(*_: str) -> None:
        pool(planned, 1, launches)

    survive.launch(attempt, attempt, lambda: planned)
    assert launches == [[0, 1, 2, 3], [2, 3], [0], [1]]
    states = [read_state(planned / str(number)) for number in range(4)]
    assert [state.state for state in states] == ["done", "failed", "done", "done"]
    assert states[1].reason == survive.REASON
    assert capsys.readouterr().err.splitlines()[-1].startswith("job 1 bm25-16 FAILED: its process died")
    assert process.ONLY not in os.environ


def test_workers_that_die_before_any_job_are_a_fault_of_the_environment(planned: Path) -> None:
    def attempt(*_: str) -> None:
        raise BrokenProcessPool

    with pytest.raises(EnvironmentFault, match="launcher=serial"):
        survive.launch(attempt, attempt, lambda: planned)
