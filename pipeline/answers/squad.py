"""Answers against right answers, as SQuAD does it (Rajpurkar et al. 2016, with the empty case of 2018).

Lower case, ASCII punctuation and the words a, an, the taken out, blanks made one; the best over the right answers.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def exact(answer: str, references: Sequence[str]) -> float:
    """1 if the answer is one of the references word by word, else 0."""
    words = tokens(answer)
    return float(any(words == tokens(reference) for reference in references))


def f1(answer: str, references: Sequence[str]) -> float:
    """The harmonic mean of precision and recall of words, counted with repeats; against the nearest reference.

    Where one side has no words: 1 if neither has any, else 0.
    """
    words = tokens(answer)
    return max(_f1(words, tokens(reference)) for reference in references)


def tokens(text: str) -> list[str]:
    """The words that count."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    if not answer or not reference:
        return float(answer == reference)
    shared = sum((Counter(answer) & Counter(reference)).values())
    return 2 * shared / (len(answer) + len(reference))
