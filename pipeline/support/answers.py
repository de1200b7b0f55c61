"""Two measures of an answer: what the cited texts bear out word by word, and what a judge said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pipeline.support.lexical import Source, Support, best_support, claim_of


class CitedSentence(NamedTuple):
    """A sentence of an answer, and the documents that it cites validly."""

    text: str  # without its markers
    doc_ids: tuple[str, ...]


class Checked(NamedTuple):
    """A sentence with the best support of its documents; None = none of their texts is known, or nothing to check."""

    sentence: CitedSentence
    support: Support | None


def check(sentences: Sequence[CitedSentence], texts: Mapping[str, Source], language: str = "en") -> list[Checked]:
    """Every sentence that cites something, checked against each of its documents by itself."""
    checked = []
    for sentence in sentences:
        sources = [texts[doc] for doc in sentence.doc_ids if doc in texts]
        found = best_support(claim_of(sentence.text, language), sources)
        checked.append(Checked(sentence, None if found is None or math.isnan(found.score) else found))
    return checked


def cited_support(checked: Sequence[Checked]) -> float:
    """Mean support of the sentences that cite something; NaN where none could be checked."""
    scores = [one.support.score for one in checked if one.support is not None]
    return sum(scores) / len(scores) if scores else math.nan


def without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in place of these characters: the markers of its citations."""
    parts, at = [], 0
    for start, end in sorted(spans):
        parts += [text[at : max(at, start)], " "]
        at = max(at, end)
    return "".join(parts) + text[at:]
