"""Everything in an answer that cites in one of the known formats, and what only looks like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from pipeline.citations.bare_ids import bare_ids
from pipeline.citations.bodies import plain_body, prefixed_body
from pipeline.citations.brackets import bracket_markers, bracketed_ids, brackets_in_code
from pipeline.citations.context import Context
from pipeline.citations.guards import code_spans, hide
from pipeline.citations.links import url_markers
from pipeline.citations.marker_ranges import with_ranges
from pipeline.citations.occurrences import LeftOut, Marker
from pipeline.citations.patterns import Matcher
from pipeline.citations.reference_lists import ReferenceList, reference_list
from pipeline.citations.source_titles import paren_sources
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
    "bare_id": "an id of the context as a word: as kb-7 shows",
}
ON_REQUEST = ("link", "paren_number", "bare_id")  # too common in plain prose to be read unasked

_PAREN = re.compile(r"(?<![\w)\]])[(（]\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,30})\s*[)）]")
_CUT_OFF = re.compile(r"[\[［【]\s*(?:doc_id\s+|fn:|\^|\[?ref:)?[\w.-]{0,40}$")
_OPENING = "[［【"
_ALL_OF_IT = re.compile("")


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
    listed: ReferenceList | None = None


def scan(answer: str, context: Context, formats: Formats) -> Scan:
    """All markers of these formats; where two overlap, the one that begins first (then the longer) counts.

    A reference list at the end holds none. Two marks with a dash between them are then one, of a range.
    """
    code = code_spans(answer)
    shown = hide(answer, code) if code else answer
    found = list(bracketed_ids(shown, context))
    marked, left = bracket_markers(shown, context, formats)
    found += marked
    left += brackets_in_code(answer, code, context)
    for one in _others(shown, context, formats):
        (left if isinstance(one, LeftOut) else found).append(one)  # type: ignore[arg-type]
    cut = _cut_off(shown)
    if cut is not None:
        left.append(cut)
    markers = _apart(found)
    listed = reference_list(answer, shown, markers, context)
    if listed is not None:
        markers = [one for one in markers if not listed.start <= one.start < listed.end]
        left = [one for one in left if not listed.start <= one.start < listed.end]
        left.append(LeftOut(listed.start, listed.end, answer[listed.start : listed.end], "reference list"))
    return Scan(tuple(with_ranges(shown, markers)), tuple(sorted(left, key=lambda one: one.start)), listed)


def _others(shown: str, context: Context, formats: Formats) -> Iterator[Marker | LeftOut]:
    """What each of the other formats finds by itself."""
    if "source_title" in formats:
        yield from paren_sources(shown, context)
    if "superscript" in formats:
        yield from superscripts(shown, context)
    if "url" in formats and context.by_url:
        yield from url_markers(shown)
    if "paren_number" in formats:
        yield from _parens(shown, context)
    if "bare_id" in formats:
        yield from bare_ids(shown, context)
    for matcher in formats.matchers:
        yield from _matched(shown, matcher, context)


def _apart(markers: list[Marker]) -> list[Marker]:
    if all(one.end <= other.start for one, other in pairwise(markers)):
        return markers
    kept: list[Marker] = []
    for marker in sorted(markers, key=lambda one: (one.start, -one.end)):
        if not kept or marker.start >= kept[-1].end:
            kept.append(marker)
    return kept


def _cut_off(shown: str) -> LeftOut | None:
    """A marker that the end of the answer cuts off."""
    last = max(shown.rfind(sign) for sign in _OPENING)
    if last < 0:
        return None
    before = last - 1
    while before >= 0 and shown[before].isspace():
        before -= 1
    found = _CUT_OFF.search(shown, before if before >= 0 and shown[before] in _OPENING else last)
    return None if found is None else LeftOut(found.start(), found.end(), found[0], "unterminated")


def _parens(shown: str, context: Context) -> Iterator[Marker]:
    for found in _PAREN.finditer(shown):
        body = plain_body(found[1], 0, len(found[1]), context)
        if body.items:
            yield Marker(found.start(), found.end(), "paren_number", body.items, found.start(1))


def _matched(shown: str, matcher: Matcher, context: Context) -> Iterator[Marker]:
    """Markers of a pattern of the user's own: whatever its group holds is meant as a citation."""
    for place in matcher.places(shown):
        body = prefixed_body(shown, place.id_start, place.id_end, context, _ALL_OF_IT)
        if body.items and place.start < place.end:
            yield Marker(place.start, place.end, matcher.name, body.items)
