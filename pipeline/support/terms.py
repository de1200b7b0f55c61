"""A text as terms: content words, and numbers with all that they may mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from pipeline.support.numbers import Amount, offered, plain, values, wanted
from pipeline.support.units import (
    CONNECTORS,
    CURRENCIES,
    MONEY_SCALES,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    UNITS,
    Unit,
)
from pipeline.support.words import Piece, fold, function_words, pieces, stem

_GAPS = frozenset({"", " ", "-", "\u00a0", "\u2009", "\u202f", "\u2011"})
_EMPHASIS = str.maketrans("", "", "*_`")
_ITEM = re.compile(r"^[^\S\n]*(?:[-*•+–][^\S\n]+)?\d{1,3}[.)](?=\s|\Z)", re.MULTILINE)
_DASHES = frozenset("-–—−/~")


class Term(NamedTuple):
    """Characters [start, end) of the text that count for one word."""

    text: str  # equal for the same word or quantity
    start: int
    end: int
    offers: frozenset[str] = frozenset()  # readings of a number, as the source of a claim
    wants: frozenset[str] = frozenset()  # readings of which a source must offer one; empty = no such demand


@dataclass
class _Number:
    """A number while its surroundings are read."""

    start: int
    end: int
    base: list[Decimal]
    scale: int = 1
    unit: Unit | None = None
    demands: bool = True  # False: written in words
    decade: bool = False
    more: list[Amount] = field(default_factory=list)

    def amounts(self) -> list[Amount]:
        return [Amount(value * self.scale, self.unit) for value in self.base] + self.more


def terms(text: str, language: str = "en") -> list[Term]:
    """Content words and numbers in text order. A unit belongs to its number.

    Function words and the numbers that open the items of a list are left out.

    SettingError for a language without function words.
    """
    text = _ITEM.sub(lambda item: " " * len(item[0]), text)
    found = _Scan(text, language).run()
    _share_units(text, [one for one in found if isinstance(one, _Number)])
    return [_term(text, one) if isinstance(one, _Number) else one for one in found]


class _Scan:
    """One pass over the pieces of a text."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.pieces = pieces(text)
        self.folded = [fold(text[one.start : one.end]) for one in self.pieces]
        self.small = function_words(language)
        self.english = language == "en"
        self.next = 0

    def run(self) -> list[Term | _Number]:
        found: list[Term | _Number] = []
        while self.next < len(self.pieces):
            at, piece, word = self.next, self.pieces[self.next], self.folded[self.next]
            self.next += 1
            if piece.kind == "number":
                found.append(self._number(at, piece))
            elif piece.kind in ("iso", "date"):
                found.extend(self._date(piece, word))
            elif piece.kind == "word":
                found.extend(self._word(at, piece, word))
        return found

    def _word(self, at: int, piece: Piece, word: str) -> list[Term | _Number]:
        if self.english and word in NUMBER_WORDS:
            number = _Number(piece.start, piece.end, [Decimal(NUMBER_WORDS[word])])
            self._behind(number)
            number.demands = number.scale > 1
            return [number]
        if self.english and word in MONTHS:
            return [self._month(at, piece, word)]
        return [] if word in self.small else [Term(stem(word), piece.start, piece.end)]

    def _month(self, at: int, piece: Piece, word: str) -> Term:
        """A month; beside a number it is part of a date, which must be borne out. "may" and "march" are words."""
        reading = frozenset({f"month:{MONTHS[word]}"})
        if not self.text[piece.start].isupper():
            return Term(stem(word), piece.start, piece.end, reading)
        dated = self._dates(at - 1, at) or self._dates(at, at + 1)
        return Term(f"month:{MONTHS[word]}", piece.start, piece.end, reading, reading if dated else frozenset())

    def _dates(self, first: int, second: int) -> bool:
        """Whether two neighbouring pieces, of which one is a month, stand together as in a date: 3rd March, 2020."""
        if first < 0 or second >= len(self.pieces):
            return False
        gap = self.text[self.pieces[first].end : self.pieces[second].start]
        numbers = "number" in (self.pieces[first].kind, self.pieces[second].kind) or self.folded[first] in ORDINALS
        return numbers and len(gap) <= 3 and not gap.strip(" .,*_\u00a0")

    def _date(self, piece: Piece, word: str) -> list[Term]:
        """2020-03-09, 09.03.2020 and 3/9/2020: three numbers; those that may be the month say so."""
        numbers = [int(part) for part in word.replace("/", "-").replace(".", "-").split("-")]
        found = []
        for number in numbers:
            months = {f"month:{number}"} if number <= 12 else set()
            readings = frozenset({f"n:{number}", f"bare:{number}", *months})
            found.append(Term(str(number), piece.start, piece.end, readings, frozenset({f"n:{number}", *months})))
        return found

    def _number(self, at: int, piece: Piece) -> Term | _Number:
        base = values(fold(self.text[piece.start : piece.end]), self.english)
        name = self._attached(piece)
        if name or not base:
            text = fold(self.text[piece.start : name or piece.end])
            reading = frozenset() if name else frozenset({f"id:{text}"})
            self.next += bool(name)
            return Term(text, piece.start, name or piece.end, reading, reading)
        number = _Number(piece.start, piece.end, base)
        if self._negative(piece.start):
            number.base = [-value for value in base]
        self._behind(number)
        before = UNITS.get(self.folded[at - 1]) if at else None
        if before and before.dimension in CURRENCIES and self._near(self.pieces[at - 1].end, piece.start):
            self._money(number, before)
        return number

    def _attached(self, piece: Piece) -> int:
        """End of a name like 3D that starts with the number; 0 = it is none."""
        if self.next >= len(self.pieces):
            return 0
        follows, word = self.pieces[self.next], self.folded[self.next]
        plain_end = follows.kind != "word" or follows.start != piece.end or not word.isascii()
        known = word in ORDINALS or word in SCALES or word in UNITS or word in MONEY_SCALES
        return 0 if plain_end or known else follows.end

    def _behind(self, number: _Number) -> None:
        """Takes in what stands behind the number: an ordinal ending, multipliers, a unit."""
        word = self._ahead(number)
        if word in ORDINALS and self.pieces[self.next].start == number.end:
            self._take(number)
            return
        if word == "s" and self.pieces[self.next].start == number.end and _round_year(number.base):
            number.decade = True
            self._take(number)
            return
        while word in SCALES and number.scale < 10**15:
            number.scale *= SCALES[word]
            self._take(number)
            word = self._ahead(number)
        if word == "°":
            self._take(number)
            word = {"c": "celsius", "f": "fahrenheit"}.get(self._ahead(number), "")
        if word == "per" and self.folded[self.next + 1 : self.next + 2] == ["cent"]:
            self._take(number)
            word = "percent"
        if word in UNITS and not self._opens_the_next():
            number.unit = UNITS[word]
            if word == "m":  # metres, or millions
                number.more = [Amount(value * 10**6, None) for value in number.base]
            self._take(number)

    def _money(self, number: _Number, unit: Unit) -> None:
        word = self._ahead(number)
        if number.more:  # $5m
            number.scale, number.more = MONEY_SCALES["m"], []
        elif word in MONEY_SCALES and number.scale == 1:
            number.scale = MONEY_SCALES[word]
            self._take(number)
        number.unit = unit

    def _ahead(self, number: _Number) -> str:
        """The next piece, folded, if it stands right behind the number; else ""."""
        if self.next >= len(self.pieces) or not self._near(number.end, self.pieces[self.next].start):
            return ""
        return self.folded[self.next]

    def _opens_the_next(self) -> bool:
        """Whether the sign at hand belongs to the number behind it: 700-$1000."""
        sign = self.pieces[self.next]
        return sign.kind == "sign" and self.text[sign.end : sign.end + 1].isdigit()

    def _take(self, number: _Number) -> None:
        number.end = self.pieces[self.next].end
        self.next += 1

    def _near(self, end: int, start: int) -> bool:
        return start - end <= 8 and self.text[end:start].translate(_EMPHASIS) in _GAPS

    def _negative(self, start: int) -> bool:
        return self.text[max(0, start - 1) : start] in ("-", "−") and (
            start == 1 or self.text[start - 2].isspace() or self.text[start - 2] == "("
        )


def _round_year(base: list[Decimal]) -> bool:
    return any(value >= 1000 and value % 10 == 0 for value in base)


def _share_units(text: str, numbers: list[_Number]) -> None:
    """In "5 to 10 million km" the 5 may be plain, or in millions of kilometres."""
    for first, second in pairwise(numbers):
        if second.start - first.end > 12 or first.unit is not None or first.scale > 1:
            continue
        between = text[first.end : second.start].translate(_EMPHASIS).strip().casefold()
        if (second.unit or second.scale > 1) and (between in CONNECTORS or between in _DASHES):
            first.more = first.more + [Amount(value * second.scale, second.unit) for value in first.base]


def _term(text: str, number: _Number) -> Term:
    amounts = number.amounts()
    value, unit = amounts[0]
    name = f"{unit.dimension}:{plain(value * unit.size)}" if unit else plain(value)
    needs = wanted(amounts) if number.demands else frozenset()
    if number.decade:
        needs |= frozenset(f"n:{plain(value + year)}" for value in number.base for year in range(10))
    return Term(name, number.start, number.end, offered(amounts), needs)
