"""Two marks with a dash between them that are one range: [1]–[3] is [1-3]."""

from __future__ import annotations

import re
from itertools import pairwise

from pipeline.citations.occurrences import Item, Marker

_OF_PLACES = frozenset({"bracket_number", "footnote", "caret", "named_number", "superscript", "paren_number"})
_TIGHT = frozenset("-‐‑‒–−~〜～")
_BLANKS = frozenset(" \t\u00a0")
_DASH_APART = re.compile(r"[ \t\u00a0]+[-‐‑‒–—−~〜～][ \t\u00a0]+")
_WORD = re.compile(r"(?i)[ \t\u00a0](?:to|through|bis|à|a|tot)[ \t\u00a0]")
_LONGEST = 12  # characters between the marks
_ENDS = re.compile(r"[ \t\u00a0]*(?:[.,;:!?)\]。，；：！？）、]|\n|$)")
_INTRODUCED = re.compile(
    r"(?i)(?:[(（]|\b(?:see|cf\.?|refs?\.?|references|sources|documents|citations|siehe|vgl\.?|quellen|voir|véase|ver"
    r"|vedi|zie)[ \t\u00a0])[ \t\u00a0]*$"
)
_REACH = 20  # characters looked at before a mark


def with_ranges(text: str, markers: list[Marker]) -> list[Marker]:
    """The markers, with each two that stand for a range made one; three in a row with dashes stay three.

    A hyphen, en dash or tilde without blanks makes a range wherever it stands. With blanks around it, or a dash as
    long as —, only behind text of the same line and where the sentence stops behind the second mark, since it may
    also be the dash between two clauses; or in parentheses or behind `see` and its like. A word (`[1] to [3]`) only
    there.
    """
    if len(markers) < 2:
        return markers
    joined = {i: span for i, pair in enumerate(pairwise(markers)) if (span := _span(text, *pair)) is not None}
    alone = {i: span for i, span in joined.items() if i - 1 not in joined and i + 1 not in joined}
    if not alone:
        return markers
    kept: list[Marker] = []
    items: dict[str, tuple[Item, ...]] = {}
    for i, marker in enumerate(markers):
        if i in alone:
            end = markers[i + 1].end
            whole = text[marker.start : end]
            if whole not in items:
                items[whole] = (_range(text, marker, markers[i + 1], alone[i]),)
            kept.append(Marker(marker.start, end, marker.format, items[whole], marker.start))
        elif i - 1 not in alone:
            kept.append(marker)
    return kept


def _range(text: str, left: Marker, right: Marker, numbers: tuple[int, int]) -> Item:
    """What the whole from one mark to the other cites: the text from one number to the other."""
    start, end = left.origin + left.items[0].start, right.origin + right.items[0].end
    return Item(start - left.start, end - left.start, text[start:end], "range", numbers)


def _span(text: str, left: Marker, right: Marker) -> tuple[int, int] | None:
    """First and last number, if a dash or a word between these neighbours makes them one range."""
    gap = right.start - left.end
    if gap == 1:
        dash = text[left.end]
        joins = dash in _TIGHT or (dash == "—" and _stops(text, left, right))
    elif 3 <= gap <= _LONGEST and text[left.end] in _BLANKS:
        apart = _DASH_APART.fullmatch(text, left.end, right.start) is not None and _stops(text, left, right)
        worded = _WORD.fullmatch(text, left.end, right.start) is not None and _introduced(text, left.start)
        joins = apart or worded
    else:
        return None
    return _numbers(left, right) if joins else None


def _numbers(left: Marker, right: Marker) -> tuple[int, int] | None:
    """The numbers of two marks of the same format, if each holds one and nothing else, and not the same."""
    if left.format != right.format or left.format not in _OF_PLACES:
        return None
    first, last = _number(left), _number(right)
    return None if first is None or last is None or first == last else (first, last)


def _number(marker: Marker) -> int | None:
    item = marker.items[0]
    alone = len(marker.items) == 1 and item.kind == "number" and not item.locator
    return item.numbers[0] if alone and item.numbers is not None else None


def _stops(text: str, left: Marker, right: Marker) -> bool:
    """Whether the dash between the marks cannot be one between two clauses."""
    ends = _ENDS.match(text, right.end) is not None and not _opens_line(text, left.start)
    return ends or _introduced(text, left.start)


def _introduced(text: str, start: int) -> bool:
    return _INTRODUCED.search(text, max(0, start - _REACH), start) is not None


def _opens_line(text: str, start: int) -> bool:
    while start > 0 and text[start - 1] in " \t>*-•":
        start -= 1
    return start == 0 or text[start - 1] == "\n"
