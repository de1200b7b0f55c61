"""Everything in an answer that cites in one of the known formats, and what only looks like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pipeline.citations.bodies import Body, plain_body, prefixed_body, trimmed
from pipeline.citations.context import Context
from pipeline.citations.file_marks import file_mark
from pipeline.citations.guards import HIDDEN, code_spans, hide
from pipeline.citations.links import Tail, link_tail, url_markers
from pipeline.citations.occurrences import Item, LeftOut, Marker
from pipeline.citations.patterns import Matcher
from pipeline.citations.source_titles import paren_sources, title_body
from pipeline.citations.superscripts import superscripts

FORMATS = {
    "bracket_number": "[1], [1, 2], [3-5], also 【1】 and ［1］",
    "bracket_id": "[X] with X an id of the context, or made like one",
    "doc_id": "[doc_id X]",
    "source_ref": "[[ref:X]]",
    "footnote": "[fn:1]",
    "caret": "[^1]",
    "named_number": "[Source 1], [Document 2]",
    "source_title": "(Source: Title)",
    "superscript": "¹ and <sup>1</sup>",
    "file_mark": "【4:0†source】",
    "url": "https://… where the context has URLs",
    "link": "[1](https://…) as a citation of 1",
    "paren_number": "(1)",
}
ON_REQUEST = ("link", "paren_number")  # too common in plain prose to be read unasked

_CLOSING = {"[": "]", "［": "］", "【": "】", "〔": "〕", "〖": "〗"}
_BRACKET = re.compile(r"(\[{1,2}|[［【〔〖])([^\[\]［］【】〔〕〖〗]{1,300}+)(\]{1,2}|[］】〕〗])")
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
_TITLED = re.compile(r"\s*(?:sources?|src|quellen?|fuentes?|fontes?|来源|來源|出典)\s*[:：]\s*", re.IGNORECASE)
_WORDY = re.compile(r"\s*[^\W\d]|\s*[\^＾]")
_PAREN = re.compile(r"(?<![\w)\]])[(（]\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,30})\s*[)）]")
_DEFINITION = re.compile(r":[ \t]*(?:\S|$)")
_INTERVAL = re.compile(r"(?i)(?:∈|\b(?:in|interval|range|between|within|scale|from)\b)\s*$")
_FROM_ZERO = re.compile(r"\s*(?:0|-1)(?:\.0+)?\s*[,;]\s*\d+(?:\.\d+)?\s*")
_CUT_OFF = re.compile(r"[\[［【]\s*(?:doc_id\s+|fn:|\^|\[?ref:)?[\w.-]{0,40}$")
_NUMBERS = re.compile(r"[\s\d,;–-]+")


@dataclass(frozen=True)
class Formats:
    """What is looked for: names of FORMATS and patterns of the user's own."""

    names: frozenset[str]
    matchers: tuple[Matcher, ...] = ()

    def __contains__(self, name: object) -> bool:
        return name in self.names


class Scan(NamedTuple):
    """Markers in text order, apart from each other, and what was left out."""

    markers: tuple[Marker, ...]
    left_out: tuple[LeftOut, ...]


def scan(answer: str, context: Context, formats: Formats) -> Scan:
    """All markers of these formats; where two overlap, the one that begins first (then the longer) counts."""
    code = code_spans(answer)
    shown = hide(answer, code) if code else answer
    found: list[Marker] = []
    left: list[LeftOut] = list(_in_code(answer, code, context))
    for one in _brackets(shown, context, formats):
        (left if isinstance(one, LeftOut) else found).append(one)  # type: ignore[arg-type]
    for start, end, body in paren_sources(shown, context) if "source_title" in formats else ():
        found.append(Marker(start, end, "source_title", body))
    for one in superscripts(shown, context) if "superscript" in formats else ():
        (left if isinstance(one, LeftOut) else found).append(one)  # type: ignore[arg-type]
    if "url" in formats and context.by_url:
        found += url_markers(shown)
    if "paren_number" in formats:
        found += _parens(shown, context)
    for matcher in formats.matchers:
        found += _matched(shown, matcher, context)
    cut = _CUT_OFF.search(shown)
    if cut is not None:
        left.append(LeftOut(cut.start(), cut.end(), answer[cut.start() :], "unterminated"))
    return Scan(_apart(found), tuple(sorted(left, key=lambda one: one.start)))


def _apart(markers: list[Marker]) -> tuple[Marker, ...]:
    kept: list[Marker] = []
    for marker in sorted(markers, key=lambda one: (one.start, -one.end)):
        if not kept or marker.start >= kept[-1].end:
            kept.append(marker)
    return tuple(kept)


def _brackets(shown: str, context: Context, formats: Formats) -> Iterator[Marker | LeftOut]:
    if context.bracketed:
        yield from _bracketed_ids(shown, context)
    taken = 0
    bodies: dict[str, tuple[str, Body]] = {}
    for found in _BRACKET.finditer(shown):
        pair = _pair(found)
        if pair is None or found.start() < taken:
            continue
        inner = found[2][:-1] if _escaped(shown, pair.start, found[2]) else found[2]
        if inner not in bodies:
            bodies[inner] = _body(inner, context)
        name, body = bodies[inner]
        tail = link_tail(shown, pair.end)
        taken = pair.end if tail is None else tail.end
        if tail is not None and not pair.double:
            yield _linked(shown, pair, tail, _moved(body, found.start(2)), formats, bool(context.by_url))
        elif reason := _guarded(shown, pair.start, pair.end, body):
            yield LeftOut(pair.start, pair.end, shown[pair.start : pair.end], reason)
        elif name in formats:
            yield Marker(pair.start, pair.end, name, _moved(body, found.start(2)))


