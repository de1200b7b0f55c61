"""Superscript numbers as citations: ¹, ¹,³, ¹⁻³, <sup>1</sup>; exponents and units are none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from pipeline.citations.bodies import plain_body
from pipeline.citations.context import Context
from pipeline.citations.occurrences import Item, LeftOut, Marker

_DIGIT = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"
_RUN = re.compile(rf"⁽?{_DIGIT}++(?:[ ]?[,⁻⸴˒][ ]?{_DIGIT}++)*+⁾?")
_DIGITS = re.compile(rf"{_DIGIT}+")
_PART = re.compile(rf"({_DIGIT}+)(?:⁻({_DIGIT}+))?")
_TAG = re.compile(r"(?i)<sup>\s{0,9}\[?\s{0,9}(\d[\d\s,;–-]{0,60})\]?\s{0,9}</sup>")
_UNITS = frozenset([*"abcdefghijklmnopqrstuvwxyz", "km", "dm", "cm", "mm", "nm", "µm", "ft", "in", "yd", "mi", "kg"])
_WORD_BEFORE = re.compile(r"(\w+|[)\]])$")


def superscripts(text: str, context: Context) -> Iterator[Marker | LeftOut]:
    """Markers, and the exponents that are none."""
    for found in _TAG.finditer(text):
        body = plain_body(text, found.start(1), found.end(1), context)
        if body.items:
            yield Marker(found.start(), found.end(), "superscript", body.items)
    for found in _RUN.finditer(text):
        if _exponent(text, found) or max(map(len, _DIGITS.findall(found[0]))) > 9:
            yield LeftOut(found.start(), found.end(), found[0], "exponent")
        else:
            items = tuple(item for part in _PART.finditer(text, *found.span()) for item in _items(part, context))
            yield Marker(found.start(), found.end(), "superscript", items)


def _exponent(text: str, found: re.Match[str]) -> bool:
    """Whether the run is a power: behind a unit, a letter, or a number of one or two digits."""
    before = _WORD_BEFORE.search(text, max(0, found.start() - 20), found.start())
    if before is None:
        return False
    word = unicodedata.normalize("NFKC", before[1]).lower()
    if word.isdecimal():
        return len(word) <= 2
    return word in _UNITS


def _items(part: re.Match[str], context: Context) -> list[Item]:
    """A number, a range, or digits side by side where only they lead somewhere."""
    first = int(unicodedata.normalize("NFKC", part[1]))
    if part[2] is not None:
        return [Item(part.start(), part.end(), part[0], "range", (first, int(unicodedata.normalize("NFKC", part[2]))))]
    digits = [int(unicodedata.normalize("NFKC", digit)) for digit in part[1]]
    leads = _leads(first, context)
    if not leads and len(digits) > 1 and all(_leads(digit, context) for digit in digits):
        start = part.start()
        return [Item(start + i, start + i + 1, part[1][i], "number", (digit, digit)) for i, digit in enumerate(digits)]
    return [Item(part.start(), part.end(), part[0], "number", (first, first))]


def _leads(number: int, context: Context) -> bool:
    return number in context.by_number or context.position(number) is not None
