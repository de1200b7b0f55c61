"""What a number cites: a place in the prompt, or an id that is a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pipeline.citations.context import NOTHING, Context, Match
from pipeline.citations.occurrences import Marker

ID_FORMATS = frozenset({"doc_id", "source_ref"})  # these name an id, never a place
PLACE_FORMATS = frozenset({"file_mark"})  # these count places
_SETTLED = ID_FORMATS | PLACE_FORMATS


@dataclass(frozen=True)
class Numbering:
    """One way to read the numbers of one answer."""

    context: Context
    used: str  # position, id, both (they agree), conflict, list (the answer's own says it all), none (no number)
    says: Mapping[int, Match] = field(default_factory=dict)  # what the reference list of the answer says

    def resolve(self, number: int, format_name: str) -> tuple[Match, str]:
        """What `number` cites in a marker of this format, and why it cites nothing."""
        if self.says and format_name not in _SETTLED and number in self.says:
            return self._by_list(number, self.says[number]), ""
        by_id = self.context.by_number.get(number, ())
        if format_name in ID_FORMATS:
            return Match(by_id), "not in the context"
        place = self.context.position(number)
        if format_name in PLACE_FORMATS or self.used == "position":
            return self._placed(number, place)
        if self.used == "id":
            return Match(by_id), "not in the context"
        return self._either(number, by_id, place)

    def _either(self, number: int, by_id: tuple[str, ...], place: str | None) -> tuple[Match, str]:
        if not by_id:
            return self._placed(number, place)
        if place is None or len(by_id) > 1 or by_id == (place,):
            return Match(by_id), ""
        return Match((by_id[0], place), "numbering"), f"id {by_id[0]}, or place {number} which is {place}"

    def _by_list(self, number: int, said: Match) -> Match:
        """What the list says, with what it contradicts: the place of that number, or the id that it is."""
        place = self.context.position(number)
        by_id = self.context.by_number.get(number, ())
        against = ""
        if place is not None and place != said.ids[0] and self.used != "id":
            against = f", not place {number} which is {place}"
        elif by_id and said.ids[0] not in by_id and self.used != "position":
            against = f", not id {by_id[0]}"
        return said._replace(said=f"by the reference list{against}")

    def _placed(self, number: int, place: str | None) -> tuple[Match, str]:
        if place is not None:
            return Match((place,)), ""
        return NOTHING, f"place {number} of {len(self.context.ids)}" if number else "places are counted from 1"


def read_numbers(
    markers: Sequence[Marker],
    context: Context,
    wanted: Literal["auto", "position", "id"],
    says: Mapping[int, Match],
) -> Numbering:
    """How the numbers of these markers are read; what the reference list says of a number (`says`) comes first.

    `auto`: an answer numbers in one way. If its numbers all lead somewhere in one reading alone, that one counts; if
    they do in neither, the one in which more do; else a number that means two documents is a conflict. Numbers of a
    context without a numeric id are places.
    """
    if wanted != "auto":
        return Numbering(context, wanted, says)
    widest = max(len(context.ids), 1)
    spans = [(first, last) for first, last in number_spans(markers) if last - first < widest]
    found = {number for first, last in spans for number in range(first, last + 1)}
    numbers = found - says.keys()
    if not numbers:
        return Numbering(context, "list" if found else "none", says)
    as_id = sum(number in context.by_number for number in numbers)
    as_place = sum(context.position(number) is not None for number in numbers)
    if not context.by_number or as_place > as_id:
        return Numbering(context, "position", says)
    if as_id > as_place:
        return Numbering(context, "id", says)
    agree = all(context.by_number.get(number, ()) == _as_ids(context.position(number)) for number in numbers)
    return Numbering(context, "both" if agree else "conflict", says)


def number_spans(markers: Sequence[Marker]) -> set[tuple[int, int]]:
    """First and last of the numbers that these markers cite and that may be places or ids."""
    distinct = {(marker.format, id(marker.items)): marker.items for marker in markers}  # equal markers share items
    return {
        item.numbers
        for (format_name, _), items in distinct.items()
        if format_name not in _SETTLED
        for item in items
        if item.numbers is not None
    }


def _as_ids(place: str | None) -> tuple[str, ...]:
    return () if place is None else (place,)
