"""How often the queries kept to confirm a choice have served: a count that outlives any one sweep.

One JSON file: part -> the questions put to it, in order. Looking at the same answer again is no further use.
"""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.errors import DataError
from pipeline.storage.entries import write_json

USES = "confirm_uses.json"


def uses_before(path: Path, part: str, question: str) -> int:
    """How many other questions were put to `part` before `question`, which is written down if it is new.

    DataError for a file that is no such count; OSError as the disk gives it.
    """
    every = _read(path)
    asked = every.setdefault(part, [])
    if question not in asked:
        asked.append(question)
        write_json(path, every)
    return asked.index(question)


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
