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
_LONG = re.compile(rf"{_DIGIT}{{10}}")
_PART = re.compile(rf"({_DIGIT}+)(?:⁻({_DIGIT}+))?")
_TAG = re.compile(r"(?i)<sup>\s{0,9}\[?\s{0,9}(\d[\d\s,;–-]{0,60})\]?\s{0,9}</sup>")
_UNITS = frozenset([*"abcdefghijklmnopqrstuvwxyz", "km", "dm", "cm", "mm", "nm", "µm", "ft", "in", "yd", "mi", "kg"])
_WORD_BEFORE = re.compile(r"(\w+|[)\]])$")
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def superscripts(text: str, context: Context) -> Iterator[Marker | LeftOut]:
    """Markers, and the exponents that are none."""
    runs: dict[str, tuple[Item, ...]] = {}
    for found in _TAG.finditer(text) if "<" in text else ():
        inner = found[1]
        if inner not in runs:
            runs[inner] = plain_body(inner, 0, len(inner), context).items
        if runs[inner]:
            yield Marker(found.start(), found.end(), "superscript", runs[inner], found.start(1))
    for found in _RUN.finditer(text) if not text.isascii() else ():
        start, end, run = found.start(), found.end(), found[0]
        if _exponent(text, start) or _LONG.search(run) is not None:
            yield LeftOut(start, end, run, "exponent")
            continue
        if run not in runs:
            runs[run] = tuple(_items(run, context))
        yield Marker(start, end, "superscript", runs[run], start)


def _exponent(text: str, start: int) -> bool:
    """Whether the run that begins there is a power: behind a unit, a letter, or a number of one or two digits."""
    if start == 0 or not text[start - 1].isalnum():
        return False
    before = _WORD_BEFORE.search(text, max(0, start - 20), start)
    if before is None:
        return False
    word = unicodedata.normalize("NFKC", before[1]).lower()
    if word.isdecimal():
        return len(word) <= 2
    return word in _UNITS


def _items(run: str, context: Context) -> Iterator[Item]:
    """Numbers and ranges of a run."""
    known: dict[str, list[Item]] = {}
    for found in _PART.finditer(run):
        start, part = found.start(), found[0]
        if part not in known:
            known[part] = _of_part(found, context)
        for first, end, text, kind, numbers, _ in known[part]:
            yield Item(start + first, start + end, text, kind, numbers)


def _of_part(part: re.Match[str], context: Context) -> list[Item]:
    """A number, a range, or digits side by side where only they lead somewhere; places count from the part."""
    text, length = part[0], len(part[0])
    first = int(part[1].translate(_PLAIN))
    if part[2] is not None:
        return [Item(0, length, text, "range", (first, int(part[2].translate(_PLAIN))))]
    if length > 1 and not _leads(first, context):
        digits = [int(digit) for digit in text.translate(_PLAIN)]
        if all(_leads(digit, context) for digit in digits):
            return [Item(i, i + 1, text[i], "number", (one, one)) for i, one in enumerate(digits)]
    return [Item(0, length, text, "number", (first, first))]


def _leads(number: int, context: Context) -> bool:
    return number in context.by_number or context.position(number) is not None
