"""One line of an answers file becomes an `Answer`; what cannot be used ends in one line with its place.

Words that are understood: `answer` (answer, response, generated_answer, output, text), `query_id`, `id`,
`context` (context, context_ids, context_doc_ids, passage_ids: ids, or objects with `id`, `title`, `url`, `text`),
`titles`, `urls`, `time`, `stratum`, structured citations (`annotations`: OpenAI, `content`: Anthropic, `citations`:
Cohere), and what others say of it: `scores`, `reference`, `judge`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.answers.assessed import references_of, scores_of
from pipeline.answers.judged import judge_of
from pipeline.answers.provided import structured_of, text_of
from pipeline.errors import DataError
from pipeline.records import Answer
from pipeline.storage.json_objects import object_of, shown

ANSWER = ("answer", "response", "generated_answer", "output", "text")
CONTEXT = ("context", "context_ids", "context_doc_ids", "passage_ids", "documents")
IDS = ("id", "doc_id", "document_id", "_id")
TEXTS = ("text", "page_content", "content", "passage")
TIME = ("time", "timestamp", "created_at")


def answer_of(text: str, where: str, number: int) -> Answer:
    """The answer on a line; `where` = path:line, `number` stands in for a missing id.

    DataError for malformed JSON, NaN, an answer that is no text, and contexts whose documents have no usable id.
    """
    row = object_of(text, where)
    context, titles, urls = _context(row, where)
    provider, structured = structured_of(row, where)
    return Answer(
        id=_identifier(row, "id", where) or f"line {number}",
        query_id=_identifier(row, "query_id", where),
        text=_answer(row, where),
        context=context,
        titles=titles,
        urls=urls,
        time=_time(row, where),
        provider=provider,
        structured=structured,
        stratum=_plain(row, "stratum", where),
        where=where,
        scores=scores_of(row, where),
        references=references_of(row, where),
        texts=_texts(row, where),
        judge=judge_of(row, where),
    )


def _answer(row: Mapping[str, Any], where: str) -> str | None:
    found = [name for name in ANSWER if name in row]
    if not found and isinstance(row.get("content"), list):
        return text_of(row["content"])
    if not found:
        names = ", ".join(map(repr, list(row)[:6])) or "no fields"
        raise DataError(f"{where}: no 'answer'; this line has {names}; write null if there is none")
    value = row[found[0]]
    if value is not None and not isinstance(value, str):
        raise DataError(f"{where}: {found[0]!r} is {shown(value)}, expected text or null")
    return value


def _context(row: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    name = next((name for name in CONTEXT if row.get(name) is not None), None)
    if name is None:
        return (), (), ()
    items = row[name]
    if not isinstance(items, list):
        raise DataError(f"{where}: {name!r} is {shown(items)}, expected a list of ids in prompt order")
    ids = tuple(_context_id(item, name, place, where) for place, item in enumerate(items))
    titles = _beside(row, "titles", items, "title", where)
    urls = _beside(row, "urls", items, "url", where)
    for word, values in (("titles", titles), ("urls", urls)):
        if values and len(values) != len(ids):
            raise DataError(f"{where}: {len(values)} {word} for {len(ids)} documents of {name!r}; expected one each")
    return ids, titles, urls


def _texts(row: Mapping[str, Any], where: str) -> tuple[str | None, ...]:
    """The texts of the context, None where a document has none; () where no document has one."""
    items: list[Any] = next((row[name] for name in CONTEXT if row.get(name) is not None), [])
    found: list[str | None] = []
    for place, item in enumerate(items, 1):
        text = next((item[key] for key in TEXTS if key in item), None) if isinstance(item, dict) else None
        if text is not None and not isinstance(text, str):
            raise DataError(f"{where}: text of document {place} of the context is {shown(text)}, expected text or null")
        found.append(text)
    return tuple(found) if any(text is not None for text in found) else ()


def _context_id(item: object, name: str, place: int, where: str) -> str:
    value = item
    if isinstance(item, dict):
        key = next((key for key in IDS if key in item), None)
        if key is None:
            raise DataError(
                f"{where}: document {place + 1} of {name!r} has no id; give it 'id', or list the ids themselves"
            )
        value = item[key]
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise DataError(
        f"{where}: id of document {place + 1} of {name!r} is {shown(value)}; expected text or a whole number"
    )


def _beside(row: Mapping[str, Any], name: str, items: list[Any], key: str, where: str) -> tuple[str, ...]:
    """Titles or URLs: a list of their own, or from the objects of the context."""
    values = row.get(name)
    if values is None:
        inside = tuple(str(item.get(key) or "") if isinstance(item, dict) else "" for item in items)
        return inside if any(inside) else ()
    if not isinstance(values, list) or not all(value is None or isinstance(value, str) for value in values):
        raise DataError(f"{where}: {name!r} is {shown(values)}, expected a list of texts")
    return tuple(value or "" for value in values)


def _identifier(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise DataError(f"{where}: {name!r} is {shown(value)}, expected text or a whole number")
    return str(value)


def _time(row: Mapping[str, Any], where: str) -> str:
    name = next((name for name in TIME if row.get(name) is not None), None)
    if name is None:
        return ""
    if not isinstance(row[name], str):
        raise DataError(f"{where}: {name!r} is {shown(row[name])}, expected ISO 8601, as 2025-03-01T12:35:00Z")
    return str(row[name])


def _plain(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, (str, int)):
        return str(value)
    raise DataError(f"{where}: {name!r} is {shown(value)}, expected text")
