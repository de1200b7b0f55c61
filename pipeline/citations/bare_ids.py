"""Ids of the context that stand in prose as words: as kb-7 shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pipeline.citations.context import Context
from pipeline.citations.identifiers import whole_number
from pipeline.citations.occurrences import Item, Marker
from pipeline.citations.spelling import Spelling

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without blanks: each character is a word of its own
_TOKEN = re.compile(rf"(?:[^\W_{_UNSPACED}][\u0300-\u036f]*)+|\s+|.", re.DOTALL)
_WORD = re.compile(rf"[^\W_{_UNSPACED}]")
_JOINS = frozenset("-._/\\@")  # between two words they make a longer one: kb-7 is not in kb-7-draft
_SHORTEST = 3  # characters of an id that is looked for
_SHORTEST_NUMBER = 5  # digits: below stand years and quantities


@dataclass
class _Node:
    """What may follow the tokens read so far, and whether they are an id."""

    following: dict[str, _Node] = field(default_factory=dict)
    ends: bool = False


def bare_ids(shown: str, context: Context) -> Iterator[Marker]:
    """The longest id that begins at each word; what does not hold a digit or a sign is no id but a word.

    Takes time in proportion to the text, times the words of the longest id, however many ids there are.
    """
    root = _tree(context.ids, context.spelling)
    if not root.following:
        return
    spans = [found.span() for found in _TOKEN.finditer(shown)]
    tokens = [_folded(shown[start:end], context.spelling) for start, end in spans]
    at = 0
    while at < len(tokens):
        end = _longest(root, tokens, at) if tokens[at] in root.following and _apart(tokens, at - 1, -1) else at
        if end > at:
            start, stop = spans[at][0], spans[end - 1][1]
            yield Marker(start, stop, "bare_id", (Item(start, stop, shown[start:stop], "id"),))
        at = max(end, at + 1)


def _longest(root: _Node, tokens: list[str], at: int) -> int:
    """Behind the last token of the longest id that begins here as a whole word; `at` if there is none."""
    node: _Node | None = root
    longest = place = at
    while place < len(tokens) and node is not None:
        node = node.following.get(tokens[place])
        place += 1
        if node is not None and node.ends and _apart(tokens, place, 1):
            longest = place
    return longest


def _apart(tokens: list[str], beside: int, step: int) -> bool:
    """Whether the token beside an id does not go on with it: neither a word nor a sign that joins it to one."""
    if _word(tokens, beside):
        return False
    return not (0 <= beside < len(tokens) and tokens[beside] in _JOINS and _word(tokens, beside + step))


def _word(tokens: list[str], place: int) -> bool:
    return 0 <= place < len(tokens) and _WORD.match(tokens[place]) is not None


@lru_cache(maxsize=256)
def _tree(ids: tuple[str, ...], spelling: Spelling) -> _Node:
    root = _Node()
    for name in map(str.strip, ids):
        if not telling(name):
            continue
        node = root
        for token in _TOKEN.findall(name):
            node = node.following.setdefault(_folded(token, spelling), _Node())
        node.ends = True
    return root


def telling(name: str) -> bool:
    """Whether this id cannot well be a word or quantity of the prose."""
    if whole_number(name) is not None:
        return len(name) >= _SHORTEST_NUMBER
    return len(name) >= _SHORTEST and not all(sign.isalpha() or sign.isspace() for sign in name)


def _folded(token: str, spelling: Spelling) -> str:
    """One blank stands for all between two words, where blanks do not count."""
    return spelling.key(token) if not token.isspace() else " " if spelling.blanks else token
