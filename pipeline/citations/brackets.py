"""Brackets that cite: what stands between them is taken apart once for each text, however often it is written."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import NamedTuple

from pipeline.citations.bodies import YEARS, Body, plain_body, prefixed_body, trimmed
from pipeline.citations.context import Context
from pipeline.citations.file_marks import file_mark
from pipeline.citations.guards import HIDDEN
from pipeline.citations.links import Tail, link_tail, url_items
from pipeline.citations.occurrences import Item, LeftOut, Marker
from pipeline.citations.source_titles import title_body

_CLOSING = {"[": "]", "［": "］", "【": "】", "〔": "〕", "〖": "〗"}
_BRACKET = re.compile(r"([\[［【〔〖](?:(?<=\[)\[)?)([^\[\]［］【】〔〕〖〗]{1,300}+)(\]\]?|[］】〕〗])")
_ASCII_BRACKET = re.compile(r"(\[\[?)([^\[\]]{1,300}+)(\]\]?)")  # the engine skips to one sign faster than to a class
_PREFIXES = {
    "doc_id": re.compile(r"\s*doc_?id(?:\s*[:：=#]\s*|\s+)", re.IGNORECASE),
    "source_ref": re.compile(r"\s*ref\s*[:：]\s*", re.IGNORECASE),
    "footnote": re.compile(r"\s*fn\s*[:：]\s*", re.IGNORECASE),
    "caret": re.compile(r"\s*[\^＾]\s*"),
    "named_number": re.compile(
        r"\s*(?:sources?|documents?|docs?|passages?|contexts?|references?|citations?|excerpts?|quellen?|dokumente?)"
        r"\s+(?:no\.?\s*|nr\.?\s*|#\s*)?(?=\d)",
        re.IGNORECASE,
    ),
}
_SIMPLE = re.compile(r"(\^|fn:)?([0-9]{1,9})")  # the most frequent bodies, taken apart at once
_SIMPLE_FORMATS = {None: "bracket_number", "^": "caret", "fn:": "footnote"}
_TITLED = re.compile(r"\s*(?:sources?|src|quellen?|fuentes?|fontes?|来源|來源|出典)\s*[:：]\s*", re.IGNORECASE)
_ANY_PREFIX = re.compile("|".join(one.pattern for one in (*_PREFIXES.values(), _TITLED)), re.IGNORECASE)
_DEFINITION = re.compile(r":[ \t]*(?:\S|$)")
_INTERVAL = re.compile(r"(?i)(?:∈|\b(?:in|interval|range|between|within|scale|from)\b)\s*$")
_FROM_ZERO = re.compile(r"\s*(?:0|-1)(?:\.0+)?\s*[,;]\s*\d+(?:\.\d+)?\s*")
_NUMBERS = re.compile(r"[\s\d,;–-]+")
_MOST_REMEMBERED = 1_000  # texts of brackets a context


class _Shape(NamedTuple):
    """What brackets with this text are, wherever they stand; places count from the first of its signs."""

    start: int  # of the innermost brackets that belong together
    end: int
    double: bool
    format: str
    items: tuple[Item, ...]  # their places count from the signs behind the opening bracket
    origin: int
    reason: str  # why it cites nothing; "" = it does
    from_zero: bool  # may be an interval of numbers


def bracket_markers(shown: str, context: Context, formats: Container[str]) -> tuple[list[Marker], list[LeftOut]]:
    """Every pair of brackets that cites in one of these formats, and those that only look like it."""
    shapes = _shapes_of(context)
    markers: list[Marker] = []
    left: list[LeftOut] = []
    taken = 0
    made = tuple.__new__  # faster than Marker(…)
    for found in (_ASCII_BRACKET if shown.isascii() else _BRACKET).finditer(shown):
        at, text = found.start(), found[0]
        if at < taken:
            continue
        if "\\" in text and shown[at - 1 : at] == "\\":
            text = "\\" + text
        if text not in shapes:
            shapes[text] = _shape(found, shown, context)
        shape = shapes[text]
        if shape is None:
            continue
        start, end = at + shape.start, at + shape.end
        follows = shown[end : end + 1]
        tail = link_tail(shown, end) if follows == "(" else None
        taken = end if tail is None else tail.end
        guarded = follows == ":" or shape.from_zero
        reason = shape.reason or (_guarded(shown, start, end, shape) if guarded else "")
        if tail is not None and not shape.double:
            one = _linked(shown, at, shape, tail, formats, context)
            (left if isinstance(one, LeftOut) else markers).append(one)  # type: ignore[arg-type]
        elif reason:
            left.append(LeftOut(start, end, shown[start:end], reason))
        elif shape.format in formats:
            markers.append(made(Marker, (start, end, shape.format, shape.items, at + shape.origin)))
    if len(shapes) > _MOST_REMEMBERED:
        shapes.clear()
    return markers, left


def bracketed_ids(shown: str, context: Context) -> Iterator[Marker]:
    """Ids that contain brackets or commas themselves, the longest first."""
    if not context.bracketed:
        return
    key = context.spelling.key
    for found in _bracketed(context.bracketed).finditer(shown):
        if key(found[2]) in context.by_id:
            both = min(len(found[1]), len(found[3]))
            item = Item(found.start(2), found.end(2), found[2], "id")
            yield Marker(found.start(2) - both, found.end(2) + both, "bracket_id", (item,))


def brackets_in_code(answer: str, code: list[tuple[int, int]], context: Context) -> Iterator[LeftOut]:
    """Brackets in code that would be citations elsewhere."""
    cites: dict[str, bool] = {}
    for start, end in code:
        for found in _BRACKET.finditer(answer, start, end):
            inner = found[2]
            if inner not in cites:
                numbers = _NUMBERS.fullmatch(inner) is not None
                cites[inner] = numbers or bool(plain_body(inner, 0, len(inner), context).items)
            if cites[inner]:
                yield LeftOut(found.start(), found.end(), found[0], "code")


def _shape(found: re.Match[str], shown: str, context: Context) -> _Shape | None:
    """None where the closing bracket is of another kind than the opening one."""
    opening, inner, closing = found.groups()
    if closing[0] != _CLOSING[opening[0]]:
        return None
    both = min(len(opening), len(closing))
    start, end = len(opening) - both, len(opening) + len(inner) + both
    origin, raw = len(opening), inner
    if inner.endswith("\\") and shown[found.start() + start - 1 : found.start() + start] == "\\":
        inner = inner[:-1]  # escaped for markdown, which shows them as plain ones
    simple = _SIMPLE.fullmatch(inner)
    if simple is not None and (simple[1] is None or not context.find(inner).ids):
        number = int(simple[2])
        if simple[1] is not None or number not in YEARS:
            item = Item(*simple.span(2), simple[2], "number", (number, number))
            return _Shape(start, end, both == 2, _SIMPLE_FORMATS[simple[1]], (item,), origin, "", False)
    from_zero = both == 1 and _FROM_ZERO.fullmatch(raw) is not None
    name, body = _body(inner, context)
    reason = "" if body.items else body.reason or "prose"
    return _Shape(start, end, both == 2, name, body.items, origin, reason, from_zero)


def _linked(
    shown: str, at: int, shape: _Shape, tail: Tail, formats: Container[str], context: Context
) -> Marker | LeftOut:
    """A markdown link: a citation of its text or of its URL where that is asked for."""
    start = at + shape.start
    if "link" in formats and shape.items:
        return Marker(start, tail.end, "link", shape.items, at + shape.origin)
    if "url" in formats and context.by_url:
        return Marker(start, tail.end, "url", url_items(tail.target), tail.start)
    return LeftOut(start, tail.end, shown[start : tail.end], "link")


def _body(inner: str, context: Context) -> tuple[str, Body]:
    """Format and items of what stands between brackets; places count from the opening one."""
    end = len(inner)
    if HIDDEN in inner:
        return "bracket_id", Body((), "code")
    opened = _prefix(inner, context)
    if opened is not None:
        name, begins = opened
        closes = end - 1 if name == "caret" and inner[end - 1] in "^＾" else end
        if name == "source_title":
            return name, Body(title_body(inner, begins, closes, context))
        return name, prefixed_body(inner, begins, closes, context, _PREFIXES[name])
    mark = file_mark(inner, 0, end, context) if "†" in inner else None
    if mark is not None:
        return "file_mark", Body((mark,))
    plain = plain_body(inner, 0, end, context)
    return ("bracket_id" if any(item.kind == "id" for item in plain.items) else "bracket_number"), plain


def _prefix(inner: str, context: Context) -> tuple[str, int] | None:
    """Format that the words before an id name, and where the id begins; None too for a whole that is an id."""
    if _ANY_PREFIX.match(inner) is None:
        return None
    whole = trimmed(inner, 0, len(inner))
    if whole is None or context.find(inner[slice(*whole)]).ids:
        return None
    for name, prefix in (*_PREFIXES.items(), ("source_title", _TITLED)):
        opened = prefix.match(inner)
        if opened is not None and opened.end() < len(inner):
            return name, opened.end()
    return None


def _guarded(shown: str, start: int, end: int, shape: _Shape) -> str:
    """Why these brackets are no citation after all; "" if they are one."""
    if shown[end : end + 1] == ":" and _DEFINITION.match(shown, end) and _opens_line(shown, start):
        return "definition"
    if shape.from_zero and _INTERVAL.search(shown, max(0, start - 20), start):
        return "interval"
    return ""


def _opens_line(text: str, start: int) -> bool:
    before = text.rfind("\n", max(0, start - 40), start)
    near = before >= 0 or start < 40
    return near and not text[before + 1 : start].strip(" \t>*-")


@lru_cache(maxsize=8)
def _shapes_of(context: Context) -> dict[str, _Shape | None]:
    """What brackets with some text were in answers of the same context, to which more is added."""
    return {}


@lru_cache(maxsize=256)
def _bracketed(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"([\[［【〔〖]{{1,2}})({'|'.join(map(re.escape, names))})([\]］】〕〗]{{1,2}})", re.IGNORECASE)
