"""How much of a sentence stands in one place of a text, without a model. What does not is hardly supported by it.

The source is never cut: every stretch of `window` terms is looked at, so a long text with words of the sentence here
and there supports nothing. The claim is never cut either: the window is at least twice as long as the claim.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from pipeline.support.terms import Term, terms

WINDOW = 40  # content terms: some three sentences


class Demand(NamedTuple):
    """A number, quantity or date of a claim that a source must have."""

    written: str
    wants: frozenset[str]  # readings, one of which suffices


@dataclass(frozen=True)
class Claim:
    """A sentence to be checked."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]  # neighbours among its terms
    demands: tuple[Demand, ...]
    terms: int


@dataclass(frozen=True)
class Source:
    """A text to check claims by, cut once."""

    terms: tuple[Term, ...]
    places: Mapping[str, tuple[int, ...]]  # word -> terms
    readings: Mapping[str, tuple[int, ...]]  # reading of a number -> terms


@dataclass(frozen=True)
class Support:
    """Support of a claim by the window of a source that bears out most of it."""

    score: float  # 0 to 1; 0 where a number is missing; NaN = the claim says nothing that could be checked
    overlap: float  # the same without looking at numbers
    missing: tuple[str, ...]  # numbers of the claim, as written, that the window lacks
    start: int  # characters [start, end) of the source; empty where nothing matches
    end: int


def claim_of(sentence: str, language: str = "en") -> Claim:
    """The sentence as a claim. Markers of citations must be taken out before: they hold numbers."""
    found = terms(sentence, language)
    words = [one.text for one in found]
    demands = {one.wants: sentence[one.start : one.end] for one in reversed(found) if one.wants}
    return Claim(
        words=frozenset(words),
        pairs=frozenset(pairwise(words)),
        demands=tuple(Demand(written, wants) for wants, written in reversed(demands.items())),
        terms=len(found),
    )


def source_of(text: str, language: str = "en") -> Source:
    """The text as a source."""
    found = tuple(terms(text, language))
    places: dict[str, list[int]] = {}
    readings: dict[str, list[int]] = {}
    for place, term in enumerate(found):
        places.setdefault(term.text, []).append(place)
        for reading in term.offers:
            readings.setdefault(reading, []).append(place)
    return Source(found, {k: tuple(v) for k, v in places.items()}, {k: tuple(v) for k, v in readings.items()})


def support(claim: Claim, source: Source, window: int = WINDOW) -> Support:
    """The best window's (share of the claim's words + share of its pairs of neighbours) / 2.

    A claim of one term has no pairs: the share of its words alone. 0 where no window has a reading of every number.
    Time: linear in the source, and n log n in the places where something of the claim stands there.
    """
    if not claim.words:
        return Support(math.nan, math.nan, (), 0, 0)
    best, whole = _best(claim, _events(claim, source), max(window, 2 * claim.terms))
    shown = best if best.score > 0 else whole
    missing = tuple(one.written for one in claim.demands if not _stands(one, source, shown))
    inside = source.terms[shown.first : shown.last]
    start, end = (inside[0].start, max(one.end for one in inside)) if inside else (0, 0)
    return Support(best.score, whole.score, missing, start, end)


def best_support(claim: Claim, sources: Iterable[Source], window: int = WINDOW) -> Support | None:
    """The best of several sources, each by itself; None without sources."""
    found = [support(claim, source, window) for source in sources]
    return max(found, key=lambda one: (one.score, one.overlap), default=None)


class _Event(NamedTuple):
    """Something of the claim stands in terms [first, last] of the source: a word, a pair, or the n-th number."""

    first: int
    last: int
    what: str | tuple[str, str] | int


class _Window(NamedTuple):
    score: float
    first: int
    last: int  # terms [first, last)


def _events(claim: Claim, source: Source) -> list[_Event]:
    """Where words, pairs and numbers of the claim stand in the source, by their first term."""
    found: list[_Event] = []
    for word in claim.words:
        for at in source.places.get(word, ()):
            found.append(_Event(at, at, word))
            pair = (word, source.terms[at + 1].text) if at + 1 < len(source.terms) else None
            if pair in claim.pairs:
                found.append(_Event(at, at + 1, pair))
    for number, one in enumerate(claim.demands):
        places = {at for reading in one.wants for at in source.readings.get(reading, ())}
        found.extend(_Event(at, at, number) for at in places)
    return sorted(found, key=lambda event: event.first)


class _Held:
    """What stands in the window at hand; its score without counting anew."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.times: Counter[object] = Counter()
        self.distinct = {str: 0, tuple: 0, int: 0}

    def add(self, event: _Event) -> None:
        self.times[event.what] += 1
        self.distinct[type(event.what)] += self.times[event.what] == 1

    def remove(self, event: _Event) -> None:
        self.times[event.what] -= 1
        self.distinct[type(event.what)] -= self.times[event.what] == 0

    def score(self) -> float:
        words = self.distinct[str] / len(self.claim.words)
        return (words + self.distinct[tuple] / len(self.claim.pairs)) / 2 if self.claim.pairs else words

    def every_number(self) -> bool:
        return self.distinct[int] == len(self.claim.demands)


def _best(claim: Claim, events: list[_Event], size: int) -> tuple[_Window, _Window]:
    """The best window with every number, and the best whatever its numbers; the first of equal ones.

    It is enough to look at windows that start where an event starts.
    """
    entering = sorted(events, key=lambda event: event.last)
    held = _Held(claim)
    best = whole = _Window(0.0, 0, 0)
    enter, before = 0, -1
    for event in events:
        end = event.first + size
        while enter < len(entering) and entering[enter].last < end:
            held.add(entering[enter])
            enter += 1
        if event.first > before:
            window = _Window(held.score(), event.first, end)
            whole = window if window.score > whole.score else whole
            best = window if window.score > best.score and held.every_number() else best
        held.remove(event)
        before = event.first
    return best, whole


def _stands(demand: Demand, source: Source, window: _Window) -> bool:
    places = (at for reading in demand.wants for at in source.readings.get(reading, ()))
    return any(window.first <= at < window.last for at in places)
