"""The list of references at the end of an answer: no place of citation, but it says what the numbers mean.

Two forms are known: a last section below a line such as **Sources:**, and last lines such as `[1] Title or URL`
without one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from pipeline.citations.context import Context, Match
from pipeline.citations.entries import Entry, Lead, entry_of, holds_address, names_a_document, says_what, sentence_like
from pipeline.citations.guards import HIDDEN
from pipeline.citations.numbering import number_spans
from pipeline.citations.occurrences import Marker

_WORDS = (
    r"references?|reference list|list of references|sources?|sources used|works cited|bibliography|citations?"
    r"|quellen|quellenangaben|quellenverzeichnis|literatur|literaturverzeichnis|einzelnachweise"
    r"|fuentes|referencias|bibliografía|références|bibliographie|fontes|referências|fonti|riferimenti|bibliografia"
    r"|bronnen|referenties|来源|來源|参考文献|參考文獻|参考资料|引用|出典|참고문헌|источники"
)
_HEADING = re.compile(
    rf"\n[ \t>]*+(?:\#{{1,6}}[ \t]++)?(?:\d{{1,2}}\.[ \t]++)?[*_]{{0,3}}(?:{_WORDS})"
    r"[ \t]*+[:：]?+[*_]{0,3}+[ \t]*+[:：]?+[ \t#]*+$(?:\n[ \t]*+[-=]{3,}+[ \t]*+$)?",
    re.IGNORECASE | re.MULTILINE,
)
_OTHER_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]")
_WORD = re.compile(r"[^\W_]")
_IN_ENTRIES = frozenset({"url", "bare_id"})  # what an entry itself is made of
_GOES_ON = re.compile(r"[ \t]{2,}\S|<?https?://")  # a line that belongs to the entry before it


class _Line(NamedTuple):
    """An entry and its place."""

    start: int
    end: int
    entry: Entry
    text: str  # all of it


class ReferenceList(NamedTuple):
    """Characters [start, end) of the answer, and the document that the list gives to a number."""

    start: int
    end: int
    says: Mapping[int, Match]  # each with one id


class _Found(NamedTuple):
    start: int
    lines: list[_Line]


def reference_list(answer: str, shown: str, markers: Sequence[Marker], context: Context) -> ReferenceList | None:
    """The reference list at the end of the answer; None if there is none, or nothing stands before it.

    `shown` is the answer with its code hidden: no list stands there, but a line of a list may name a file as code.
    """
    marks = [one for one in markers if one.format not in _IN_ENTRIES]
    found = _section(shown, marks, context) or _last_lines(shown, marks, context)
    if found is None or _WORD.search(shown, 0, found.start) is None:
        return None
    cited = _cited([one for one in markers if one.start < found.start], [line.entry for line in found.lines])
    says: dict[int, set[Match]] = {}
    for line in found.lines:
        number, text = line.entry.number, line.entry.text
        if number in cited:
            said = says_what(entry_of(answer[line.start : line.end]).text if HIDDEN in text else text, context)
            if said is not None:
                says.setdefault(number, set()).add(said)
    agreed = {number: said.pop() for number, said in says.items() if len({one.ids for one in said}) == 1}
    return ReferenceList(found.start, found.lines[-1].end, agreed)


def _section(shown: str, markers: Sequence[Marker], context: Context) -> _Found | None:
    """The lines below the last heading of references: all up to the end, but for closing words without a citation."""
    headings = list(_HEADING.finditer(shown))
    if not headings:
        return None
    heading = headings[-1]  # it begins with the line break before it
    starts = [one.start for one in markers]
    found = _Found(heading.start() + 1, [])
    led = gap = False
    for line in _lines(shown, heading.end() + 1):
        if line.start == line.end:
            gap = True
            continue
        cites = bisect_left(starts, line.start) < bisect_left(starts, line.end)
        if _OTHER_HEADING.match(line.text):
            return None
        if line.entry.lead is Lead.PLAIN and not (led and not gap):
            if led or cites or _prose(line, context):
                return found if found.lines and _closing(shown, line.start, starts) else None
        elif line.entry.lead is Lead.ITEM and cites and _prose(line, context):
            return None
        led = led or line.entry.lead is not Lead.PLAIN
        gap = False
        found.lines.append(line)
    return found if found.lines else None


def _prose(line: _Line, context: Context) -> bool:
    return sentence_like(line.text) and not names_a_document(line.entry.text, context)


def _closing(shown: str, start: int, cites: Sequence[int]) -> bool:
    """Whether nothing but closing words stands from here on: no citation, no heading."""
    if bisect_left(cites, start) < len(cites):
        return False
    return not any(_OTHER_HEADING.match(shown, line.start) for line in _lines(shown, start))


def _last_lines(shown: str, markers: Sequence[Marker], context: Context) -> _Found | None:
    """The last lines, each with a number and what it stands for, if the text before them cites one of the numbers.

    None holds another citation. A line that could be a sentence must be a definition, hold an address or name a
    document; so must every line where there is but one, or where no blank line stands before them.
    """
    lines = _numbered_from_end(shown)
    if not lines:
        return None
    start = lines[0].start
    if not _cited([one for one in markers if one.start < start], [line.entry for line in lines]):
        return None
    marked = [bisect_right(lines, one.start, key=lambda line: line.start) for one in markers if one.start >= start]
    before = shown.rfind("\n", 0, max(start - 1, 0)) + 1
    plain = len(lines) > 1 and not shown[before:start].strip()
    if len(marked) > len(set(marked)) or not all(_explains(line, plain, context) for line in lines):
        return None
    return _Found(start, lines)


def _explains(line: _Line, plain: bool, context: Context) -> bool:
    said = line.entry.text
    if line.entry.lead is Lead.DEFINITION or (plain and not sentence_like(said)):
        return True
    return holds_address(said) or names_a_document(said, context)


def _numbered_from_end(shown: str) -> list[_Line]:
    """The last lines that begin with a number in ascending order, with the lines that go on with them."""
    lines: list[_Line] = []
    behind: list[_Line] = []  # lines that go on with the entry before them
    stop = len(shown)
    while stop > 0:
        begin = shown.rfind("\n", 0, stop) + 1
        if not shown[begin:stop].strip():
            stop = begin - 1
            continue
        line = _line(shown, begin, stop)
        lead, number, text = line.entry
        if lead in (Lead.MARK, Lead.DEFINITION) and number is not None and (text or behind):
            if lines and number >= (lines[-1].entry.number or 0):
                break
            whole = " ".join([text, *(one.entry.text for one in reversed(behind))])
            lines.append(
                _Line(begin, max([line.end, *(one.end for one in behind)]), Entry(lead, number, whole), line.text)
            )
            behind = []
        elif _GOES_ON.match(shown, begin):
            behind.append(line)
        else:
            break
        stop = begin - 1
    return lines[::-1]


def _lines(shown: str, start: int) -> Iterator[_Line]:
    """The lines from here on; one without any sign ends where it begins."""
    while start < len(shown):
        newline = shown.find("\n", start)
        stop = len(shown) if newline < 0 else newline
        yield _line(shown, start, stop)
        start = stop + 1


def _line(shown: str, start: int, stop: int) -> _Line:
    text = shown[start:stop].rstrip()
    return _Line(start, start + len(text), entry_of(text), text)


def _cited(markers: Sequence[Marker], entries: Sequence[Entry]) -> set[int]:
    """The numbers of these entries that the markers cite."""
    numbers = sorted({entry.number for entry in entries if entry.number is not None})
    change = [0] * (len(numbers) + 1)  # of the number of spans that hold a number, from one to the next
    for first, last in number_spans(markers):
        begins, behind = bisect_left(numbers, first), bisect_right(numbers, last)
        if begins < behind:
            change[begins] += 1
            change[behind] -= 1
    return {number for number, spans in zip(numbers, accumulate(change), strict=False) if spans > 0}
