"""Where a text may not be cut: inside a word, inside a character as a reader sees it.

One class a code point, looked up for a whole text at once, because cutting must cost far less than tokenizing.
Classes come from the `unicodedata` of the running Python.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pipeline.records import Bools

LONGEST = 32  # code points in one cluster; 30 marks are the bound of Unicode's stream-safe format (UAX #15)

_SLICE = 1 << 20  # characters looked at together
_CONTEXT = 2 * LONGEST

_WORD = 1 << 0  # what `\w` matches
_MARK = 1 << 1  # combining marks (Mn, Mc, Me), variation selectors among them
_EXTEND = 1 << 2  # stays with the character before it: marks, joiners, skin tones, tags
_BLANK = 1 << 3
_REGIONAL = 1 << 4  # two of them are one flag
_OTHER = 1 << 5  # neither word, blank nor extending: a picture may follow a joiner

_ZWJ, _CR, _LF = 0x200D, 0x0D, 0x0A
_ASSIGNED = (range(0x40000), range(0xE0000, 0xE0200))  # beyond lie unassigned and private planes
_EXTENDING = (range(0x200C, 0x200E), range(0x1F3FB, 0x1F400), range(0xE0020, 0xE0080))


def code_points(text: str) -> NDArray[np.uint32]:
    """uint32, one value a character, lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def blank(points: NDArray[np.uint32]) -> Bools:
    """True where the character is one that `str.isspace` calls blank."""
    found: Bools = (_classes()[points] & _BLANK) != 0
    return found


def unbreakable(text: str) -> Bools:
    """True at p where a border between characters p-1 and p would split a word or a cluster; p = 0 is False.

    A word is a character that regular expressions call a word character, with all that and all combining marks after
    it. A cluster is what `inside_clusters` says. The work is done in slices, so that memory stays at some 50 bytes a
    character of a slice and one a character of the text; a slice sees `_CONTEXT` characters before it.
    """
    parts = [np.zeros(0, dtype=bool)]
    for start in range(0, len(text), _SLICE):
        before = min(start, _CONTEXT)
        points = code_points(text[start - before : start + _SLICE])
        parts.append((_inside_words(_classes()[points]) | inside_clusters(points))[before:])
    return np.concatenate(parts)


def inside_clusters(points: NDArray[np.uint32]) -> Bools:
    """True at p where characters p-1 and p belong to one cluster, in a simplified form of UAX #29.

    Not cut: before a mark, joiner, variation selector, skin tone or tag (unless after a blank); between a
    zero-width joiner and a picture; between the two halves of a flag, of CR LF, of a Hangul syllable written in jamo.
    A cluster is at most `LONGEST` code points: a longer pile of marks is cut there.
    """
    inside = np.zeros(len(points), dtype=bool)
    if len(points) < 2:
        return inside
    classes = _classes()[points]
    inside[1:] = ((classes[1:] & _EXTEND) != 0) & ((classes[:-1] & _BLANK) == 0)
    inside[1:] |= (points[1:] == _LF) & (points[:-1] == _CR)
    if int(points.max()) >= 0x1100:
        inside[1:] |= (points[:-1] == _ZWJ) & ((classes[1:] & _OTHER) != 0)
        inside[1:] |= _jamo_joins(points)
        inside |= _second_of_flag((classes & _REGIONAL) != 0)
    if inside.any():
        inside &= (_distance(~inside) % LONGEST) != 0
        inside[0] = False
    return inside


def cluster_starts(inside: Bools) -> NDArray[np.int64]:
    """Position of the first character of the cluster that each position lies in."""
    places = np.arange(len(inside), dtype=np.int64)
    return places - _distance(~inside)


def _inside_words(classes: NDArray[np.uint8]) -> Bools:
    """True at p where p-1 and p belong to one word."""
    member = (classes & _WORD) != 0
    marks = (classes & _MARK) != 0
    if marks.any():  # a mark belongs to a word if a word character stands before it in the same run
        run = member | marks
        member = run & (_distance(member) < _distance(~run))
    inside = np.zeros(len(classes), dtype=bool)
    inside[1:] = member[1:] & member[:-1]
    return inside


def _distance(marked: Bools) -> NDArray[np.int64]:
    """How far back the last marked position lies; counted from one before the start where there is none."""
    places = np.arange(1, len(marked) + 1, dtype=np.int64)
    last: NDArray[np.int64] = np.maximum.accumulate(np.where(marked, places, 0))
    return places - last


def _second_of_flag(regional: Bools) -> Bools:
    """True at the second, fourth, … of a run of regional indicators."""
    if not regional.any():
        return regional
    second: Bools = regional & (_distance(~regional) % 2 == 0)
    return second


def _jamo_joins(points: NDArray[np.uint32]) -> Bools:
    """True at p-1 where characters p-1 and p are parts of one Hangul syllable (UAX #29, GB6 to GB8)."""
    lead = (points >= 0x1100) & (points <= 0x115F)
    vowel = (points >= 0x1160) & (points <= 0x11A7)
    tail = (points >= 0x11A8) & (points <= 0x11FF)
    if not (vowel.any() or tail.any() or lead.any()):
        return np.zeros(len(points) - 1, dtype=bool)
    syllable = (points >= 0xAC00) & (points <= 0xD7A3)
    open_syllable = syllable & ((points - np.uint32(0xAC00)) % 28 == 0)
    joins: Bools = lead[:-1] & (lead | vowel | syllable)[1:]
    joins |= (vowel | open_syllable)[:-1] & (vowel | tail)[1:]
    joins |= (tail | syllable)[:-1] & tail[1:]
    return joins


@cache
def _classes() -> NDArray[np.uint8]:
    """Class bits of every code point; built once a process, in some 50 ms."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for block in _ASSIGNED:
        table[block.start : block.stop] = [_class_of(chr(point)) for point in block]
    for block in _EXTENDING:
        table[block.start : block.stop] = (table[block.start : block.stop] & _MARK) | _EXTEND
    table[0x1F1E6:0x1F200] = _REGIONAL
    return table


def _class_of(character: str) -> int:
    if character.isalnum() or character == "_":
        return _WORD
    if character.isspace():
        return _BLANK
    return _MARK | _EXTEND if unicodedata.category(character)[0] == "M" else _OTHER
