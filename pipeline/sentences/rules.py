"""Where sentences and paragraphs begin: rules on punctuation, with the abbreviations of a language.

Starts are characters of the text as it is, so no character can vanish: a sentence reaches to the next start.
Every pattern is linear in the length of the text.
"""

from __future__ import annotations

import re

from pipeline.errors import SettingError
from pipeline.sentences.abbreviations import LANGUAGES, Abbreviations

_CLOSERS = r"[\"'“”‘’«»‹›)\]}」』】）〉》*_]"
_APART = r"(?:[ \u00a0\u202f]»(?=\s))?+"  # French sets a closing quotation mark apart
_ITEM = r"(?:[-*•+–]|\d{1,3}[.)])(?=[^\S\n])"
# One character class stands first, because the engine skips to it fast; a group has matched where something may begin.
_CANDIDATE = re.compile(
    r"[.!?…\n。！？｡．।॥؟۔։።\u2029](?:"
    rf"(?<=[.!?…])[.!?…]*+(?:{_CLOSERS}*+{_APART}(?P<stop>\s++))?+"
    rf"|(?<=\n)[^\S\n\u2029]*+(?:(?P<blank_line>\n\s*+)|(?P<item>{_ITEM}))?+"
    rf"|(?<=[。！？｡．])[。！？｡．]*+{_CLOSERS}*+(?P<wide>\s*+)"
    rf"|(?<=[।॥؟۔։።])[।॥؟۔։።]*+(?:{_CLOSERS}*+(?P<script>\s++))?+"
    r"|(?<=\u2029)(?P<paragraph>\s*+))"
)
_ITEM_AHEAD = re.compile(_ITEM)
_PARAGRAPH = re.compile(r"\n[^\S\n\u2029]*+\n\s*+|\u2029\s*+")
_OPENING = re.compile(r"[\"'“‘«‹„‚¿¡(\[{*_\s]*+(?P<word>\w*+)")
_REACH = 32  # characters looked at before a full stop; longer "words" are no abbreviations


def check_language(language: str, knob: str = "chunker.language") -> None:
    """SettingError, naming the knob, for a language without a table."""
    if language not in LANGUAGES:
        raise SettingError(f"{knob}: no sentence rules for {language!r}; known are {', '.join(LANGUAGES)}")


def paragraph_starts(text: str) -> list[int]:
    """First characters of the paragraphs after the first: what follows blank lines."""
    return [place.end() for place in _PARAGRAPH.finditer(text) if place.end() < len(text)]


def sentence_starts(text: str, language: str) -> list[int]:
    """First characters of the sentences after the first, ascending.

    A sentence ends at a blank line, before the line of a list item, after 。！？ and their like, and after . ! ? …
    (with closing quotes and brackets) before a blank, unless what follows goes on in lower case (in a text that has
    capitals) or `_full_stop_ends` says that the full stop belongs to a word.
    """
    rules = LANGUAGES[language]
    starts: list[int] = []
    cased = not text.islower()
    for place in _CANDIDATE.finditer(text):
        kind = place.lastgroup
        if kind is None:
            continue
        start = place.start(kind) if kind == "item" else place.end()
        if start < len(text) and (kind != "stop" or _ends(text, place, rules, cased)):
            starts.append(start)
    return starts


def _ends(text: str, place: re.Match[str], rules: Abbreviations, cased: bool) -> bool:
    """Whether . ! ? … at `place` end a sentence; where the text is not `cased`, small letters say nothing."""
    space = place["stop"]
    if space != " " and (_PARAGRAPH.search(space) or ("\n" in space and _ITEM_AHEAD.match(text, place.end()))):
        return True
    opening = _OPENING.match(text, place.end())
    following = opening["word"] if opening else ""
    if cased and following[:1].islower():
        return False
    first = place.start()
    if text[first] != "." or text[first + 1] in ".!?…":
        return True
    return _full_stop_ends(text[max(0, first - _REACH) : first].rpartition("\n")[2], following, rules)


def _full_stop_ends(line: str, following: str, rules: Abbreviations) -> bool:
    """Whether a full stop ends a sentence that `following` comes after (not in lower case).

    `line` is what stands before the full stop in its line, at most `_REACH` characters of it.
    """
    if not line or line[-1].isspace():
        return True
    words = line.split()
    word = words[-1].lstrip("\"'“‘«‹„‚¿¡([{*_")
    before_number = not following.isalpha() and any(character.isdigit() for character in following)
    if word.lower() in rules.never or (before_number and word.lower() in rules.numbers):
        return False
    if word.isdigit() and len(word) <= 3 and len(words) == 1 and len(line) < _REACH:
        return False  # the number of a list item
    if _seldom_ends(word, before_number, rules):
        return following.lower() in rules.openers
    return True


def _seldom_ends(word: str, before_number: bool, rules: Abbreviations) -> bool:
    """Whether a full stop after `word` is mostly its own: initials, acronyms (U.S, Ph.D), ordinals, "Inc."."""
    initial = len(word) == 1 and word.isupper() and word != "I"
    ordinal = rules.ordinals and word.isdigit() and len(word) <= 2 and not before_number
    acronym = "." in word and all(0 < len(piece) <= 3 and piece.isalpha() for piece in word.split("."))
    time_of_day = word.lower() in ("a.m", "p.m")
    return initial or ordinal or (acronym and not time_of_day) or word.lower() in rules.seldom
