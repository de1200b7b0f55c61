"""What was probably meant as a citation but fits no format that is read: the sign that a format changed."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.citations.context import Context
from pipeline.citations.identifiers import whole_number
from pipeline.citations.occurrences import Reading


class NearMiss(NamedTuple):
    """Characters [start, end) of the answer, and the format they come near to."""

    start: int
    end: int
    text: str
    like: str


_CLOSE = {  # format -> what is nearly written in it; group 1 is what would be cited
    "paren_number": re.compile(r"(?<=\s)\((\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,9})\)(?=[\s.,;:!?]|$)"),
    "doc_id": re.compile(r"(?i)[\[({<]\s*doc(?:ument)?[_ ]?(?:id)?\s*[:=#]?\s*([^\s\[\](){}<>]{1,80})\s*[\])}>]"),
    "source_ref": re.compile(r"(?i)[\[({<]{1,2}\s*ref(?:erence)?\s*[:=#]?\s*([^\s\[\](){}<>]{1,80})\s*[\])}>]{1,2}"),
    "footnote": re.compile(r"(?i)[\[({<]?\s*\bfn\s*[:.#]?\s*(\d{1,3})\b\s*[\])}>]?"),
    "source_title": re.compile(r"\b(?:Source|Quelle|Fuente)s?\s*[-–—:]\s*([^\n.;()\[\]]{1,120})"),
    "bracket_number": re.compile(r"[{<|]\s*(\d{1,3}(?:\s*,\s*\d{1,3}){0,9})\s*[}>|]|\[\s*(\d{1,3})\s*(?=$|[.)\n])"),
    "bare_id": re.compile(r"[({<]\s*([^\s\[\](){}<>]{2,80})\s*[)}>]"),
}


_EXPLAINED = ("link", "definition", "interval", "reference list")


def near_misses(answer: str, context: Context, reading: Reading) -> tuple[NearMiss, ...]:
    """Near misses in text order, outside of what was read as a citation; a number must be one of the context."""
    taken = bytearray(len(answer))
    for read in reading.occurrences:
        _take(taken, read.start, read.end)
    for one in reading.left_out:
        if one.reason in _EXPLAINED:
            _take(taken, one.start, one.end)
    found: list[NearMiss] = []
    for like, pattern in _CLOSE.items():
        for place in pattern.finditer(answer):
            cited = next((group for group in place.groups() if group), "")
            if any(taken[place.start() : place.end()]) or not _plausible(like, cited, context):
                continue
            _take(taken, *place.span())
            found.append(NearMiss(place.start(), place.end(), place[0].strip(), like))
    for one in reading.left_out:
        if one.reason == "code" and not any(taken[one.start : one.end]):
            found.append(NearMiss(one.start, one.end, one.text, "code"))
    return tuple(sorted(found))


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)


def _plausible(like: str, cited: str, context: Context) -> bool:
    """Whether what stands there leads somewhere, or is at least written like a citation."""
    numbers = [whole_number(part.strip()) for part in re.split(r"[,;–-]", cited)]
    if all(number is not None for number in numbers):
        if like == "bare_id":
            return False
        return all(number in context.by_number or context.position(number or 0) is not None for number in numbers)
    if like == "bare_id":
        found = context.find(cited)
        return bool(found.ids) and not found.fuzzy and not cited.isalpha()
    if like == "source_title":
        return bool(context.find_title(cited.strip()).ids) or not context.by_title
    return bool(context.find(cited).ids) or context.kin(cited)
