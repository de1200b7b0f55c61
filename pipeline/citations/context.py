"""What an answer may cite: the ids of its context in prompt order, their titles and URLs, ready to be looked up."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, TypeVar

from pipeline.citations.identifiers import extensions_agree, file_name, has_extension, identifier, is_hex, shape_of
from pipeline.citations.spelling import Spelling, url_key
from pipeline.errors import SettingError

_MOST_REMEMBERED = 1_000  # texts looked up in a context
_DIGIT_FIRST = re.compile(r"(?:^|[/\\])\s*\d")  # of an id, or of the file name in it
_CLOSE_TITLE = 0.85  # similarity (difflib) from which a title counts as a misspelling of another
_LONG_TITLE = 12  # characters a title must share to count as a shortened one


Key = TypeVar("Key")
_LOOSE = Spelling()


class Match(NamedTuple):
    """Context ids that a text may mean; more than one = ambiguous."""

    ids: tuple[str, ...]
    fuzzy: str = ""  # why it is only nearly the same; "" = the same
    said: str = ""  # who says so, where that is not the citation itself


NOTHING = Match(())


@dataclass(frozen=True, eq=False)
class Context:
    """Ids in prompt order (repeats are kept, they take a position), and what leads to them."""

    ids: tuple[str, ...]
    spelling: Spelling
    by_id: Mapping[str, tuple[str, ...]]
    by_number: Mapping[int, tuple[str, ...]]
    by_title: Mapping[str, tuple[str, ...]]
    by_url: Mapping[str, tuple[str, ...]]
    bracketed: tuple[str, ...]  # ids with brackets, semicolons or commas in them, longest first
    shapes: frozenset[tuple[str, str, str]]
    has_hex: bool
    first_signs: frozenset[str]  # of what ids made alike begin with, and end with
    last_signs: frozenset[str]
    lists_are_ids: bool  # an id looks like a list of numbers
    looked_up: dict[str, Match] = field(default_factory=dict)  # answers repeat themselves

    @property
    def distinct(self) -> tuple[str, ...]:
        """Ids without repeats, in prompt order."""
        return tuple(dict.fromkeys(self.ids))

    def find(self, text: str) -> Match:
        """The id that `text` names: letter for letter, else by spelling, else by file extension or folder."""
        found = self.looked_up.get(text)
        if found is None:
            if len(self.looked_up) > _MOST_REMEMBERED:
                self.looked_up.clear()
            found = self.looked_up[text] = self._look_up(text) if text else NOTHING
        return found

    def _look_up(self, text: str) -> Match:
        key = self.spelling.key(text)
        same = self.by_id.get(key, ())
        if text in same:
            return Match((text,))
        return Match(same) if same else self._nearly(key)

    def _nearly(self, key: str) -> Match:
        if "://" in key:
            return NOTHING
        plain = file_name(key)
        if plain == key:
            found = self.by_id.get("\0" + key, ())
        else:
            found = self.by_id.get(plain, ()) or self.by_id.get("\0" + plain, ())
            if has_extension(key):  # two files that differ in their extension are two documents
                found = tuple(one for one in found if extensions_agree(self.spelling.key(one), key))
        return Match(found, "file name without extension or folder") if found else NOTHING

    def position(self, number: int) -> str | None:
        """The id at this place of the prompt, counted from 1."""
        return self.ids[number - 1] if 1 <= number <= len(self.ids) else None

    def kin(self, text: str) -> bool:
        """Whether `text` is made like an id of this context, so that it can only be meant as one."""
        key = text.casefold() if text.isascii() and text.isalnum() else _LOOSE.key(text)
        if is_hex(key):
            return self.has_hex
        if not key or " " in key or not (key[0] in self.first_signs or key[-1] in self.last_signs):
            return False
        signature, head, tail = shape_of(key)
        if not head:
            return False
        return (signature, head, "") in self.shapes or (signature, "", tail) in self.shapes

    def find_title(self, text: str) -> Match:
        """The id of the document with this title: the same, else a shortened or misspelt one if only one fits."""
        same = self.same_title(text)
        key = self.spelling.title_key(text)
        if same.ids or not key or len(key) > 300 or not self.by_title:
            return same
        found = self.looked_up.get("\0" + key)
        if found is None:
            found = self.looked_up["\0" + key] = _closest_title(key, self.by_title)
        return found

    def same_title(self, text: str) -> Match:
        """The id of the document with exactly this title, up to spelling."""
        key = self.spelling.title_key(text)
        return Match(self.by_title.get(key, ())) if key else NOTHING

    def find_url(self, url: str) -> Match:
        """The id of the document at this URL."""
        return Match(self.by_url.get(url_key(url), ()))


def context_of(
    ids: Iterable[object],
    *,
    titles: Sequence[str] | Mapping[str, str] | None = None,
    urls: Sequence[str] | Mapping[str, str] | None = None,
    spelling: Spelling | None = None,
) -> Context:
    """The context of an answer. Ids are strings or whole numbers; titles and URLs are in the order of ids, or by id.

    SettingError for an id that is neither, for an empty one, and for titles or URLs that are not one an id.
    """
    names = tuple(as_id(one, place) for place, one in enumerate(ids))
    titled = tuple(_paired("titles", names, titles).items())
    linked = tuple(_paired("urls", names, urls).items())
    return _made(names, titled, linked, spelling or _LOOSE)


@lru_cache(maxsize=8)
def _made(
    names: tuple[str, ...], titles: tuple[tuple[str, str], ...], urls: tuple[tuple[str, str], ...], rule: Spelling
) -> Context:
    """One object for equal contexts, which remembers what it looked up."""
    by_id: dict[str, list[str]] = {}
    plain: dict[str, list[str]] = {}
    by_number: dict[int, list[str]] = {}
    made = [(name, identifier(name, rule.nfkc, rule.case, rule.blanks)) for name in dict.fromkeys(names)]
    for name, one in made:
        by_id.setdefault(one.key, []).append(name)
        if one.plain:
            plain.setdefault("\0" + one.plain, []).append(name)
        if one.number is not None and (rule.zeros or name == str(one.number)):
            by_number.setdefault(one.number, []).append(name)
    shapes = frozenset(shape for _, one in made for shape in one.shapes)
    bracketed = tuple(sorted((name for name, one in made if one.signs), key=len, reverse=True))
    links = {name: name for name, one in made if one.link}
    return Context(
        ids=names,
        spelling=rule,
        by_id=_frozen(by_id | plain),
        by_number=_frozen(by_number),
        by_title=_index(dict(titles), rule.title_key),
        by_url=_index(links | dict(urls), url_key),
        bracketed=bracketed,
        shapes=shapes,
        has_hex=any(one.is_hex for _, one in made),
        first_signs=frozenset(head[0] for _, head, _ in shapes if head),
        last_signs=frozenset(tail[-1] for _, _, tail in shapes if tail),
        lists_are_ids=any(_DIGIT_FIRST.search(name) for name in bracketed),
    )


def as_id(value: object, place: int) -> str:
    """A context id as a string; SettingError names the place of one that cannot be an id."""
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise SettingError(f"context id {place + 1} is {value!r}; expected a text that is not empty, or a whole number")


def _paired(what: str, names: Sequence[str], given: Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): text for name, text in given.items() if str(name) in names and text}
    if isinstance(given, str) or len(given) != len(names):
        raise SettingError(f"{what}: expected one for each of the {len(names)} context ids; got {len(given)}")
    return {name: text for name, text in zip(names, given, strict=True) if text}


def _index(texts: Mapping[str, str], key: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, text in texts.items():
        made = key(text)
        if made:
            found.setdefault(made, []).append(name)
    return _frozen(found)


def _frozen(found: Mapping[Key, list[str]]) -> dict[Key, tuple[str, ...]]:
    return {key: tuple(names) for key, names in found.items()}


def _closest_title(key: str, titles: Mapping[str, tuple[str, ...]]) -> Match:
    """Titles that begin with `key` or that it begins with, else the most similar one."""
    long = (
        [(title, ids) for title, ids in titles.items() if len(title) >= _LONG_TITLE] if len(key) >= _LONG_TITLE else []
    )
    starts = [ids for title, ids in long if _begins(title, key)]
    if len(starts) == 1:
        return Match(starts[0], "title cut short or longer")
    longest, shortest = len(key) * (2 / _CLOSE_TITLE - 1), len(key) / (2 / _CLOSE_TITLE - 1)  # that can be alike
    near = [(title, ids) for title, ids in titles.items() if shortest <= len(title) <= longest]
    return _most_similar(key, near) if near else NOTHING


def _most_similar(key: str, titles: Sequence[tuple[str, tuple[str, ...]]]) -> Match:
    best: list[tuple[float, tuple[str, ...]]] = []
    matcher = difflib.SequenceMatcher(None, "", key, autojunk=False)
    for title, ids in titles:
        matcher.set_seq1(title)
        if matcher.quick_ratio() >= _CLOSE_TITLE:
            best.append((matcher.ratio(), ids))
    close = sorted((one for one in best if one[0] >= _CLOSE_TITLE), reverse=True)
    if close and (len(close) == 1 or close[0][0] > close[1][0]):
        return Match(close[0][1], f"title alike ({close[0][0]:.2f})")
    return NOTHING


def _begins(one: str, other: str) -> bool:
    """Whether the longer begins with the shorter, at the end of a word."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and not long[len(short) : len(short) + 1].isalnum()
