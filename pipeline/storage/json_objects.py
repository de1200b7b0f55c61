"""A line that holds one JSON object, and how a value of it stands in a message."""

from __future__ import annotations

import json
from typing import Any

from pipeline.errors import DataError

LONGEST = 40  # characters of a value in a message


def object_of(text: str, where: str) -> dict[str, Any]:
    """The object on the line `where` (`path:line`).

    Raises:
        DataError: the line is no JSON object, holds NaN or infinity, or text that no UTF-8 file can hold.
    """
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
        _check_halves(value, where)
    return value


def shown(value: object) -> str:
    """The value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON; write null for a value that is not there")


def _check_halves(value: dict[str, Any], where: str) -> None:
    r"""`\ud800` is half of a character."""
    flat = json.dumps(value, ensure_ascii=False)
    try:
        flat.encode("utf-8")
    except UnicodeEncodeError as error:
        half = ord(flat[error.start])
        raise DataError(f"{where}: \\u{half:04x} is half of a character; write the pair, or remove it") from error
