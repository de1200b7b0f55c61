"""The embedded default: questions on the help topics of the running Python.

The texts are `pydoc_data.topics` (PSF licence) and are not part of this project: the collection holds ids, quotations,
judgements and dates. Evidence stands as quotation and is found at load time, so that it outlives the small differences
between Python versions; figures are stated for 3.11. docs/python_topics.md is its card.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pipeline.datasets.assemble import Raw, RawDocument, RawJudgement, RawQuery, RawSpan, assemble
from pipeline.errors import DataError
from pipeline.records import Dataset

DATA = Path(__file__).with_name("python_topics_data")
COLLECTION_VERSION = "1.0"
STATED_FOR = "3.11.7"
STATED_TEXTS = "37b51a0283fe86090af40650ef680bba22b90f74777f29909eceb83e57cc7ff1"  # SHA-256 by `text_digest`
SLICES = ("type", "length", "answers", "wording")
GRADE_MEANINGS: Mapping[int, str] = {
    3: "answers the question: a reader of this text alone has the answer",
    2: "holds a substantial part of the answer, or the answer in passing or by an example",
    1: "does not answer, but holds a fact that helps to understand or use the answer",
    0: "judged: nothing that helps to answer",
}
# Line breaks, quotation marks and the dash of a broken word are what changes most between builds of the texts.
KEPT = re.compile(r"[^\s\"`“”]")
SAME = str.maketrans("‘’", "''")


@dataclass(frozen=True)
class Quotation:
    """A passage of one or several topics that answers a question; quotations of one group are alternatives."""

    query: str
    group: int
    topics: tuple[str, ...]
    quote: str
    where: str


@dataclass(frozen=True)
class Squeezed:
    """A text without blanks and quotation marks, and where each remaining character stood."""

    text: str
    places: tuple[int, ...]

    def find(self, quote: str) -> tuple[int, int] | None:
        """Characters [start, end) of the original text that hold the quotation; None = it does not occur."""
        wanted = squeeze(quote).text
        at = self.text.find(wanted)
        return None if at < 0 or not wanted else (self.places[at], self.places[at + len(wanted) - 1] + 1)


@dataclass(frozen=True)
class PythonTopics:
    """Help topics of the running Python with questions, graded judgements and evidence."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    def load(self) -> Dataset:
        """The dataset over the texts of the running Python."""
        from pydoc_data.topics import topics

        return collection(topics, platform.python_version())


def collection(topics: Mapping[str, str], python: str) -> Dataset:
    """The dataset over `topics` (name -> text) of Python `python`, such as "3.11.7".

    A topic that this version lacks stays as a missing judged id; a quotation that it lacks is counted and named.

    Raises:
        DataError: a damaged file of the collection, by file and line.
    """
    spans, lost = resolve(quotations(), topics)
    dates = {row["topic"]: row["date"] for row, _ in table("dates.tsv")}
    documents = [RawDocument(name, text, date=dates.get(name), where=name) for name, text in topics.items()]
    return assemble(
        Raw(
            name="python_topics",
            version=COLLECTION_VERSION,
            documents=documents,
            queries=queries(),
            judgements=judgements(),
            spans=spans,
            judgements_kind="pooled",
            notes=_notes(lost, topics, python),
            grade_meanings=GRADE_MEANINGS,
            source=f"pydoc_data.topics of Python {python}",
        )
    )


def resolve(quoted: list[Quotation], topics: Mapping[str, str]) -> tuple[list[RawSpan], list[str]]:
    """Spans of every quotation in every topic it names, and `query@topic` of those that do not occur there."""
    squeezed = {name: squeeze(topics[name]) for name in {name for row in quoted for name in row.topics} & set(topics)}
    spans, lost = [], []
    for row in quoted:
        for name in row.topics:
            place = squeezed[name].find(row.quote) if name in squeezed else None
            if place is None:
                lost.append(f"{row.query}@{name}")
            else:
                spans.append(RawSpan(row.query, name, *place, group=row.group, where=row.where))
    return spans, lost


def squeeze(text: str) -> Squeezed:
    """The text as quotations are compared: no blanks, no quotation marks, one form of apostrophe."""
    places = tuple(match.start() for match in KEPT.finditer(text))
    return Squeezed("".join(text[place] for place in places).translate(SAME), places)


def queries() -> list[RawQuery]:
    """The questions as written."""
    return [
        RawQuery(
            row["_id"],
            row["text"],
            slices={name: row[name] for name in SLICES},
            cluster=row["cluster"],
            answerable=row["answerable"],
            where=where,
        )
        for row, where in records("questions.jsonl")
    ]


def judgements() -> list[RawJudgement]:
    """The judgements of the first pass, explicit zeros included."""
    return [_judgement(row, where) for row, where in table("judgements.tsv")]


def quotations() -> list[Quotation]:
    """The evidence as quoted from the texts of 3.11."""
    return [
        Quotation(row["query"], row["group"], tuple(row["topics"]), row["quote"], where)
        for row, where in records("quotations.jsonl")
    ]


def records(name: str, folder: Path = DATA) -> Iterator[tuple[dict[str, Any], str]]:
    """Rows of a JSON-lines file of the collection, each with `path:line`."""
    path = folder / name
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(text)
        except ValueError as error:
            raise DataError(f"not JSON ({error}); reinstall the package", path=path, line=line) from error
        yield row, f"{path}:{line}"


def table(name: str, folder: Path = DATA) -> Iterator[tuple[dict[str, str], str]]:
    """Rows of a tab-separated file of the collection by the names in its first line, each with `path:line`."""
    path = folder / name
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    names = head.split("\t")
    for line, text in enumerate(lines, start=2):
        cells = text.split("\t")
        if len(cells) != len(names):
            raise DataError(f"{len(cells)} cells, expected {len(names)}; reinstall the package", path=path, line=line)
        yield dict(zip(names, cells, strict=True)), f"{path}:{line}"


def _judgement(row: Mapping[str, str], where: str) -> RawJudgement:
    if not re.fullmatch(r"\d", row["grade"]):
        raise DataError(f"{where}: grade {row['grade']!r}, expected a digit; reinstall the package")
    return RawJudgement(row["query"], row["topic"], int(row["grade"]), where=where)


def text_digest(topics: Mapping[str, str]) -> str:
    """SHA-256 (hex) of the texts, whatever Python brought them."""
    return hashlib.sha256(json.dumps(dict(topics), sort_keys=True).encode()).hexdigest()


def _notes(lost: list[str], topics: Mapping[str, str], python: str) -> list[str]:
    notes = []
    if text_digest(topics) != STATED_TEXTS:
        notes.append(
            f"the texts of Python {python} differ from those of {STATED_FOR}, for which digests and figures are stated"
        )
    if lost:
        notes.append(f"{len(lost)} quotations do not occur in the texts of Python {python}: {', '.join(lost)}")
    return notes
