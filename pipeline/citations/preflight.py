"""Whether the formats fit the answers, before anything is scored: match rate, near misses, what would fit."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.citations.context import Context
from pipeline.citations.markers import FORMATS, ON_REQUEST
from pipeline.citations.near_misses import NearMiss, near_misses
from pipeline.citations.occurrences import Occurrence, Reading
from pipeline.citations.reading import Settings, read
from pipeline.citations.report import report

PLAIN_SHARE = 0.1  # of the answers: citations that so many hold stand there plainly
_STOPS = re.compile(r"[.,;:!?。，；]|\s*(?:\n|$)")
EVERYTHING = Settings(("auto", "paren_number", "bare_id"))


@dataclass(frozen=True)
class Sample:
    """One answer with its context, and where it stands."""

    text: str
    context: Context
    where: str


@dataclass(frozen=True)
class Preflight:
    """What a look at some answers says."""

    answers: int  # that say something: neither empty nor abstaining
    matched: int  # with at least one citation under the settings
    by_format: Mapping[str, int]  # format -> answers that hold it, whatever the settings
    near: Mapping[str, int]  # format that something comes near to -> answers
    examples: Mapping[str, tuple[str, str]]  # the same -> where, and what stands there
    conflicts: int  # answers whose numbers may be ids or places
    better: str  # formats to set instead; "" = the settings fit
    problem: str  # one line; "" = go on
    warnings: tuple[str, ...]

    @property
    def match_rate(self) -> float:
        """Share of the answers with a citation; NaN where none says anything."""
        return self.matched / self.answers if self.answers else float("nan")


@dataclass
class _Look:
    """What is counted on the way."""

    answers: int = 0
    matched: int = 0
    anything: int = 0  # answers with a citation in any format at all
    by_auto: int = 0  # with one in a format that is read unasked
    listed: int = 0  # without a citation but in their reference list
    by_format: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)  # format -> answers with citations that the settings miss
    near: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)

    def take(self, sample: Sample, settings: Settings) -> None:
        found = report(sample.text, sample.context, settings)
        if found.state in ("empty", "missing", "abstained"):
            return
        everything = read(sample.text, sample.context, EVERYTHING)
        formats = {one.format for one in everything.occurrences}
        self.answers += 1
        self.matched += found.total_citations > 0
        self.anything += bool(formats)
        self.by_auto += bool(formats - set(ON_REQUEST))
        self.by_format.update(formats)
        self.missed.update(_missed(sample.text, everything, found.occurrences))
        self.listed += not formats and any(one.reason == "reference list" for one in everything.left_out)
        if found.numbering == "conflict":
            self.conflicts.append(sample.where)
        close = near_misses(sample.text, sample.context, everything)
        for miss in {miss.like: miss for miss in reversed(close)}.values():
            self.near[miss.like] += 1
            self.examples.setdefault(miss.like, (sample.where, _shown(sample.text, miss)))

    def better(self) -> str:
        """Formats that many more answers hold than the settings find; "" if there are none."""
        if self.anything < max(1, PLAIN_SHARE * self.answers) or self.matched >= 0.8 * self.anything:
            return ""
        name, count = self.by_format.most_common(1)[0]
        if count >= 0.9 * self.anything:
            return name
        if self.by_auto >= 0.8 * self.anything:
            return "auto"
        asked = [name for name in EVERYTHING.formats if name in ON_REQUEST and self.by_format[name]]
        return f"[{','.join(['auto', *asked])}]"

    def problem(self) -> str:
        """Why nothing should be scored, in one line."""
        none = f"the citation formats match 0 of {self.answers} answers, but"
        if self.matched == 0 and self.better():
            name, held = self.by_format.most_common(1)[0]
            return f"{none} {held} hold {name}, as {FORMATS[name]}; set citations.formats={self.better()}"
        if self.matched == 0 and self.near and self.near.most_common(1)[0][1] >= max(1, PLAIN_SHARE * self.answers):
            like, count = self.near.most_common(1)[0]
            where, shown = self.examples[like]
            return f"{none} {count} hold something like {like} ({where}: {shown}); give a pattern for it"
        if self.conflicts:
            return (
                f"{self.conflicts[0]}: numbers may be ids or places of the context in {len(self.conflicts)} of"
                f" {self.answers} answers; set citations.numbering=id or position"
            )
        return ""

    def warnings(self) -> Iterator[str]:
        if self.matched and self.better():
            yield (
                f"{self.matched} of {self.answers} answers match, {self.anything} hold citations:"
                f" citations.formats={self.better()}"
            )
        elif self.matched:
            yield from self._formats_to_add()
        if self.listed:
            yield f"{self.listed} of {self.answers} answers cite nothing: they only have a reference list at the end"
        for like, count in self.near.most_common(3):
            where, shown = self.examples[like]
            yield f"{count} of {self.answers} answers hold something like {like} that is not read; {where}: {shown}"

    def _formats_to_add(self) -> Iterator[str]:
        for name, count in self.missed.most_common(3):
            if count >= PLAIN_SHARE * self.answers:
                yield (
                    f"{count} of {self.answers} answers also hold {name}, as {FORMATS[name]}, which is not read:"
                    f" add {name} to citations.formats"
                )


def preflight(samples: Sequence[Sample], settings: Settings) -> Preflight:
    """The look at these answers. `problem` is set where nothing is found though citations plainly stand there."""
    look = _Look()
    for sample in samples:
        look.take(sample, settings)
    return Preflight(
        answers=look.answers,
        matched=look.matched,
        by_format=dict(look.by_format.most_common()),
        near=dict(look.near.most_common()),
        examples=look.examples,
        conflicts=len(look.conflicts),
        better=look.better(),
        problem=look.problem(),
        warnings=tuple(look.warnings()),
    )


def _missed(text: str, everything: Reading, found: Sequence[Occurrence]) -> set[str]:
    """Formats of what leads to a document and begins where none of those found stands.

    `(1)` counts where the sentence stops behind it: elsewhere it may number the parts of a sentence.
    """
    starts, ends = [-1], [-1]
    for one in found:
        starts.append(one.start)
        ends.append(max(ends[-1], one.end))
    return {
        one.format
        for one in everything.occurrences
        if one.doc_id is not None
        and one.start >= ends[bisect_right(starts, one.start) - 1]
        and (one.format != "paren_number" or _STOPS.match(text, one.end) is not None)
    }


def _shown(text: str, miss: NearMiss) -> str:
    """The near miss with some words around it, on one line."""
    start, end = max(0, miss.start - 30), min(len(text), miss.end + 10)
    return repr(" ".join(text[start:end].split()))
