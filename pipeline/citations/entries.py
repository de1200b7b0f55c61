"""Lines of a reference list: the number that each explains, and the document of the context that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import chain, pairwise
from typing import NamedTuple

from pipeline.citations.bare_ids import telling
from pipeline.citations.context import NOTHING, Context, Match
from pipeline.citations.identifiers import whole_number

_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LEAD = re.compile(
    rf"[ \t>]*(?P<bullet>[-*+•–][ \t]+)?[*_]{{0,2}}(?:"
    r"\\?(?:\[{1,2}|[［【〔])[ ]?\^?(?:(?:sources?|documents?|docs?|quelle|fn|ref)[ ]?:?[ ]?)?(?P<mark>\d{1,4})\^?[ ]?"
    r"\\?(?:\]{1,2}|[］】〕])[*_]{0,2}(?P<colon>[:：])?"
    r"|<sup>[ ]?\[?(?P<tag>\d{1,4})\]?[ ]?</sup>"
    rf"|(?P<raised>[{_DIGITS}]{{1,4}})"
    r"|(?P<item>\d{1,3})[.)](?=[ \t])|\((?P<paren>\d{1,3})\)(?=[ \t])"
    r"|(?P<other>[\[［【〔]|<?https?://))?",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"[\[［【]\^?(\d{1,4})[\]］】]$")
_LONGEST_MARK = 10  # characters
_PLAIN_DIGITS = str.maketrans(_DIGITS, "0123456789")
_URL = re.compile(r"(?i)\b(?:https?://|www\.|doi\.org/)[^\s<>\"'\[\]{}|\\^`\0（）【】，。；、]+")
_CUT = re.compile(r"\s+[-–—|·]\s+|[:,;()\[\]<>“”\"|（）：，；]\s*|\.\s+")
_MOST_CUTS = 12
_LONGEST = 300  # characters of a line that are looked at
_AROUND = " \t\r\n*_`\"'“”‘’«».,;:：-–—()[]<>"
_MARKS_BEHIND = re.compile(r"\s*(?:[\[［【]\^?\d{1,4}[\]］】])+$")
_LONGEST_END = 40  # characters of a line that tell whether it ends a sentence
_LIGHTLY = " \t\r\n.,;:："
_STOP = re.compile(r"[.!?。！？][\"”’»)\]*_\s]*$")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_SHORTEST_TITLE = 4  # characters of a title that is looked for inside a line


class Lead(Enum):
    """How a line of a list begins."""

    MARK = "[1] or ¹"
    DEFINITION = "[1]: or [^1]:"
    ITEM = "- or 1., or a title with [1] behind it"
    OTHER = "a link, or an id in brackets"
    PLAIN = "nothing"


class Entry(NamedTuple):
    """One line: how it begins, the number it explains (None = no number) and what it says of it."""

    lead: Lead
    number: int | None
    text: str


def entry_of(line: str) -> Entry:
    """The line taken apart; a number at its end (`Title [1]`) counts where none stands at its beginning."""
    found = _LEAD.match(line)
    if found is None:
        return Entry(Lead.PLAIN, None, line)
    digits = next((found[name] for name in ("mark", "tag", "raised", "item", "paren") if found[name]), None)
    rest = line[found.start("other") if found["other"] else found.end() :].strip()
    if digits is None:
        last = _TRAILING.search(rest, max(0, len(rest) - _LONGEST_MARK))
        lead = Lead.OTHER if found["other"] else Lead.ITEM if found["bullet"] or last else Lead.PLAIN
        return Entry(lead, None, rest) if last is None else Entry(lead, int(last[1]), rest[: last.start()])
    number = int(digits.translate(_PLAIN_DIGITS))
    if found["item"] or found["paren"]:
        return Entry(Lead.ITEM, number, rest)
    return Entry(Lead.DEFINITION if found["colon"] else Lead.MARK, number, rest)


def sentence_like(line: str) -> bool:
    """Whether a line ends like a sentence, and not like a reference with a year or an address."""
    said = _MARKS_BEHIND.sub("", line[-_LONGEST_END:])
    return _STOP.search(said) is not None and _YEAR.search(line) is None and _URL.search(line) is None


def holds_address(text: str) -> bool:
    """Whether there is a URL in it."""
    return _URL.search(text) is not None


def says_what(text: str, context: Context) -> Match | None:
    """The one document that an entry names: as a whole by id, URL or title, in a part of it, then nearly as a whole."""
    said = text[:_LONGEST]
    parts = (_exactly(part, context) for part in _parts(_URL.sub(" ", said)))
    every = chain(_same(said, context), parts, _nearly(said, context))
    return next((found for found in every if len(found.ids) == 1), None)


def names_a_document(text: str, context: Context) -> bool:
    """Whether the text as a whole is an id, URL or title of exactly one document, or nearly so."""
    said = text[:_LONGEST]
    return any(len(found.ids) == 1 for found in chain(_same(said, context), _nearly(said, context)))


def _same(said: str, context: Context) -> Iterator[Match]:
    whole = said.strip(_AROUND)
    named = _named(whole, context)
    yield NOTHING if named.fuzzy else named
    for found in _URL.finditer(said):
        yield context.find_url(found[0].rstrip(".,;:!?)*_"))
    yield from (context.same_title(title) for title in (said.strip(), whole))


def _nearly(said: str, context: Context) -> Iterator[Match]:
    yield _named(said.strip(_AROUND), context)
    yield context.find_title(_URL.sub("", said).strip(_AROUND))


def _named(whole: str, context: Context) -> Match:
    return NOTHING if whole_number(whole) is not None else context.find(whole)


def _parts(said: str) -> Iterator[str]:
    """Beginnings, ends and pieces between two cuts, the longest first."""
    cuts = [found.span() for found in _CUT.finditer(said)][:_MOST_CUTS]
    yield from (said[:start] for start, _ in reversed(cuts))
    yield from (said[end:] for _, end in cuts)
    yield from (said[end:start] for (_, end), (start, _) in pairwise(cuts))


def _exactly(part: str, context: Context) -> Match:
    whole = part.strip(_AROUND)
    if telling(whole):
        found = context.find(whole)
        if found.ids and not found.fuzzy:
            return found
    if len(whole) < _SHORTEST_TITLE:
        return NOTHING
    titled = context.same_title(part.strip(_LIGHTLY))  # a title may end in a parenthesis
    return titled if titled.ids else context.same_title(whole)
