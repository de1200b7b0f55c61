"""Patterns of the user's own, on an engine whose time is linear in the text (RE2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol

from pipeline.errors import SettingError

LONGEST_PATTERN = 500  # characters
WINDOW = 4096  # characters searched at a time: some patterns take quadratic time to find all matches, on any engine
OVERLAP = 512  # characters; a marker is shorter than that
LARGEST = 4000  # instructions of the compiled pattern: time is text times instructions
_MEMORY = 1 << 18  # bytes for it


class Place(NamedTuple):
    """A match, and what its group `id` covers."""

    start: int
    end: int
    id_start: int
    id_end: int


class Matcher(Protocol):
    """Something that finds markers."""

    @property
    def name(self) -> str:
        """The word in tables."""
        ...

    def places(self, text: str) -> Sequence[Place]:
        """Matches that do not overlap, in text order."""
        ...


@dataclass(frozen=True)
class Pattern:
    """A regular expression with a named group `id` (or exactly one group): what is cited."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("google-re2",)

    regex: str
    name: str = "pattern"

    def __post_init__(self) -> None:
        """Compiles the pattern once, so that a bad one ends here."""
        _compiled(self.regex)

    def places(self, text: str) -> Sequence[Place]:
        """Matches in text order; an empty group counts for nothing."""
        compiled = _compiled(self.regex)
        group = id_group(self.regex, compiled.groups, compiled.groupindex)
        return list(_in_windows(compiled, group, text))


def id_group(regex: str, groups: int, named: Any) -> int:
    """The number of the group that holds the cited id; SettingError if the pattern leaves that open."""
    if "id" in named:
        return int(named["id"])
    if groups == 1:
        return 1
    raise SettingError(
        f"citations pattern {shortened(regex)}: {groups} groups and none is named id;"
        r" name the one that holds the cited id, as in \[src (?P<id>\w+)\]"
    )


def check_length(regex: str) -> None:
    """SettingError for a pattern that is empty or too long."""
    if not regex or len(regex) > LONGEST_PATTERN:
        raise SettingError(
            f"citations pattern {shortened(regex)}: {len(regex)} characters, expected 1 to {LONGEST_PATTERN}"
        )


def shortened(regex: str) -> str:
    """The pattern as one line of a message shows it."""
    shown = regex if len(regex) <= 60 else regex[:57] + "..."
    return repr(shown)


@lru_cache(maxsize=64)
def _compiled(regex: str) -> Any:
    import re2  # type: ignore[import-untyped]

    check_length(regex)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        compiled = re2.compile(regex, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error.args[0])
        raise SettingError(
            f"citations pattern {shortened(regex)}: {said}; write it without lookaround and back references,"
            " or set engine: python"
        ) from error
    if compiled.programsize > LARGEST:
        raise SettingError(
            f"citations pattern {shortened(regex)}: takes {compiled.programsize} steps a character, at most {LARGEST};"
            " repeat fewer times, as in {1,100}"
        )
    id_group(regex, compiled.groups, compiled.groupindex)
    return compiled


def _in_windows(compiled: Any, group: int, text: str) -> Iterator[Place]:
    """Every match starts in the first part of some window, so it is seen whole if it is shorter than the overlap."""
    start = 0
    while True:
        last = start + WINDOW >= len(text)
        accepted = len(text) if last else start + WINDOW - OVERLAP
        following = accepted
        for found in compiled.finditer(text[start : start + WINDOW]):
            begin, end = (start + edge for edge in found.span())
            if begin >= accepted and not last:
                break
            id_start, id_end = (start + edge for edge in found.span(group))
            following = max(following, end)
            if id_start >= start and id_start < id_end:
                yield Place(begin, end, id_start, id_end)
        if last:
            return
        start = following
