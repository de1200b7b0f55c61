"""What a loader read, before anything is checked or aligned. `where` is `path:line`, for messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.records import Judgements


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One document. `date` is an ISO date or time (no zone = UTC), a year, or epoch seconds or milliseconds."""

    id: str
    text: str
    title: str = ""
    date: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    where: str = ""


@dataclass(frozen=True, slots=True)
class RawQuery:
    """One query; a slice that a query lacks becomes the label ""."""

    id: str
    text: str
    slices: Mapping[str, str] = field(default_factory=dict)
    cluster: str | None = None
    weight: float | None = None
    as_of: str | None = None
    answerable: bool | None = None
    where: str = ""
    references: tuple[str, ...] = ()  # right answers, any of them


@dataclass(frozen=True, slots=True)
class RawJudgement:
    """Document `doc_id` has `grade` for query `query_id`."""

    query_id: str
    doc_id: str
    grade: int
    where: str = ""


@dataclass(frozen=True, slots=True)
class RawSpan:
    """Evidence: characters [start, end) of the document's own text, before a title is joined to it.

    Spans of one query with the same `group` are alternatives; None = a group of its own.
    """

    query_id: str
    doc_id: str
    start: int
    end: int
    group: int | str | None = None
    where: str = ""


@dataclass(frozen=True)
class Raw:
    """A whole dataset as read. `source` and `queries_source` are the files of documents and queries, for messages."""

    name: str
    version: str  # "" = the first 12 digits of the digest of the whole
    documents: Sequence[RawDocument]
    queries: Sequence[RawQuery]
    judgements: Sequence[RawJudgement] = ()
    spans: Sequence[RawSpan] = ()
    judgements_kind: Judgements | None = None  # None = inferred from the grades, with a note
    join_titles: bool = True
    strict: bool = False  # unknown ids and unreadable dates are refused instead of counted
    notes: Sequence[str] = ()
    grade_meanings: Mapping[int, str] = field(default_factory=dict)
    source: str = ""
    queries_source: str = ""
    folder: str = ""  # of the dataset; "" = built in
