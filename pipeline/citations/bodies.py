"""What stands between two brackets, taken apart: ids, numbers, ranges, locators; or why it is none."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from pipeline.citations.context import Context
from pipeline.citations.identifiers import whole_number
from pipeline.citations.occurrences import Item

_SEPARATOR = re.compile(r"[,;，；、]")
_LISTED = re.compile(r"[,;，；、\s]")  # without one of these a body has one part
_BLANKS = re.compile(r"\s+")
_DIGITS = re.compile(r"[0-9]+")
_NUMBERS_LISTED = re.compile(r"[0-9]{1,18}(?:[,;] ?[0-9]{1,18})*")
_NUMBERS_APART = re.compile(r"\d{1,9}(?:\s+\d{1,9})+")
_SEMICOLON = re.compile(r"[;；]")
_AND = re.compile(r"\s(?:and|und|et|y|e|en|&|\+)\s", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,9})\s*(?:-|‐|‑|‒|–|—|−|~|〜|～|\.\.\.?|…|to|bis|à)\s*(\d{1,9})")
_LOCATOR = re.compile(
    r"(?i)(?:(?:pp?|pgs?|pages?|s|seiten?|págs?|bl|ch|chap|chapters?|kap|kapitel|cap|sec|sect|sections?|abschn|abschnitt|art"
    r"|arts|articles?|fig|figs|figures?|abb|tab|tables?|lines?|ll?|z|vol|no|nr|para|paras?|paragraphs?|abs|col|slides?"
    r"|folie|appendix|app|eq|rows?|zeilen?|chunks?|parts?|at)\.?\s*[#:]?\s*[\dIVXivx][\w.:–-]*(?:\s*[-–]\s*\w+)?"
    r"|[§¶#]+\s*[\w.=:-]+|第\s*\d+\s*[页頁章节節条條段行]"
    r"|\d+:\d\d(?::\d\d)?(?:\s*[-–]\s*\d+:\d\d(?::\d\d)?)?)"
)
_AFTER_ID = re.compile(r"[\s,;:#|@?(，；：]+")
_LEAD = re.compile(
    r"(?i)(?:see also|see|cf\.?|e\.g\.,?|i\.e\.,?|also|from|per|via|based on|according to|siehe|vgl\.?|voir|ver|véase"
    r"|参见|id\s*[:=]"
    r"|ids\s*[:=]|cite\s*[:=]|citation\s*[:=])\s*"
)
_LEADS = frozenset(
    ["se", "cf", "e.", "i.", "al", "fr", "pe", "vi", "ba", "ac", "si", "vg", "vo", "ve", "vé", "参见", "id", "ci"]
)  # what those begin with
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_QUOTED = "\"'“”‘’`"
YEARS = range(1900, 2101)


class Body(NamedTuple):
    """The items of a marker, or the reason why there are none."""

    items: tuple[Item, ...]
    reason: str = ""


def plain_body(answer: str, start: int, end: int, context: Context) -> Body:
    """Items of `[…]` without a prefix: what is known, numbers, and ids made like the known ones.

    A part that is none of these makes the whole prose, unless a known id stands beside it: then it says where in the
    document. Numbers from 1900 to 2100 that lead nowhere are years.
    """
    whole = trimmed(answer, start, end)
    if whole is None:
        return Body((), "prose")
    if _only_numbers(answer, *whole, context):
        items = _plain_numbers(answer, *whole)
        years = any(item.numbers[0] in YEARS for item in items if item.numbers is not None)
        return _without_years(items, context) if years else Body(tuple(items))
    known = _known(answer, *whole, context)
    if known is not None:
        return Body((known,))
    items = _items(answer, *whole, context)
    return _without_years(items, context) if items else Body((), "prose")


def _only_numbers(answer: str, start: int, end: int, context: Context) -> bool:
    """Whether this is a number or a plain list of numbers, which no id of the context and no sum can be."""
    if _NUMBERS_LISTED.fullmatch(answer, start, end) is None:
        return False
    listed = not answer[start:end].isdecimal()
    return not listed or (not context.lists_are_ids and _THOUSANDS.fullmatch(answer, start, end) is None)


def _plain_numbers(answer: str, start: int, end: int) -> list[Item]:
    """Items of numbers alone."""
    items: list[Item] = []
    for found in _DIGITS.finditer(answer, start, end):
        text = found[0]
        number = int(text)
        items.append(Item(found.start(), found.end(), text, "number", (number, number)))
    return items


def _items(answer: str, start: int, end: int, context: Context) -> list[Item]:
    """Items of one part or several; none if some part is neither an item nor says where in the one before it."""
    if _THOUSANDS.fullmatch(answer, start, end) and not _all_lead_somewhere(answer[start:end], context):
        return []
    items: list[Item] = []
    for place in _parts(answer, start, end, context):
        item = one_item(answer, *place, context)
        if item is None and not _attach(items, answer[slice(*place)], place, context):
            return []
        if item is not None:
            items.append(item)
    return items


def prefixed_body(answer: str, start: int, end: int, context: Context, prefix: re.Pattern[str]) -> Body:
    """Items after a prefix such as `doc_id `: here every part is meant as a citation, known or not."""
    whole = trimmed(answer, start, end)
    if whole is None:
        return Body((), "prose")
    known = _known(answer, *whole, context)
    if known is not None:
        return Body((known,))
    items: list[Item] = []
    for place in _parts(answer, *whole, context):
        inner = _behind(prefix, answer, place)
        item = one_item(answer, *inner, context)
        if item is not None:
            items.append(item)
        elif not _attach(items, answer[slice(*inner)], inner, context, unknown=False):
            items.append(Item(*inner, answer[slice(*inner)], "id"))
    return Body(tuple(items))


def trimmed(answer: str, start: int, end: int) -> tuple[int, int] | None:
    """The place without blanks and quotation marks around it; None if nothing is left."""
    while start < end and (answer[start].isspace() or answer[start] in _QUOTED):
        start += 1
    while end > start and (answer[end - 1].isspace() or answer[end - 1] in _QUOTED):
        end -= 1
    return (start, end) if start < end else None


def _parts(answer: str, start: int, end: int, context: Context) -> list[tuple[int, int]]:
    """Places of the parts of a list: by commas and semicolons, by "and" or blanks where all parts are then known."""
    if _LISTED.search(answer, start, end) is None:
        return [(start, end)]
    if any(";" in name or "," in name for name in context.bracketed):
        whole = _between(answer, start, end, [found.span() for found in _SEMICOLON.finditer(answer, start, end)])
        if all(_known(answer, *piece, context) is not None for piece in whole):
            return whole
    cuts = [found.span() for found in _SEPARATOR.finditer(answer, start, end)]
    parts = _between(answer, start, end, cuts)
    return [piece for part in parts for piece in _split_softly(answer, part, context)]


def _split_softly(answer: str, part: tuple[int, int], context: Context) -> list[tuple[int, int]]:
    if _known(answer, *part, context) is not None:
        return [part]
    cuts = [found.span() for found in _AND.finditer(answer, *part)]
    pieces = _between(answer, *part, cuts) if cuts else []
    if len(pieces) > 1 and all(_citable(answer, *piece, context) for piece in pieces):
        return pieces
    if _NUMBERS_APART.fullmatch(answer, *part) is None:
        return [part]
    return _between(answer, *part, [found.span() for found in _BLANKS.finditer(answer, *part)])


def _citable(answer: str, start: int, end: int, context: Context) -> bool:
    text = answer[start:end]
    return whole_number(_folded(text)) is not None or bool(context.find(text).ids)


def _between(answer: str, start: int, end: int, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The trimmed pieces between cuts; empty ones are dropped."""
    edges = [start, *(edge for cut in cuts for edge in cut), end]
    pieces = [trimmed(answer, edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    return [piece for piece in pieces if piece is not None]


def one_item(answer: str, start: int, end: int, context: Context) -> Item | None:
    """A known id (with a locator behind it), a number, a range, or an id made like the known ones."""
    text = answer[start:end]
    folded = _folded(text)
    number = whole_number(folded)
    if number is not None:
        return Item(start, end, text, "number", (number, number))
    if context.find(text).ids:
        return Item(start, end, text, "id")
    span = _RANGE.fullmatch(folded) if folded[0].isdecimal() else None
    if span is not None:
        return Item(start, end, text, "range", (int(span[1]), int(span[2])))
    led = _LEAD.match(answer, start, end) if text[:2].lower() in _LEADS else None
    if led is not None and start < led.end() < end:
        return one_item(answer, led.end(), end, context)
    located = _with_locator(answer, start, end, context)
    if located is not None:
        return located
    return Item(start, end, text, "id") if context.kin(text) else None


def _known(answer: str, start: int, end: int, context: Context) -> Item | None:
    """An id of the context that is not read as a number."""
    text = answer[start:end]
    if whole_number(_folded(text)) is not None or not context.find(text).ids:
        return None
    return Item(start, end, text, "id")


def _with_locator(answer: str, start: int, end: int, context: Context) -> Item | None:
    """The longest known id (or a number) at the start, when what follows says where in the document."""
    for gap in reversed(list(_AFTER_ID.finditer(answer, start, end))):
        if gap.start() == start:
            continue
        text = answer[start : gap.start()]
        behind = answer[gap.end() : end].rstrip(")")
        mark = answer[gap.start() : gap.end()].strip()
        says_where = mark.startswith(("#", "?")) or _LOCATOR.fullmatch(behind) is not None
        if not says_where:
            continue
        number = whole_number(_folded(text))
        if number is not None and not mark.startswith(("#", "?")):
            return Item(start, gap.start(), text, "number", (number, number), behind)
        if context.find(text).ids or context.kin(text):
            return Item(start, gap.start(), text, "id", None, behind)
    return None


def _attach(items: list[Item], text: str, place: tuple[int, int], context: Context, *, unknown: bool = True) -> bool:
    """Takes `text` as the locator of the item before it; False if there is none that it can belong to."""
    if not items:
        return False
    last = items[-1]
    if _LOCATOR.fullmatch(text) is None and not (unknown and last.kind == "id" and context.find(last.text).ids):
        return False
    items[-1] = last._replace(locator=f"{last.locator}, {text}" if last.locator else text)
    return True


def _without_years(items: list[Item], context: Context) -> Body:
    """Years are no citations; behind a named id, a number that leads nowhere says where in the document."""
    kept: list[Item] = []
    for item in items:
        if item.numbers is None or _leads_somewhere(item.numbers, context):
            kept.append(item)
        elif kept and kept[-1].kind == "id" and context.find(kept[-1].text).ids:
            kept[-1] = kept[-1]._replace(locator=f"{kept[-1].locator}, {item.text}".removeprefix(", "))
        elif item.numbers[0] in YEARS and item.numbers[1] in YEARS:
            continue
        else:
            kept.append(item)
    return Body(tuple(kept), "" if kept else "year")


def _leads_somewhere(numbers: tuple[int, int], context: Context) -> bool:
    return any(number in context.by_number or context.position(number) is not None for number in numbers)


def _all_lead_somewhere(text: str, context: Context) -> bool:
    return all(_leads_somewhere((int(part), int(part)), context) for part in text.split(","))


def _behind(prefix: re.Pattern[str], answer: str, place: tuple[int, int]) -> tuple[int, int]:
    found = prefix.match(answer, *place)
    inner = None if found is None else trimmed(answer, found.end(), place[1])
    return inner or place


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text) if not text.isascii() else text