def _linked(
    shown: str, pair: _Pair, tail: Tail, items: tuple[Item, ...], formats: Formats, urls: bool
) -> Marker | LeftOut:
    """A markdown link: a citation of its text or of its URL where that is asked for."""
    if "link" in formats and items:
        return Marker(pair.start, tail.end, "link", items)
    if "url" in formats and urls:
        return Marker(pair.start, tail.end, "url", (tail.item,))
    return LeftOut(pair.start, tail.end, shown[pair.start : tail.end], "link")


def _escaped(shown: str, start: int, inner: str) -> bool:
    """Whether these brackets are escaped for markdown, which shows them as plain ones."""
    return inner.endswith("\\") and shown[start - 1 : start] == "\\"


def _moved(body: Body, by: int) -> tuple[Item, ...]:
    return tuple(
        Item(item.start + by, item.end + by, item.text, item.kind, item.numbers, item.locator) for item in body.items
    )


class _Pair(NamedTuple):
    """The innermost brackets that belong together: characters [start, end)."""

    start: int
    end: int
    double: bool


def _pair(found: re.Match[str]) -> _Pair | None:
    opening, closing = found[1], found[3]
    if closing[0] != _CLOSING[opening[0]]:
        return None
    both = min(len(opening), len(closing))
    return _Pair(found.start(2) - both, found.end(2) + both, both == 2)


def _body(inner: str, context: Context) -> tuple[str, Body]:
    """Format and items of what stands between brackets; places count from the opening one."""
    end = len(inner)
    if HIDDEN in inner:
        return "bracket_id", Body((), "code")
    whole = trimmed(inner, 0, end)
    opened = None if whole is None or context.find(inner[slice(*whole)]).ids else _prefix(inner)
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


def _prefix(inner: str) -> tuple[str, int] | None:
    """Format that the words before an id name, and where the id begins."""
    if _WORDY.match(inner) is None:
        return None
    for name, prefix in (*_PREFIXES.items(), ("source_title", _TITLED)):
        opened = prefix.match(inner)
        if opened is not None and opened.end() < len(inner):
            return name, opened.end()
    return None


def _guarded(shown: str, start: int, end: int, body: Body) -> str:
    """Why these brackets are no citation after all; "" if they are one."""
    if not body.items:
        return body.reason or "prose"
    if shown[end : end + 1] == ":" and _DEFINITION.match(shown, end) and _opens_line(shown, start):
        return "definition"
    if _FROM_ZERO.fullmatch(shown, start + 1, end - 1) and _INTERVAL.search(shown, max(0, start - 20), start):
        return "interval"
    return ""


def _opens_line(text: str, start: int) -> bool:
    before = text.rfind("\n", 0, start)
    return start - before <= 40 and not text[before + 1 : start].strip(" \t>*-")


def _bracketed_ids(shown: str, context: Context) -> Iterator[Marker]:
    """Ids that contain brackets or commas themselves, the longest first."""
    key = context.spelling.key
    for found in _bracketed(context.bracketed).finditer(shown):
        if key(found[2]) in context.by_id:
            both = min(len(found[1]), len(found[3]))
            item = Item(found.start(2), found.end(2), found[2], "id")
            yield Marker(found.start(2) - both, found.end(2) + both, "bracket_id", (item,))


@lru_cache(maxsize=256)
def _bracketed(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"([\[［【〔〖]{{1,2}})({'|'.join(map(re.escape, names))})([\]］】〕〗]{{1,2}})", re.IGNORECASE)


def _parens(shown: str, context: Context) -> list[Marker]:
    bodies = [(found, plain_body(shown, found.start(1), found.end(1), context)) for found in _PAREN.finditer(shown)]
    return [Marker(found.start(), found.end(), "paren_number", body.items) for found, body in bodies if body.items]


def _matched(shown: str, matcher: Matcher, context: Context) -> list[Marker]:
    """Markers of a pattern of the user's own: whatever its group holds is meant as a citation."""
    nothing = re.compile("")
    markers: list[Marker] = []
    for place in matcher.places(shown):
        body = prefixed_body(shown, place.id_start, place.id_end, context, nothing)
        if body.items and place.start < place.end:
            markers.append(Marker(place.start, place.end, matcher.name, body.items))
    return markers


def _in_code(answer: str, code: list[tuple[int, int]], context: Context) -> Iterator[LeftOut]:
    """Brackets in code that would be citations elsewhere."""
    for start, end in code:
        for found in _BRACKET.finditer(answer, start, end):
            if _NUMBERS.fullmatch(found[2]) or plain_body(answer, found.start(2), found.end(2), context).items:
                yield LeftOut(found.start(), found.end(), found[0], "code")
