"""Documents and queries as read, as columns in ascending order of ids."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from pipeline.datasets.counted import counted
from pipeline.datasets.dates import parse_date
from pipeline.datasets.raw import RawDocument, RawQuery
from pipeline.errors import DataError
from pipeline.records import Bools, Corpus, Dates, Floats, Queries

ID_LIMIT = 1024  # bytes of UTF-8
EXAMPLES = 3
NOT_A_TIME = np.datetime64("NaT", "s")
Row = TypeVar("Row", RawDocument, RawQuery)


@dataclass(frozen=True)
class AlignedCorpus:
    """The corpus, how far each text moved because of its title, and what a person should know."""

    corpus: Corpus
    shifts: tuple[int, ...]  # characters before the document's own text
    notes: tuple[str, ...]


def by_id(rows: Sequence[Row], what: str) -> list[Row]:
    """The rows in ascending order of their ids; DataError for an id that is empty, too long, unusable or double."""
    seen: dict[str, str] = {}
    for row in rows:
        _check_id(row.id, what, row.where)
        if row.id in seen:
            raise DataError(f"{row.where}: {what} id {row.id!r} already stands in {seen[row.id]}; ids must be unique")
        seen[row.id] = row.where
    return sorted(rows, key=lambda row: row.id)


def _check_id(name: str, what: str, where: str) -> None:
    if not name.strip():
        raise DataError(f"{where}: empty {what} id; every {what} needs one")
    if len(name.encode("utf-8", "surrogatepass")) > ID_LIMIT:
        raise DataError(f"{where}: {what} id {name[:20]!r}… is longer than {ID_LIMIT:,} bytes; use a shorter one")
    if any(sign < " " or sign == "\x7f" for sign in name):
        raise DataError(
            f"{where}: {what} id {name!r} holds a control character, which no run file can carry; remove it"
        )


def join_title(title: str, text: str) -> str:
    """The title, a line break and the text; the text alone where it already begins with the title as whole words.

    Word pieces and analysed words are the same as with a blank between them, which is how BEIR's figures were made.
    """
    if not title or not text:
        return title or text
    next_sign = text[len(title) : len(title) + 1]
    cuts_a_word = title[-1].isalnum() and next_sign.isalnum()
    return text if text.startswith(title) and not cuts_a_word else f"{title}\n{text}"


def align_corpus(documents: Sequence[RawDocument], *, join_titles: bool, strict: bool) -> AlignedCorpus:
    """The corpus in the order given; a date that cannot be read is NaT and noted, or refused with `strict`."""
    titles = tuple(document.title.strip() for document in documents)
    texts = tuple(
        join_title(title, document.text) if join_titles else document.text
        for title, document in zip(titles, documents, strict=True)
    )
    shifts = tuple(len(text) - len(document.text) for text, document in zip(texts, documents, strict=True))
    dates, notes = _document_dates(documents, strict)
    empty = sum(not text.strip() for text in texts)
    if empty:
        notes.append(f"{counted(empty, 'empty document')} of {len(texts):,}: never retrieved")
    ids = tuple(document.id for document in documents)
    metadata = tuple(document.metadata for document in documents)
    return AlignedCorpus(Corpus(ids, texts, titles, dates, metadata), shifts, tuple(notes))


def _document_dates(documents: Sequence[RawDocument], strict: bool) -> tuple[Dates, list[str]]:
    dates = np.full(len(documents), NOT_A_TIME)
    unread: list[RawDocument] = []
    for at, document in enumerate(documents):
        if document.date is None:
            continue
        try:
            dates[at] = parse_date(document.date)
        except ValueError:
            unread.append(document)
    if not unread:
        return dates, []
    examples = ", ".join(repr(document.date) for document in unread[:EXAMPLES])
    text = (
        f"{unread[0].where}: {counted(len(unread), 'unreadable date')}, as {examples}; expected YYYY-MM-DD or ISO 8601"
    )
    if strict:
        raise DataError(f"{text}; correct them, or set strict=false")
    return dates, [f"{text}; these documents count as undated"]


def align_queries(queries: Sequence[RawQuery]) -> Queries:
    """The queries in the order given. A query without cluster is a cluster of its own."""
    names = sorted({name for query in queries for name in query.slices})
    return Queries(
        tuple(query.id for query in queries),
        tuple(query.text for query in queries),
        {name: tuple(query.slices.get(name, "") for query in queries) for name in names},
        _clusters(queries),
        _weights(queries),
        _query_dates(queries),
        _answerable(queries),
        tuple(query.references for query in queries) if any(query.references for query in queries) else None,
    )


def _clusters(queries: Sequence[RawQuery]) -> tuple[str, ...] | None:
    if all(query.cluster is None for query in queries):
        return None
    return tuple(query.id if query.cluster is None else query.cluster for query in queries)


def _all_or_none(queries: Sequence[RawQuery], given: Mapping[str, object], column: str) -> bool:
    """Whether the column is given; DataError where only some queries have it."""
    lacking = [query for query in queries if query.id not in given]
    if given and lacking:
        raise DataError(
            f"{lacking[0].where}: query {lacking[0].id!r} has no {column}, others have; give it for every query or none"
        )
    return bool(given)


def _weights(queries: Sequence[RawQuery]) -> Floats | None:
    given = {query.id: query.weight for query in queries if query.weight is not None}
    if not _all_or_none(queries, given, "weight"):
        return None
    for query in queries:
        weight = given[query.id]
        if not (math.isfinite(weight) and weight > 0):
            raise DataError(f"{query.where}: weight {weight!r} of query {query.id!r}; expected a number above 0")
    return np.array([given[query.id] for query in queries], dtype=np.float64)


def _query_dates(queries: Sequence[RawQuery]) -> Dates | None:
    if all(query.as_of is None for query in queries):
        return None
    dates = np.full(len(queries), NOT_A_TIME)
    for at, query in enumerate(queries):
        if query.as_of is None:
            continue
        try:
            dates[at] = parse_date(query.as_of)
        except ValueError as error:
            raise DataError(
                f"{query.where}: as_of {query.as_of!r} of query {query.id!r} cannot be read; expected YYYY-MM-DD"
            ) from error
    return dates


def _answerable(queries: Sequence[RawQuery]) -> Bools | None:
    given = {query.id: query.answerable for query in queries if query.answerable is not None}
    if not _all_or_none(queries, given, "answerable"):
        return None
    return np.array([given[query.id] for query in queries], dtype=np.bool_)
