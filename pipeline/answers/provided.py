"""Citations that a provider sent beside the answer, on its line: `annotations`, `content` or `citations`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.errors import DataError
from pipeline.storage.json_objects import shown

Items = tuple[Mapping[str, object], ...]


def structured_of(row: Mapping[str, Any], where: str) -> tuple[str, Items]:
    """The provider and its citations, ("", ()) where there are none; DataError for what has another shape."""
    for provider, name in (("openai", "annotations"), ("anthropic", "content"), ("cohere", "citations")):
        items = row.get(name)
        if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
            said = row.get("provider")
            known = said if isinstance(said, str) and said else provider
            for place, item in enumerate(items, 1):
                _check(known, item, f"{where}: {name!r} {place}")
            return known, tuple(items)
        if items is not None and name != "content" and items != []:  # `content` may be the answer's text
            raise DataError(f"{where}: {name!r} is {shown(items)}, expected a list of objects as {provider} sends them")
    return "", ()


def text_of(blocks: list[Any]) -> str:
    """The answer that content blocks hold: their texts, one behind the other."""
    texts = (one.get("text") for one in blocks if isinstance(one, dict) and one.get("type", "text") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _check(provider: str, item: Mapping[str, Any], where: str) -> None:
    if provider == "openai":
        for name in ("url_citation", "file_citation", "file_path"):
            _is(item, name, dict, where)
    elif provider == "anthropic":
        _is(item, "text", str, where)
        _objects(item, "citations", where)
    elif provider == "cohere":
        _is(item, "document_ids", list, where)
        for source in _objects(item, "sources", where):
            _is(source, "document", dict, where)


def _objects(item: Mapping[str, Any], name: str, where: str) -> list[Mapping[str, Any]]:
    _is(item, name, list, where)
    found: list[Mapping[str, Any]] = item.get(name) or []
    if not all(isinstance(one, dict) for one in found):
        raise DataError(f"{where}: {name!r} is {shown(found)}, expected a list of objects")
    return found


def _is(item: Mapping[str, Any], name: str, kind: type, where: str) -> None:
    value = item.get(name)
    if value is not None and not isinstance(value, kind):
        raise DataError(f"{where}: {name!r} is {shown(value)}, expected {_WORDS[kind]}")


_WORDS: dict[type, str] = {dict: "an object", list: "a list", str: "text"}
