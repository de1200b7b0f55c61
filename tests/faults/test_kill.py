"""A process may die at any write: what is on disk is whole, and going on gives the bytes of an undisturbed run."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.retrieval.dense import Dense
from pipeline.storage.sweep_files import read_sweep
from tests.faults.seams import at_every_write, in_child, results, send_at, writes_of
from tests.whole import common, run, sweep_folder

POINTS = 6


def command(place: Path) -> Sequence[str]:
    return common(place, "-m", "retriever=bm25,dense", "chunk_size=16")


def stop_and_go_on(place: Path, at: int, number: signal.Signals, expected: int) -> Path:
    """Ends a cold sweep at its `at`-th write, goes on, and returns the folder."""
    output = f"output_dir=stopped-{number.name}-{at}"

    def work() -> int:
        with at_every_write(send_at(at, number)):
            return run(*command(place), output)

    ended = in_child(work)
    assert ended.code == expected, ended.err
    root = Path(output.partition("=")[2])
    begun = [path for path in root.glob("sweeps/*") if (path / "sweep.json").is_file()]
    if begun:
        states = [job.state for job in read_sweep(begun[0]).jobs]
        assert number == signal.SIGKILL or "running" not in states
        assert run(f"resume={begun[0].name.rpartition('-')[2]}", output) == 0
    else:
        assert run(*command(place), output) == 0
    return sweep_folder(root)


@pytest.mark.slow
def test_killed_at_any_write_and_resumed_a_sweep_gives_the_same_bytes(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    total = writes_of(*command(place))
    expected = results(sweep_folder())
    for point in range(POINTS):
        at = 1 + (2 * point + 1) * total // (2 * POINTS)
        capsys.readouterr()
        folder = stop_and_go_on(place, at, signal.SIGKILL, -signal.SIGKILL)
        assert results(folder) == expected, f"killed at write {at} of {total}"
        assert "cache:" not in capsys.readouterr().err, "an entry was damaged"
        left = [path for path in folder.parents[1].rglob(".*") if path.is_dir()]
        assert len(left) <= 1, left


@pytest.mark.slow
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_sweep_with_its_code_and_a_killed_job_and_it_goes_on(
    place: Path, number: signal.Signals, code: int
) -> None:
    total = writes_of(*command(place))
    expected = results(sweep_folder())
    for at in (total // 4, total // 2):
        assert results(stop_and_go_on(place, at, number, code)) == expected, f"stopped at write {at} of {total}"


def test_a_terminated_job_is_killed_and_the_way_to_go_on_is_said(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def terminated(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Dense, "search", terminated)
    assert run(*command(place)) == 143
    said = capsys.readouterr()
    short = sweep_folder().name.rpartition("-")[2]
    assert said.err.splitlines()[-1] == f"stopped; to go on where it stopped: python -m pipeline.run resume={short}"
    assert "Traceback" not in said.err + said.out
    assert [job.state for job in read_sweep(sweep_folder()).jobs] == ["done", "killed"]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
