"""A disk that takes no more: one line, exit code 3, nothing half-written, and going on gives the same bytes."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pipeline.sweep import process
from tests.faults.seams import at_every_write, in_child, results, writes_of
from tests.whole import common, run, sweep_folder


def command(place: Path) -> Sequence[str]:
    return common(place, "-m", "retriever=bm25", "chunk_size=16,32")


def full_from(first: int) -> Callable[[int], None]:
    def act(count: int) -> None:
        if count >= first:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return act


def faults(said: str) -> list[str]:
    """The lines that end a command, without the notes on the way."""
    return [line for line in said.splitlines() if "go on" in line or "written there" in line]


@pytest.mark.slow
def test_full_from_any_write_on_a_sweep_ends_in_one_line_and_goes_on_to_the_same_bytes(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    total = writes_of(*command(place))
    expected = results(sweep_folder())
    for part in range(5):
        output = f"output_dir=full-{part}"
        capsys.readouterr()
        first = 1 + part * total // 5
        with at_every_write(full_from(first)):
            assert run(*command(place), output) == 3, first
        said = capsys.readouterr()
        assert "Traceback" not in said.err + said.out
        assert len(faults(said.err)) == 1, said.err
        plans = list(Path(f"full-{part}").glob("sweeps/*/sweep.json"))
        more = [f"resume={plans[0].parent.name.rpartition('-')[2]}"] if plans else command(place)
        assert run(*more, output) == 0
        assert results(sweep_folder(Path(f"full-{part}"))) == expected


def test_a_limit_on_file_sizes_is_a_fault_of_the_environment(place: Path) -> None:
    assert run(*command(place)) == 0
    largest = (sweep_folder() / "sweep.json").stat().st_size
    chunks = place / "corpus.jsonl"
    chunks.write_text(chunks.read_text() + "".join(f'{{"_id": "n{n}", "text": "water {n}"}}\n' for n in range(2000)))

    def work() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 2000, largest + 2000))
        return run(*common(place, "retriever=bm25", "chunk_size=16", "depth=1000"))

    ended = in_child(work)
    assert ended.code == 3, ended.err
    assert "Traceback" not in ended.err and len(faults(ended.err)) == 1
    assert "File too large" in faults(ended.err)[0]


def test_the_disk_is_told_from_other_faults() -> None:
    assert process.is_disk_fault(OSError(errno.ENOSPC, "full"))
    assert not process.is_disk_fault(FileNotFoundError(errno.ENOENT, "gone"))
    assert not process.is_disk_fault(ValueError())
