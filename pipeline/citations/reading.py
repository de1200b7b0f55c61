"""An answer in, its citations out: found, resolved against the context, placed in their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

from pipeline.citations.context import NOTHING, Context, Match, context_of
from pipeline.citations.markers import FORMATS, ON_REQUEST, Formats, scan
from pipeline.citations.numbering import Numbering, read_numbers
from pipeline.citations.occurrences import Item, Kind, Marker, Occurrence, Reading, Resolution, Sentence
from pipeline.citations.patterns import Matcher
from pipeline.citations.places import sentences_at, sentences_of
from pipeline.citations.spelling import Spelling, url_fragment
from pipeline.errors import SettingError
from pipeline.sentences import check_language

_MOST_REMEMBERED = 1_000  # things cited a context
FormatsGiven: TypeAlias = "str | Sequence[str | Matcher] | Matcher"


@dataclass(frozen=True)
class Settings:
    """How answers are read."""

    VERSION: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("google-re2",)

    formats: str | tuple[str | Matcher, ...] = "auto"
    numbering: Literal["auto", "position", "id"] = "auto"
    language: str = "en"
    nfkc: bool = True
    case: bool = True
    blanks: bool = True
    zeros: bool = True

    def __post_init__(self) -> None:
        """Checks every word."""
        if not isinstance(self.formats, str):
            object.__setattr__(self, "formats", tuple(self.formats))
        formats_of(self.formats)
        if self.numbering not in ("auto", "position", "id"):
            raise SettingError(f"citations.numbering={self.numbering!r}: expected auto, position or id")
        check_language(self.language, "citations.language")

    @property
    def spelling(self) -> Spelling:
        """What does not tell two ids apart."""
        return Spelling(self.nfkc, self.case, self.blanks, self.zeros)


def parse(
    answer: str | None,
    context_ids: Sequence[object],
    *,
    titles: Sequence[str] | None = None,
    urls: Sequence[str] | None = None,
    formats: FormatsGiven = "auto",
    numbering: Literal["auto", "position", "id"] = "auto",
) -> tuple[Occurrence, ...]:
    """Every citation of `answer`, in text order, resolved against the context.

    `context_ids` in prompt order, `titles` and `urls` one an id; `formats`: "auto", names of FORMATS, or patterns.
    An answer that is None or empty has none. SettingError for ids, formats or answers that cannot be used.
    """
    given = formats if isinstance(formats, str) else _as_tuple(formats)
    return read(answer, context_of(context_ids, titles=titles, urls=urls), Settings(given, numbering)).occurrences


def read(answer: str | None, context: Context, settings: Settings | None = None) -> Reading:
    """The whole reading of an answer: citations, sentences, and what only looked like a citation."""
    if answer is None:
        return Reading((), (), ())
    if not isinstance(answer, str):
        raise SettingError(f"answer is {answer!r}; expected a text or None")
    chosen = settings or Settings()
    found = scan(answer, context, formats_of(chosen.formats))
    listed = found.listed
    appendix = None if listed is None else (listed.start, listed.end)
    sentences = sentences_of(answer, found.markers, chosen.language, appendix)
    numbers = read_numbers(found.markers, context, chosen.numbering, {} if listed is None else listed.says)
    things = {} if numbers.says else _things_of(context, numbers.used)
    occurrences = _occurrences(answer, found.markers, sentences, _Resolver(context, numbers, things))
    if len(things) > _MOST_REMEMBERED:
        things.clear()
    return Reading(occurrences, sentences, found.left_out, numbers.used)


def _occurrences(
    answer: str, markers: Sequence[Marker], sentences: Sequence[Sentence], resolver: _Resolver
) -> tuple[Occurrence, ...]:
    occurrences: list[Occurrence] = []
    made = tuple.__new__  # half the time of Occurrence(…), which unpacks and packs its thirteen fields
    for marker, place in zip(markers, sentences_at(sentences, [marker.start for marker in markers]), strict=True):
        start, end, format_name, items, origin = marker
        text = answer[start:end]
        for cited, first, last, doc_id, judged, reason, locator, meant in resolver.of(format_name, items):
            at, to = origin + first, origin + last
            fields = (start, end, text, format_name, cited, at, to, doc_id, judged, reason, place, locator, meant)
            occurrences.append(made(Occurrence, fields))
    return tuple(occurrences)


@lru_cache(maxsize=256)
def formats_of(given: str | Sequence[str | Matcher]) -> Formats:
    """What is looked for; SettingError for an unknown name."""
    if given == "auto":
        return Formats(frozenset(FORMATS) - frozenset(ON_REQUEST))
    listed: Sequence[str | Matcher] = (given,) if isinstance(given, str) else given
    names = [one for one in listed if isinstance(one, str)]
    if "auto" in names:
        names = [*(name for name in FORMATS if name not in ON_REQUEST), *(name for name in names if name != "auto")]
    for name in names:
        if name not in FORMATS:
            raise SettingError(f"citations.formats: {name!r} is unknown; known are auto, {', '.join(FORMATS)}")
    if not listed:
        raise SettingError("citations.formats is empty; expected auto, or at least one format")
    return Formats(frozenset(names), tuple(one for one in listed if not isinstance(one, str)))


def _as_tuple(formats: Sequence[str | Matcher] | Matcher) -> tuple[str | Matcher, ...]:
    return tuple(formats) if isinstance(formats, Sequence) else (formats,)


_Thing: TypeAlias = "tuple[str, str, Kind, tuple[int, int] | None, str]"
_Resolved: TypeAlias = "tuple[str | None, Resolution, str, str, tuple[str, ...]]"  # the last fields of an Occurrence
_Placed: TypeAlias = "tuple[str, int, int, str | None, Resolution, str, str, tuple[str, ...]]"


@dataclass(frozen=True)
class _Resolver:
    """Resolves what is cited; equal things once."""

    context: Context
    numbers: Numbering
    things: dict[_Thing, list[_Resolved]]  # what is known of things cited, to which more is added
    markers: dict[tuple[str, int], list[_Placed]] = field(default_factory=dict)

    def of(self, format_name: str, items: tuple[Item, ...]) -> list[_Placed]:
        """What is cited, where from the origin of the marker on, and the document it leads to.

        One a document; a range has one for each number, unless it cannot be right.
        """
        key = (format_name, id(items))  # equal markers share their items, and the markers keep them alive
        found = self.markers.get(key)
        if found is None:
            found = self.markers[key] = []
            for item in items:
                text, thing = item.text, (format_name, *item[2:])
                known = self.things.get(thing)
                if known is None:
                    known = self.things[thing] = self._resolved(format_name, item)
                found += [(text, item.start, item.end, *one) for one in known]
        return found

    def _resolved(self, format_name: str, item: Item) -> list[_Resolved]:
        if item.numbers is None:
            locator = item.locator or (url_fragment(item.text) if item.kind == "url" else "")
            return [_judged(*self._named(item), locator)]
        (first, last), count = item.numbers, len(self.context.ids)
        if first == last:
            return [_judged(*self.numbers.resolve(first, format_name), item.locator)]
        if last < first:
            return [_judged(NOTHING, "a range that runs backwards", item.locator)]
        if last - first + 1 > max(count, 1):
            return [_judged(NOTHING, f"a range of {last - first + 1} for {count} documents of context", item.locator)]
        resolve = self.numbers.resolve
        return [_judged(*resolve(number, format_name), item.locator) for number in range(first, last + 1)]

    def _named(self, item: Item) -> tuple[Match, str]:
        context = self.context
        if item.kind == "url":
            return context.find_url(item.text), "no document of the context has this URL"
        if item.kind == "title":
            found = context.find_title(item.text)
            return found if found.ids else context.find(item.text), "no document of the context has this title"
        return context.find(item.text), "not in the context"


@lru_cache(maxsize=8)
def _things_of(context: Context, used: str) -> dict[_Thing, list[_Resolved]]:
    """What answers of the same context cited that read their numbers in the same way, to which more is added."""
    return {}


def _judged(match: Match, why_not: str, locator: str) -> _Resolved:
    ids = match.ids
    if not ids:
        return (None, "invalid", why_not, locator, ())
    if len(ids) > 1:
        reason = why_not if match.fuzzy == "numbering" else f"may be {' or '.join(ids)}"
        return (None, "ambiguous", reason, locator, ids)
    reason = ": ".join((match.said, match.fuzzy)) if match.said and match.fuzzy else match.said or match.fuzzy
    return (ids[0], "fuzzy" if match.fuzzy else "valid", reason, locator, ())
