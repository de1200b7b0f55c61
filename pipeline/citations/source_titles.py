"""(Source: Title) and its like: titles of the context, in parentheses that may hold parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.citations.bodies import one_item, trimmed
from pipeline.citations.context import Context
from pipeline.citations.occurrences import Item, Marker

_OPENED = re.compile(
    r"[(（]\s{0,9}(?:sources?|src|quellen?|fuentes?|fontes?|fonti|bron|bronnen|来源|來源|出典|출처|источники?)"
    r"\s{0,9}[:：]\s{0,9}",
    re.IGNORECASE,
)
_SEMICOLON = re.compile(r"[;；]")
_BETWEEN = re.compile(r"[;；,，、]|\s(?:and|und|et|y|&)\s")
_PARENS = re.compile(r"[()（）]")
_LONGEST = 500  # characters from the opening to the closing parenthesis
_LOCATED = re.compile(r"[\s,;:(]\s*((?:pp?\.|pages?|§|sec\.|sections?|ch\.|chapters?|fig\.|lines?|S\.)\s*[\w.–-]+\)?)$")


def paren_sources(text: str, context: Context) -> Iterator[Marker]:
    """Every (Source: …)."""
    openings = list(_OPENED.finditer(text)) if "(" in text or "（" in text else []
    closings = _closings(text) if openings else {}
    seen: dict[str, tuple[Item, ...]] = {}
    for opened in openings:
        end = closings.get(opened.start())
        if end is None or end - opened.start() > _LONGEST:
            continue
        inner = text[opened.end() : end]
        if inner not in seen:
            seen[inner] = title_body(inner, 0, len(inner), context)
        if seen[inner]:
            yield Marker(opened.start(), end + 1, "source_title", seen[inner], opened.end())


def title_body(text: str, start: int, end: int, context: Context) -> tuple[Item, ...]:
    """One title or several: what is known as a whole, in known pieces, nearly as a whole, else by semicolons."""
    place = _stripped(text, start, end)
    if place is None or trimmed(text, *place) is None:
        return ()
    whole = _same(text, *place, context)
    if whole is not None:
        return (whole,)
    tiled = _tiled(text, *place, context)
    if tiled:
        return tiled
    if _SEMICOLON.search(text, *place) is None or context.find_title(text[slice(*place)]).ids:
        return (Item(*place, text[slice(*place)], "title"),)
    pieces = _pieces(text, *place)
    return tuple(_same(text, *piece, context) or Item(*piece, text[slice(*piece)], "title") for piece in pieces)


def _same(text: str, start: int, end: int, context: Context) -> Item | None:
    """A known title, id, URL or number, perhaps with a locator behind it."""
    said = text[start:end]
    if context.same_title(said).ids:
        return Item(start, end, said, "title")
    if said[:4].lower() == "http" and said.lower().startswith(("http://", "https://")):
        return Item(start, end, said, "url")
    item = one_item(text, start, end, context)
    if item is not None and (item.kind != "id" or context.find(item.text).ids):
        return item
    located = _LOCATED.search(text, start, end)
    place = None if located is None else _stripped(text, start, located.start())
    if located is None or place is None:
        return None
    inner = _same(text, *place, context)
    return None if inner is None else Item(inner.start, inner.end, inner.text, inner.kind, inner.numbers, located[1])


def _tiled(text: str, start: int, end: int, context: Context) -> tuple[Item, ...]:
    """Known titles that follow each other, each as long as possible; () if some piece stays unknown."""
    cuts = [found.span() for found in _BETWEEN.finditer(text, start, end)] + [(end, end)]
    items: list[Item] = []
    first = 0
    while start < end and len(cuts) > 1:
        for i in range(len(cuts) - 1, first - 1, -1):
            place = _stripped(text, start, cuts[i][0])
            item = None if place is None else _same(text, *place, context)
            if item is not None:
                items.append(item)
                start, first = cuts[i][1], i + 1
                break
        else:
            return ()
    return tuple(items)


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    edges = [start, *(edge for found in _SEMICOLON.finditer(text, start, end) for edge in found.span()), end]
    pieces = [_stripped(text, edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    return [piece for piece in pieces if piece is not None]


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Without blanks around it; quotation marks stay, they may belong to the title."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _closings(text: str) -> dict[int, int]:
    """Opening parenthesis -> the closing one that belongs to it."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for found in _PARENS.finditer(text):
        if found[0] in "(（":
            opened.append(found.start())
        elif opened:
            pairs[opened.pop()] = found.start()
    return pairs
