"""What parsing an answer brings: frozen records, no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Resolution: TypeAlias = Literal["valid", "invalid", "ambiguous", "fuzzy"]
Kind: TypeAlias = Literal["id", "number", "range", "title", "url"]


class Sentence(NamedTuple):
    """Characters [start, end) of the answer; the sentences of an answer follow each other without a gap."""

    start: int
    end: int


class Item(NamedTuple):
    """One thing that a marker cites, before it is resolved: characters [start, end) from the marker's origin on."""

    start: int
    end: int
    text: str  # as it stands there, without blanks around it
    kind: Kind
    numbers: tuple[int, int] | None = None  # first and last number of a number or range
    locator: str = ""  # "p. 28", "page=3": where in the document


class Marker(NamedTuple):
    """Characters [start, end) of the answer that cite something, in one format."""

    start: int
    end: int
    format: str
    items: tuple[Item, ...]  # equal marks share them
    origin: int = 0  # the character from which the places of the items count


class Occurrence(NamedTuple):
    """One cited document at one place; `[1, 2]` is two, `[3-5]` three, a range that cannot be right is one."""

    start: int  # of the whole marker in the answer
    end: int
    text: str  # answer[start:end]
    format: str
    cited: str  # the id, number, title or URL as it stands in the marker
    cited_start: int
    cited_end: int
    doc_id: str | None  # the context id; None unless valid or fuzzy
    resolution: Resolution
    reason: str
    sentence: int  # place in the sentences of the answer; -1 where a structured citation says no place
    locator: str = ""
    candidates: tuple[str, ...] = ()  # of an ambiguous one


class LeftOut(NamedTuple):
    """Characters [start, end) that look like a citation and are none, with the reason."""

    start: int
    end: int
    text: str
    reason: str  # code, link, year, prose, unterminated, definition, exponent, interval, reference list


@dataclass(frozen=True)
class Reading:
    """An answer read: its citations in text order, its sentences, and what was left out."""

    occurrences: tuple[Occurrence, ...]
    sentences: tuple[Sentence, ...]
    left_out: tuple[LeftOut, ...]
    numbering: str = "none"  # how numbers were read: position, id, both (the same), conflict, list (its own), none
