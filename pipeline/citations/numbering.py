"""What a number cites: a place in the prompt, or an id that is a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.citations.bodies import numbers_of
from pipeline.citations.context import NOTHING, Context, Match
from pipeline.citations.occurrences import Marker

ID_FORMATS = frozenset({"doc_id", "source_ref"})  # these name an id, never a place
PLACE_FORMATS = frozenset({"file_mark"})  # these count places


@dataclass(frozen=True)
class Numbering:
    """One way to read the numbers of one answer."""

    context: Context
    used: str  # position, id, both (they agree), conflict, none (no number)

    def resolve(self, number: int, format_name: str) -> tuple[Match, str]:
        """What `number` cites in a marker of this format, and why it cites nothing."""
        by_id = self.context.by_number.get(number, ())
        place = self.context.position(number)
        if format_name in ID_FORMATS:
            return Match(by_id), "not in the context"
        if format_name in PLACE_FORMATS or self.used == "position":
            return _placed(place), self._no_place(number)
        if self.used == "id":
            return Match(by_id), "not in the context"
        if not by_id or place is None or by_id == (place,):
            return (Match(by_id) if by_id else _placed(place)), self._no_place(number)
        if len(by_id) > 1:
            return Match(by_id), ""
        return Match((by_id[0], place), "numbering"), f"id {by_id[0]}, or place {number} which is {place}"

    def _no_place(self, number: int) -> str:
        if number == 0:
            return "places are counted from 1"
        return f"place {number} of {len(self.context.ids)}"


def read_numbers(markers: Sequence[Marker], context: Context, wanted: Literal["auto", "position", "id"]) -> Numbering:
    """How the numbers of these markers are read.

    `auto`: an answer numbers in one way. If its numbers all lead somewhere in one reading alone, that one counts; if
    they do in neither, the one in which more do; else a number that means two documents is a conflict. Numbers of a
    context without a numeric id are places.
    """
    numbers = {
        number
        for marker in markers
        if marker.format not in ID_FORMATS | PLACE_FORMATS
        for item in marker.items
        if item.numbers is not None and item.numbers[1] - item.numbers[0] < max(len(context.ids), 1)
        for number in numbers_of(item)
    }
    if wanted != "auto":
        return Numbering(context, wanted)
    if not numbers:
        return Numbering(context, "none")
    as_id = sum(number in context.by_number for number in numbers)
    as_place = sum(context.position(number) is not None for number in numbers)
    if not context.by_number or as_place > as_id:
        return Numbering(context, "position")
    if as_id > as_place:
        return Numbering(context, "id")
    agree = all(context.by_number.get(number, ()) == _placed(context.position(number)).ids for number in numbers)
    return Numbering(context, "both" if agree else "conflict")


def _placed(place: str | None) -> Match:
    return NOTHING if place is None else Match((place,))
