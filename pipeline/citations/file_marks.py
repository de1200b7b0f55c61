"""Citation marks of file search: 【4:0†source】 is message 4, source 0 (counted from 0) of what the search found."""

from __future__ import annotations

import re

from pipeline.citations.bodies import trimmed
from pipeline.citations.context import Context
from pipeline.citations.occurrences import Item

_MARK = re.compile(r"\s*(\d{1,9})(?::(\d{1,9}))?\s*†\s*([^†]*)(?:†(.*))?")
_LINES = re.compile(r"L\d+(?:-L?\d+)?")


def file_mark(answer: str, start: int, end: int, context: Context) -> Item | None:
    """What such a mark cites: the file it names where that is known, else a place in the context."""
    found = _MARK.fullmatch(answer, start, end)
    if found is None:
        return None
    name = trimmed(answer, *found.span(3))
    locator = (found[4] or "").strip() or (found[3] if _LINES.fullmatch(found[3].strip()) else "")
    if name is not None and context.find(answer[slice(*name)]).ids:
        return Item(*name, answer[slice(*name)], "id", None, locator)
    numbered = found.span(1) if found[2] is None else (found.start(1), found.end(2))
    text = answer[slice(*numbered)]
    if context.find(text).ids and found[2] is not None:
        return Item(*numbered, text, "id", None, locator)
    number = int(found[1]) if found[2] is None else int(found[2]) + 1
    return Item(*numbered, text, "number" if found[2] is None else "range", (number, number), locator)
