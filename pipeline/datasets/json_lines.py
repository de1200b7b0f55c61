"""Files of one JSON object a line, and typed looks into them that name the place of a fault."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import DataError
from pipeline.storage.text_lines import read_lines

SHOWN = 40  # characters of a value in a message


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
            raise DataError(f"{self.where}: {name!r} is {shown(value)}, expected text")
        return value, False

    def text(self, name: str, default: str | None = None) -> str:
        """The text under `name`; `default` where it is absent or null, DataError where it is anything else."""
        value = self.fields.get(name)
        if value is None and default is not None:
            return default
        if name not in self.fields:
            raise DataError(f"{self.where}: no {name!r}; this line has {_names(self.fields)}")
        if not isinstance(value, str):
            raise DataError(f"{self.where}: {name!r} is {shown(value)}, expected text")
        return value

    def integer(self, name: str) -> int:
        """The whole number under `name`."""
        value = self.fields.get(name)
        if type(value) is not int:
            raise DataError(f"{self.where}: {name!r} is {shown(value)}, expected a whole number")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """The object under `name`; empty where it is absent or null."""
        value = self.fields.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise DataError(f"{self.where}: {name!r} is {shown(value)}, expected an object")
        return value


def shown(value: object) -> str:
    """A value as JSON, cut for a message; `missing` for None."""
    if value is None:
        return "missing or null"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _names(fields: dict[str, Any]) -> str:
    return ", ".join(repr(name[:SHOWN]) for name in list(fields)[:6]) or "no fields"


def read_json_lines(path: Path) -> Iterator[JsonRow]:
    """Every object of the file; blank lines are skipped.

    Raises:
        DataError: a line that is no JSON object, or text that no UTF-8 file can hold.
    """
    for line in read_lines(path):
        if line.text.strip():
            yield JsonRow(_object(line.text, f"{path}:{line.number}"), f"{path}:{line.number}")


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{where}: malformed JSON: {error.msg} in column {error.colno}; expected one object a line"
        ) from error
    except RecursionError as error:
        raise DataError(f"{where}: JSON is nested too deeply") from error
    except ValueError as error:
        raise DataError(f"{where}: malformed JSON: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{where}: {shown(value)} is no object; expected one object a line")
    if "\\u" in text:
        _check_escapes(value, where)
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _check_escapes(value: dict[str, Any], where: str) -> None:
    r"""`\ud800` is half of a character, and `\u0000` ends texts in half of all tools."""
    flat = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in flat:
        raise DataError(f"{where}: holds a NUL character (\\u0000); remove it")
    try:
        flat.encode("utf-8")
    except UnicodeEncodeError as error:
        half = ord(flat[error.start])
        raise DataError(f"{where}: \\u{half:04x} is half of a character; write the pair, or remove it") from error
