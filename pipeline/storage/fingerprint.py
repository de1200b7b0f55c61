"""Content keys: equal keys mean equal output, whatever the machine, the path or the day.

A component is described by its class, its VERSION, its relevant fields, the versions of the libraries that shape its
output, and, where it has one, its `content()` (model weights, a run file). Everything else must be plain data.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any

FORMAT = 1  # of the keys themselves


def fingerprint(*parts: object) -> str:
    """SHA-256 (hex) over the canonical form of `parts`; TypeError for anything that has no stable form."""
    text = json.dumps([FORMAT, *map(canonical, parts)], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stage_key(stage: str, *parts: object) -> str:
    """The key of one stage: `stage-` and 40 hex digits, so that a person can read a cache folder."""
    return f"{stage}-{fingerprint(stage, *parts)[:40]}"


def canonical(value: object) -> Any:
    """`value` as JSON-ready data that is equal exactly when the values mean the same."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _component(value)
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [canonical(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no stable form and cannot be part of a key")


def relevant_fields(component: Any) -> dict[str, Any]:
    """The fields that shape the output: all of them except those that the class names in `irrelevant`."""
    irrelevant: frozenset[str] = getattr(component, "irrelevant", frozenset())
    return {
        field.name: getattr(component, field.name)
        for field in dataclasses.fields(component)
        if field.name not in irrelevant
    }


def _component(component: Any) -> dict[str, Any]:
    kind = type(component)
    described: dict[str, Any] = {
        "class": f"{kind.__module__}.{kind.__qualname__}",
        "version": getattr(kind, "VERSION", 0),
        "libraries": {name: library_version(name) for name in getattr(kind, "libraries", ())},
        "fields": {name: canonical(item) for name, item in relevant_fields(component).items()},
    }
    content = getattr(component, "content", None)
    if callable(content):
        described["content"] = content()
    return described


@cache
def library_version(distribution: str) -> str:
    """The installed version of a distribution, `absent` if there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "absent"
