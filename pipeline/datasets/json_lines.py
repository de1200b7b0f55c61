"""Files of one JSON object a line, and typed looks into them that name the place of a fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import DataError
from pipeline.storage.json_objects import LONGEST, object_of, shown
from pipeline.storage.text_lines import read_lines


@dataclass(frozen=True, slots=True)
class JsonRow:
    """One object and where it stands (`path:line`)."""

    fields: dict[str, Any]
    where: str

    def identifier(self, name: str) -> tuple[str, bool]:
        """The id under `name`, and whether it was written as a number.

        Raises:
            DataError: it is missing, or it is neither text nor a whole number.
        """
        if name not in self.fields:
            raise DataError(f"{self.where}: no {name!r}; this line has {_names(self.fields)}")
        value = self.fields[name]
        if type(value) is int:
            return str(value), True
        if not isinstance(value, str):
            raise DataError(f"{self.where}: {name!r} is {_given(value)}, expected text")
        return value, False

    def text(self, name: str, default: str | None = None) -> str:
        """The text under `name`; `default` where it is absent or null, DataError where it is anything else."""
        value = self.fields.get(name)
        if value is None and default is not None:
            return default
        if name not in self.fields:
            raise DataError(f"{self.where}: no {name!r}; this line has {_names(self.fields)}")
        if not isinstance(value, str):
            raise DataError(f"{self.where}: {name!r} is {_given(value)}, expected text")
        return value

    def integer(self, name: str) -> int:
        """The whole number under `name`."""
        value = self.fields.get(name)
        if type(value) is not int:
            raise DataError(f"{self.where}: {name!r} is {_given(value)}, expected a whole number")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """The object under `name`; empty where it is absent or null."""
        value = self.fields.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise DataError(f"{self.where}: {name!r} is {_given(value)}, expected an object")
        return value


def _given(value: object) -> str:
    """A value in a message; a field may lack for two reasons."""
    return "missing or null" if value is None else shown(value)


def _names(fields: dict[str, Any]) -> str:
    return ", ".join(repr(name[:LONGEST]) for name in list(fields)[:6]) or "no fields"


def read_json_lines(path: Path) -> Iterator[JsonRow]:
    """Every object of the file; blank lines are skipped.

    Raises:
        DataError: a line that is no JSON object, or text that no UTF-8 file can hold.
    """
    for line in read_lines(path):
        if line.text.strip():
            yield _row(line.text, f"{path}:{line.number}")


def _row(text: str, where: str) -> JsonRow:
    fields = object_of(text, where)
    if "\\u0000" in text and "\\u0000" in json.dumps(fields, ensure_ascii=False):
        # It ends texts in half of all tools.
        raise DataError(f"{where}: holds a NUL character (\\u0000); remove it")
    return JsonRow(fields, where)
