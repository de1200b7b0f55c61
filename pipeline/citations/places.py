"""Which sentence a citation belongs to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from pipeline.citations.occurrences import Marker, Sentence
from pipeline.sentences import sentence_starts

_WORD = re.compile(r"[^\W_]")


def sentences_of(answer: str, markers: Sequence[Marker], language: str) -> tuple[Sentence, ...]:
    """Sentences without a gap, with every marker inside the one it belongs to.

    A marker belongs to what it follows, also behind the full stop; one that opens the text or a line belongs to what
    follows. So the text is cut without its markers, and a cut never falls between a marker and its sentence.
    """
    if not answer:
        return ()
    if markers:
        bare, origins = _without(answer, markers)
        starts = [_origin(origins, place) for place in sentence_starts(bare, language)]
        starts = [_before_leading(answer, start, markers) for start in starts]
    else:
        starts = sentence_starts(answer, language)
    edges = sorted({0, *(start for start in starts if 0 < start < len(answer))})
    pieces = [Sentence(start, end) for start, end in zip(edges, [*edges[1:], len(answer)], strict=True)]
    return _with_words(answer, pieces, markers)


def sentence_at(sentences: Sequence[Sentence], place: int) -> int:
    """The sentence that holds this character."""
    return bisect_right(sentences, place, key=lambda one: one.start) - 1


def _without(answer: str, markers: Sequence[Marker]) -> tuple[str, list[tuple[int, int]]]:
    """The text without its markers, and pairs (place in it, place in the answer) where kept pieces begin."""
    pieces: list[str] = []
    origins: list[tuple[int, int]] = []
    at = length = 0
    for marker in markers:
        origins.append((length, at))
        pieces.append(answer[at : marker.start])
        length += marker.start - at
        at = marker.end
    origins.append((length, at))
    pieces.append(answer[at:])
    return "".join(pieces), origins


def _origin(origins: Sequence[tuple[int, int]], place: int) -> int:
    begin, origin = origins[bisect_right(origins, place, key=lambda pair: pair[0]) - 1]
    return origin + place - begin


def _before_leading(answer: str, start: int, markers: Sequence[Marker]) -> int:
    """The start moved before the markers that open the line of this sentence."""
    i = bisect_right(markers, start, key=lambda one: one.end) - 1
    moved = start
    while i >= 0 and not answer[markers[i].end : moved].strip(" \t"):
        moved = markers[i].start
        i -= 1
    before = answer[:moved].rstrip(" \t") if moved < start else ""
    return moved if moved < start and before.endswith("\n") else start


def _with_words(answer: str, pieces: Sequence[Sentence], markers: Sequence[Marker]) -> tuple[Sentence, ...]:
    """Pieces that hold no word join the one before them, a wordless first piece the one behind it."""
    joined: list[Sentence] = []
    for piece in pieces:
        if joined and (not _wordy(answer, piece, markers) or not _wordy(answer, joined[0], markers)):
            joined[-1] = Sentence(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return tuple(joined)


def _wordy(answer: str, piece: Sentence, markers: Sequence[Marker]) -> bool:
    at = piece.start
    for marker in markers[bisect_right(markers, piece.start - 1, key=lambda one: one.start) :]:
        if marker.start >= piece.end:
            break
        if _WORD.search(answer, at, marker.start) is not None:
            return True
        at = marker.end
    return _WORD.search(answer, at, piece.end) is not None
