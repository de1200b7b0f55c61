"""JSON as models write it: single quotes, Python's words, a comma too many, an end that is missing. Linear time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_DEEPEST = 50
_BLANKS = re.compile(r"\s*")
_BARE = re.compile(r"[^\s,:{}\[\]\"']+")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True"), True),
    **dict.fromkeys(("false", "False"), False),
    **dict.fromkeys(("null", "None", "NaN"), None),
}
_ENDS = {
    '"': re.compile(r'\\.|"(?=\s*[,:}\]]|\s*\Z)', re.DOTALL),
    "'": re.compile(r"\\.|'(?=\s*[,:}\]]|\s*\Z)", re.DOTALL),
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Loose(NamedTuple):
    """What was read, and how."""

    value: object
    repaired: bool  # it was not JSON as the standard has it
    complete: bool  # False: the text ended before the value did; what was cut is left out
    end: int  # first character behind the value


class NotJsonError(ValueError):
    """Not even loosely JSON."""


def loads(text: str, start: int = 0) -> Loose:
    """The object or list that begins at `start`; NotJsonError where it cannot be made out."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
        return Loose(value, False, True, end)
    except (ValueError, RecursionError):
        reader = _Reader(text, start)
        value = reader.value(0)
        return Loose(value, True, not reader.cut, reader.at)


_CUT = object()


@dataclass
class _Reader:
    """A place in the text; `cut` once the text has ended too early."""

    text: str
    at: int
    cut: bool = False

    def value(self, depth: int) -> object:
        sign = self._sign()
        if depth > _DEEPEST:
            raise NotJsonError(f"nested deeper than {_DEEPEST}")
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in ('"', "'"):
            return self._string(sign)
        return self._bare()

    def _object(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        for sign in self._items("}"):
            key = self._string(sign) if sign in ('"', "'") else self._bare()
            if self._sign() == ":":
                self.at += 1
            elif not self.cut and self._sign():
                raise NotJsonError(f"no colon at character {self.at}")
            value = self.value(depth + 1) if self._sign() else self._end()
            if value is not _CUT:
                found[str(key)] = value
        return found

    def _list(self, depth: int) -> list[object]:
        values = (self.value(depth + 1) for _ in self._items("]"))
        return [value for value in values if value is not _CUT]

    def _items(self, closing: str) -> Iterator[str]:
        """The sign that each item begins with, to `closing`; commas are passed over, and the text's end cuts."""
        self.at += 1
        while (sign := self._sign()) != closing:
            if not sign:
                self.cut = True
                return
            if sign == ",":
                self.at += 1
            else:
                yield sign
        self.at += 1

    def _string(self, quote: str) -> object:
        """A string ends at a quote that a comma, colon, bracket or the end comes after: "it's" does not end one."""
        first = self.at + 1
        for sign in _ENDS[quote].finditer(self.text, first):
            if sign[0] == quote:
                self.at = sign.end()
                return re.sub(r"\\(.)", lambda one: _ESCAPES.get(one[1], one[1]), self.text[first : sign.start()])
        return self._end()

    def _bare(self) -> object:
        word = _BARE.match(self.text, self.at)
        if word is None:
            raise NotJsonError(f"{self.text[self.at]!r} at character {self.at}")
        if word.end() == len(self.text):
            return self._end()
        self.at = word.end()
        if word[0] in _WORDS:
            return _WORDS[word[0]]
        try:
            return float(word[0]) if not word[0].lstrip("-").isdecimal() else int(word[0][:20])
        except ValueError:
            return word[0]

    def _sign(self) -> str:
        blanks = _BLANKS.match(self.text, self.at)
        self.at = blanks.end() if blanks else self.at
        return self.text[self.at : self.at + 1]

    def _end(self) -> object:
        self.at, self.cut = len(self.text), True
        return _CUT
