"""The files of a BEIR folder, one function each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.datasets.counted import counted
from pipeline.datasets.json_lines import JsonRow, read_json_lines
from pipeline.datasets.query_columns import REFERENCE, slices_that_group, with_columns
from pipeline.datasets.raw import RawDocument, RawQuery, RawSpan
from pipeline.errors import DataError
from pipeline.storage.json_objects import shown

DATE_FIELDS = (
    "timestamp", "date", "datetime", "published", "published_at", "publish_date", "publication_date", "pub_date",
    "created", "created_at", "updated", "updated_at", "modified", "last_modified",
)  # fmt: skip
DOCUMENT_FIELDS = frozenset({"_id", "text", "title", "metadata"})
QUERY_FIELDS = frozenset({"_id", "text", "metadata"})


def read_corpus(path: Path) -> tuple[list[RawDocument], list[str]]:
    """Documents and notes. The date is the first of DATE_FIELDS in the metadata, or beside it."""
    documents, numbers = [], 0
    for row in read_json_lines(path):
        name, is_number = row.identifier("_id")
        numbers += is_number
        metadata = _metadata(row, DOCUMENT_FIELDS)
        documents.append(
            RawDocument(name, row.text("text"), row.text("title", ""), date_of(metadata), metadata, row.where)
        )
    return documents, _number_note(path, numbers, "document")


def read_queries(path: Path) -> tuple[list[RawQuery], list[str]]:
    """Queries and notes. Metadata of one value becomes a known column or a slice."""
    queries, numbers = [], 0
    for row in read_json_lines(path):
        name, is_number = row.identifier("_id")
        numbers += is_number
        metadata = _metadata(row, QUERY_FIELDS)
        references = _references(metadata.pop(REFERENCE, None), row.where)
        cells = {
            field: value if isinstance(value, str) else json.dumps(value)
            for field, value in metadata.items()
            if isinstance(value, (str, int, float))
        }
        query = RawQuery(name, row.text("text"), where=row.where, references=references)
        queries.append(with_columns(query, cells))
    kept, notes = slices_that_group(queries)
    return kept, [*_number_note(path, numbers, "query"), *notes]


def read_spans(path: Path, texts: Mapping[str, str]) -> list[RawSpan]:
    """Evidence spans: query_id, doc_id, start, end; where given also `group`, and `text`, which must stand there."""
    spans = []
    for row in read_json_lines(path):
        (query, _), (document, _) = row.identifier("query_id"), row.identifier("doc_id")
        start, end, group = row.integer("start"), row.integer("end"), row.fields.get("group")
        if not (group is None or type(group) in {int, str}):
            raise DataError(f"{row.where}: 'group' is {shown(group)}, expected a number or text")
        found = texts.get(document, "")[start:end] if start >= 0 else ""
        if document in texts and row.text("text", found) != found:
            raise DataError(
                f"{row.where}: characters [{start}, {end}) of document {document!r} are {shown(found)}, "
                f"not {shown(row.fields['text'])}; offsets count characters of 'text', without the title"
            )
        spans.append(RawSpan(query, document, start, end, group, row.where))
    return spans


def _references(value: object, where: str) -> tuple[str, ...]:
    """A right answer or a list of them; DataError for what is no text."""
    given = value if isinstance(value, list) else [] if value is None else [value]
    texts = [text for text in given if isinstance(text, str)]
    if len(texts) < len(given):
        raise DataError(f"{where}: 'reference' is {shown(value)}, expected a text or a list of texts; null = none")
    return tuple(text for text in texts if text.strip())


def _metadata(row: JsonRow, own: frozenset[str]) -> dict[str, Any]:
    beside = {name: value for name, value in row.fields.items() if name not in own}
    return beside | row.mapping("metadata")


def date_of(metadata: Mapping[str, Any]) -> str | None:
    """The first of DATE_FIELDS that is given, as text; None = none is."""
    value = next((metadata[name] for name in DATE_FIELDS if _is_given(metadata.get(name))), None)
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _is_given(value: object) -> bool:
    return value is not None and value != ""


def _number_note(path: Path, numbers: int, what: str) -> list[str]:
    return [f"{path}: {counted(numbers, f'{what} id')} written as numbers, read as their digits"] if numbers else []
