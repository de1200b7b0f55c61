"""Markdown links and bare URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pipeline.citations.occurrences import Item, Marker

_TAIL = re.compile(
    r"\(\s{0,9}(?:<([^<>\n]{0,2000})>|((?:[^\s()<>]|\([^\s()<>]{0,300}\)){0,2000}+))"
    r"(?:\s{1,9}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?\s{0,9}\)"
)
_URL = re.compile(r"(?i)\bhttps?://[^\s<>\"'\[\]{}|\\^`\0（）【】「」，。；、]+")


class Tail(NamedTuple):
    """Target of a markdown link, where it stands, and where the link ends."""

    target: str
    start: int
    end: int


def link_tail(text: str, end: int) -> Tail | None:
    """`(target)` right behind a bracket that closes at `end`; None if it is no link."""
    if text[end : end + 1] != "(":
        return None
    found = _TAIL.match(text, end)
    if found is None:
        return None
    group = 1 if found[1] is not None else 2
    if not found[group]:
        return None
    return Tail(found[group], found.start(group), found.end())


def url_markers(text: str) -> Iterator[Marker]:
    """Every bare URL, without the punctuation of the sentence around it."""
    for found in _URL.finditer(text):
        start, items = found.start(), url_items(_without_punctuation(found[0]))
        yield Marker(start, start + items[0].end, "url", items, start)


@lru_cache(maxsize=4096)
def url_items(url: str) -> tuple[Item, ...]:
    """What a URL cites, the same object for equal ones; places count from its first character."""
    return (Item(0, len(url), url, "url"),)


def _without_punctuation(url: str) -> str:
    """A closing parenthesis stays where the URL opens one."""
    surplus = url.count(")") - url.count("(")
    end = len(url)
    while end > 0 and (url[end - 1] in ".,;:!?*_'\"" or (url[end - 1] == ")" and surplus > 0)):
        surplus -= url[end - 1] == ")"
        end -= 1
    return url[:end]
