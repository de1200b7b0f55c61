"""How often the queries kept to confirm a choice have served: a count that outlives any one sweep.

One JSON file: part -> the questions put to it, in order. Looking at the same answer again is no further use. The count
stands in the dataset's folder, so that whoever confirms on it finds it; where there is none, or nothing can be written
there, it stands among the results. What either place knows counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from pipeline.errors import DataError, EnvironmentFault
from pipeline.storage.entries import write_json

USES = "confirm_uses.json"  # among the results
HIDDEN = ".rag-sweep-confirm-uses.json"  # in the dataset's folder, whose readers leave hidden files out
PATIENCE = 30.0  # seconds; another process holds the count for milliseconds


def uses_before(results: Path, folder: str, part: str, question: str) -> int:
    """How many other questions were put to `part` before `question`, which is written down if it is new.

    `results`: the file among the results; `folder`: that of the dataset, "" = it has none.
    DataError for a file that is no such count, EnvironmentFault where another process does not let go of it, OSError
    as the disk gives it for `results`.
    """
    beside = Path(folder) / HIDDEN if folder else results
    if beside != results and _writable(beside.parent):
        try:
            return _count((beside, results), part, question)
        except OSError:
            pass  # the folder cannot be written after all: its mount says what its mode does not
    return _count((results, beside), part, question)


def _count(places: Sequence[Path], part: str, question: str) -> int:
    """The count over all places, with what any of them knows and the question written into the first."""
    first = places[0]
    first.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(first.with_name(f".{first.name.lstrip('.')}.lock"), timeout=PATIENCE, mode=0o644):
            every = _read(first)
            known = every.get(part, [])
            asked = list(dict.fromkeys([*known, *(old for path in places for old in _read(path).get(part, []))]))
            every[part] = asked if question in asked else [*asked, question]
            if every[part] != known:
                write_json(first, every)
            return every[part].index(question)
    except Timeout as error:
        raise EnvironmentFault(f"{first}: another process has held its lock for {PATIENCE:.0f} s; try again") from error


def _writable(folder: Path) -> bool:
    """Whether its mode lets somebody write, and the system lets us: root may write everywhere, and should not."""
    return folder.is_dir() and bool(folder.stat().st_mode & 0o222) and os.access(folder, os.W_OK)


def _read(path: Path) -> dict[str, list[str]]:
    if not path.exists():
        return {}
    try:
        value = json.loads(path.read_text("utf-8"))
        return {str(part): [str(question) for question in asked] for part, asked in value.items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise DataError(
            f"is no count of confirmations ({error}); mend it, or delete it to count from 0", path=path
        ) from error
