"""Where faults are let in: real child processes, and a count of every write that reaches the disk."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.whole import run

RESULTS = ("scores.csv", "scores_summary.csv", "run.trec.gz", "chunks.jsonl.gz")
WRITES = ((os, "fsync"), (Path, "rename"), (Path, "replace"), (Path, "write_bytes"), (Path, "mkdir"))


class Ended(NamedTuple):
    """How a child ended: its exit code (a signal's number below zero) and what it said."""

    code: int
    out: str
    err: str


def in_child(work: Callable[[], int]) -> Ended:
    """Runs `work` in a forked process, which may die as it likes."""
    out, err = Path("child.out"), Path("child.err")
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            for stream, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            code = work()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    said = [path.read_text("utf-8", errors="replace") for path in (out, err)]
    return Ended(os.waitstatus_to_exitcode(status), *said)


@contextmanager
def at_every_write(act: Callable[[int], object]) -> Iterator[None]:
    """Calls `act` with 1, 2, 3, … before each call that puts something on the disk."""
    count = 0

    def wrapped(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            act(count)
            return original(*arguments, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for home, name in WRITES:
            patch.setattr(home, name, wrapped(getattr(home, name)))
        yield


def writes_of(*arguments: str) -> int:
    """How many writes this command makes, undisturbed."""
    seen = [0]
    with at_every_write(seen.append):
        assert run(*arguments) == 0
    return max(seen)


def send_at(wanted: int, number: signal.Signals) -> Callable[[int], None]:
    """Sends this process a signal at its `wanted`-th write."""

    def act(count: int) -> None:
        if count == wanted:
            os.kill(os.getpid(), number)

    return act


def results(folder: Path) -> dict[str, bytes]:
    """What all jobs of a sweep found, and what was concluded from it, byte for byte."""
    found = {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*/*")) if path.name in RESULTS
    }
    return found | {"comparisons.csv": (folder / "comparisons.csv").read_bytes()}
