"""Where headings stand: `# Title`, and titles with a line of signs under them (Markdown, reStructuredText)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_NUMBERED = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:._])\1{2,}[ \t]*$")
_SHORT = "=-"  # Markdown takes these under a title of any length, the others are as long as the title


class Heading(NamedTuple):
    """A heading of a text; the section it opens reaches to the next one."""

    start: int  # first character of its line, or of the line of signs above it
    level: int  # 1 = outermost
    title: str


class _Line(NamedTuple):
    start: int
    text: str  # without the line end


def headings(text: str) -> list[Heading]:
    """All headings, ascending. Lines in fenced code are none; underlines count as levels in order of appearance."""
    found: list[Heading] = []
    signs: dict[str, int] = {}
    lines = [_Line(place.start(), place.group().rstrip("\r\n")) for place in _LINE.finditer(text) if place.group()]
    for number in _outside_code(lines):
        line = lines[number]
        marked = _NUMBERED.match(line.text)
        if marked:
            found.append(Heading(line.start, len(marked[1]), marked[2]))
            continue
        sign = _underlined(lines, number)
        if sign:
            over = number > 0 and _UNDERLINE.match(lines[number - 1].text)
            start = lines[number - 1].start if over else line.start
            kind = f"{sign}{sign}" if over else sign  # a line above and below is another level than one below
            found.append(Heading(start, signs.setdefault(kind, len(signs) + 1), line.text.strip()))
    return found


def section_starts(text: str) -> list[int]:
    """First characters of the sections that headings open, ascending; without those at the very beginning."""
    return [heading.start for heading in headings(text) if heading.start > 0]


def _outside_code(lines: list[_Line]) -> Iterator[int]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line.text)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield number


def _underlined(lines: list[_Line], number: int) -> str:
    """The sign under the title that line `number` is, "" if it is none: it stands alone, its underline below it."""
    if number + 1 >= len(lines):
        return ""
    title = lines[number].text
    under = _UNDERLINE.match(lines[number + 1].text)
    if not under or not title.strip() or _UNDERLINE.match(title):
        return ""
    before = lines[number - 1].text if number else ""
    alone = not before.strip() or _UNDERLINE.match(before)
    fits = under[1] in _SHORT or len(lines[number + 1].text.rstrip()) >= len(title.rstrip())
    return under[1] if alone and fits else ""
