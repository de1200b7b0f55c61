"""What one process keeps warm for all its jobs: datasets, the cache, the clock, the person watching."""

from __future__ import annotations

import errno
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from pipeline.protocols import DatasetSource, Reporter
from pipeline.records import Dataset
from pipeline.report.progress import ConsoleReporter
from pipeline.report.text import clean
from pipeline.storage.stages import Stages

ONLY = "RAG_SWEEP_ONLY"  # environment variable: numbers of the jobs to run, the others wait; unset = all
DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EIO})

_datasets: dict[str, Dataset] = {}
_stages: dict[str, Stages] = {}
_reporters: list[Reporter] = []


class SystemClock:
    """The machine's clock."""

    def now(self) -> str:
        """ISO 8601, UTC, to the second."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def seconds(self) -> float:
        """A monotonic reading."""
        return time.perf_counter()


def chosen(number: int) -> bool:
    """Whether job `number` is among those to run now."""
    return ONLY not in os.environ or str(number) in os.environ[ONLY].split()


def is_disk_fault(error: BaseException) -> bool:
    """Whether the disk refused: full, read-only, not ours, broken."""
    return isinstance(error, OSError) and error.errno in DISK


def load(source: DatasetSource) -> Dataset:
    """The dataset of a source, read once a process."""
    key = repr(source)  # with its path, which a fingerprint leaves out
    if key not in _datasets:
        _datasets[key] = source.load()
    return _datasets[key]


def query_texts(source: DatasetSource) -> dict[str, str]:
    """Query id -> text."""
    queries = load(source).queries
    return dict(zip(queries.ids, queries.texts, strict=True))


def stages(cache_dir: str) -> Stages:
    """The one cache of this process for a folder."""
    folder = str(Path(cache_dir).expanduser().absolute())
    if folder not in _stages:
        _stages[folder] = Stages(Path(folder), note=reporter().note)
    return _stages[folder]


def reporter() -> Reporter:
    """What shows stages and notes to the person watching."""
    if not _reporters:
        _reporters.append(ConsoleReporter())
    return _reporters[0]


def say(text: str) -> None:
    """Lines on standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def warn(text: str) -> None:
    """One line on standard error; a control character in it is shown, not sent."""
    sys.stderr.write(clean(text.rstrip("\n")) + "\n")
    sys.stderr.flush()


def forget() -> None:
    """Drops everything kept warm; tests use it to stand where a new process would."""
    _datasets.clear()
    _stages.clear()
    _reporters.clear()
