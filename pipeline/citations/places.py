"""Which sentence a citation belongs to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipeline.citations.occurrences import Marker, Sentence
from pipeline.sentences import sentence_starts

_WORD = re.compile(r"[^\W_]")


def sentences_of(
    answer: str, markers: Sequence[Marker], language: str, appendix: tuple[int, int] | None = None
) -> tuple[Sentence, ...]:
    """Sentences without a gap, with every marker inside the one it belongs to.

    A marker belongs to what it follows, also behind the full stop; one that opens the text or a line belongs to what
    follows. So the text is cut without its markers, and a cut never falls between a marker and its sentence. The
    characters of `appendix` (a reference list) are part of the sentence before them.
    """
    if not answer:
        return ()
    bare, origins = _without(answer, markers)
    starts = sentence_starts(bare, language)
    if markers:
        starts = _before_leading(answer, _in_answer(starts, origins), markers)
    if appendix is not None:
        first, end = appendix
        starts = [start for start in starts if not first <= start < end] + [end]
    edges = [0, *sorted({start for start in starts if 0 < start < len(answer)}), len(answer)]
    return tuple(_with_words(bare, edges, origins))


def sentence_at(sentences: Sequence[Sentence], place: int) -> int:
    """The sentence that holds this character."""
    return bisect_right(sentences, place, key=lambda one: one.start) - 1


def sentences_at(sentences: Sequence[Sentence], places: Iterable[int]) -> Iterator[int]:
    """The sentences that hold these characters, which ascend."""
    at, last = 0, len(sentences) - 1
    for place in places:
        while at < last and sentences[at + 1].start <= place:
            at += 1
        yield at


def _without(answer: str, markers: Sequence[Marker]) -> tuple[str, list[tuple[int, int]]]:
    """The text without its markers, and pairs (place in it, characters left out up to there) where pieces begin."""
    if not markers:
        return answer, [(0, 0)]
    pieces: list[str] = []
    origins: list[tuple[int, int]] = []
    at = length = 0
    for marker in markers:
        start = marker.start
        if start > at:
            origins.append((length, at - length))
            pieces.append(answer[at:start])
            length += start - at
        at = marker.end
    origins.append((length, at - length))
    pieces.append(answer[at:])
    return "".join(pieces), origins


def _in_answer(starts: Sequence[int], origins: Sequence[tuple[int, int]]) -> list[int]:
    """Where these places of the text without markers stand in the answer."""
    at, last = 0, len(origins) - 1
    places: list[int] = []
    for start in starts:
        while at < last and origins[at + 1][0] <= start:
            at += 1
        places.append(start + origins[at][1])
    return places


def _before_leading(answer: str, starts: Sequence[int], markers: Sequence[Marker]) -> list[int]:
    """The starts, each moved before the markers that open the line of its sentence."""
    ends = [marker.end for marker in markers]
    moved: list[int] = []
    for start in starts:
        at, first = start, bisect_right(ends, start)
        while first > 0 and not answer[ends[first - 1] : at].strip(" \t"):
            first -= 1
            at = markers[first].start
        moved.append(at if at < start and _begins_line(answer, at) else start)
    return moved


def _begins_line(answer: str, place: int) -> bool:
    while place > 0 and answer[place - 1] in " \t":
        place -= 1
    return place > 0 and answer[place - 1] == "\n"


def _with_words(bare: str, edges: Sequence[int], origins: Sequence[tuple[int, int]]) -> list[Sentence]:
    """Sentences between these edges; one without a word joins the one before it, a first one the one behind it."""
    begins = [place + gap for place, gap in origins]
    at, last, before = 0, len(origins) - 1, 0
    sentences: list[Sentence] = []
    first, opened = 0, False  # where the sentence begins that may still grow, and whether it holds a word
    for start, end in pairwise(edges):
        while at < last and begins[at + 1] <= end:
            at += 1
        place = end - origins[at][1]
        if _WORD.search(bare, before, place) is not None:
            if opened:
                sentences.append(Sentence(first, start))
                first = start
            opened = True
        before = place
    sentences.append(Sentence(first, edges[-1]))
    return sentences
