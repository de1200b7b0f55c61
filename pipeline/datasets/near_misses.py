"""Ids that miss each other by the way they are written: case, blanks, zero padding, Unicode form, `12.0` for `12`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _without_padding(text: str) -> str:
    return re.sub(r"\d+", lambda digits: digits[0].lstrip("0") or "0", text)


def _without_fraction(text: str) -> str:
    return re.sub(r"(?<=\d)\.0$", "", text)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


WAYS: Mapping[str, Callable[[str], str]] = {
    "blanks": _without_blanks,
    "case": str.casefold,
    "zero padding": _without_padding,
    "a trailing .0": _without_fraction,
    "Unicode form": _composed,
}


@dataclass(frozen=True)
class NearMiss:
    """`theirs` is unknown, `ours` is known, and they differ only in `way`."""

    theirs: str
    ours: str
    way: str


def _key(text: str) -> str:
    for way in (_composed, _without_blanks, str.casefold, _without_fraction, _without_padding):
        text = way(text)
    return text


def near_misses(unknown: Iterable[str], known: Iterable[str]) -> list[NearMiss]:
    """The unknown ids that equal exactly one known id but for the way they are written, in the order given."""
    by_key: dict[str, list[str]] = {}
    for name in known:
        by_key.setdefault(_key(name), []).append(name)
    found = []
    for theirs in unknown:
        likely = by_key.get(_key(theirs), [])
        if len(likely) == 1 and likely[0] != theirs:
            found.append(NearMiss(theirs, likely[0], _way(theirs, likely[0])))
    return found


def _way(theirs: str, ours: str) -> str:
    for name, way in WAYS.items():
        if way(theirs) == way(ours):
            return name
    return "several of case, blanks, zero padding"
