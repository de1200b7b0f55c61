"""Citations that a provider sends beside the answer: OpenAI annotations, Anthropic citations, Cohere citations.

Each is checked against the text it claims to stand in. What does not fit is an orphan, counted and named, never used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.citations.context import NOTHING, Context, Match
from pipeline.citations.occurrences import Occurrence, Sentence
from pipeline.citations.places import sentence_at, sentences_of


@dataclass(frozen=True)
class Orphan:
    """A structured citation that does not fit the answer."""

    place: int  # in the list of the provider, from 0
    reason: str


@dataclass(frozen=True)
class Structured:
    """Structured citations of one answer, resolved."""

    occurrences: tuple[Occurrence, ...]
    orphans: tuple[Orphan, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class _Claim:
    """One citation as the provider tells it."""

    start: int | None
    end: int | None
    text: str | None  # what should stand there
    cited: str
    match: Match
    locator: str = ""
    why_not: str = "not in the context"


def openai_citations(
    answer: str, annotations: Sequence[Mapping[str, Any]], context: Context, language: str = "en"
) -> Structured:
    """Annotations of chat completions, responses and assistants.

    `start_index` and `end_index` are places in the answer; where `text` is given it must stand there. A file citation
    of the responses format has one `index`. Files are found by id, then by name; URLs by URL.
    """
    return _resolved(answer, [_openai_claim(one, context) for one in annotations], "openai", language)


def anthropic_citations(
    answer: str, blocks: Sequence[Mapping[str, Any]], context: Context, language: str = "en"
) -> Structured:
    """Content blocks: each text block is a piece of the answer, its citations point into documents.

    `document_index` counts the documents of the request from 0; search results are found by source, URL or title.
    """
    texts = [str(block.get("text") or "") for block in blocks if block.get("type", "text") == "text"]
    joined = "".join(texts)
    if joined != answer:
        count = sum(len(block.get("citations") or ()) for block in blocks)
        reason = f"the blocks are not the answer: {len(joined)} characters, the answer has {len(answer)}"
        return Structured((), tuple(Orphan(i, reason) for i in range(count)), sentences_of(answer, (), language))
    claims: list[_Claim] = []
    at = 0
    for block in blocks:
        if block.get("type", "text") != "text":
            continue
        end = at + len(str(block.get("text") or ""))
        claims += [_anthropic_claim(one, at, end, context) for one in block.get("citations") or ()]
        at = end
    return _resolved(answer, claims, "anthropic", language)


def cohere_citations(
    answer: str, citations: Sequence[Mapping[str, Any]], context: Context, language: str = "en"
) -> Structured:
    """Citations with `start`, `end`, `text`, and `sources` (v2) or `document_ids` (v1)."""
    claims = [
        _Claim(_whole(one.get("start")), _whole(one.get("end")), _text(one.get("text")), name, match)
        for one in citations
        for name in _cohere_ids(one)
        for match in [_cohere_match(name, context)]
    ]
    return _resolved(answer, claims, "cohere", language)


PROVIDERS: Mapping[str, Callable[..., Structured]] = {
    "openai": openai_citations,
    "anthropic": anthropic_citations,
    "cohere": cohere_citations,
}


def _openai_claim(one: Mapping[str, Any], context: Context) -> _Claim:
    detail = one.get("url_citation") or one.get("file_citation") or one.get("file_path") or one
    start = _whole(one.get("start_index", detail.get("start_index")))
    end = _whole(one.get("end_index", detail.get("end_index")))
    if start is None and (index := _whole(one.get("index"))) is not None:
        start = end = index
    text = _text(one.get("text"))
    if detail.get("url"):
        url = str(detail["url"])
        match = context.find_url(url) if context.find_url(url).ids else context.find(url)
        return _Claim(start, end, text, url, match, why_not="no document of the context has this URL")
    names = [str(detail[key]) for key in ("file_id", "filename") if detail.get(key)]
    match = next((found for name in names if (found := context.find(name)).ids), NOTHING)
    return _Claim(start, end, text, names[0] if names else "", match)


def _anthropic_claim(one: Mapping[str, Any], start: int, end: int, context: Context) -> _Claim:
    index = _whole(one.get("document_index", one.get("search_result_index")))
    named = [str(one[key]) for key in ("source", "url", "document_title", "title") if one.get(key)]
    for name in named:
        for match in (context.find(name), context.find_url(name), context.find_title(name)):
            if match.ids and "document_index" not in one:
                return _Claim(start, end, None, name, match, _anthropic_locator(one))
    place = None if index is None else context.position(index + 1)
    cited = str(index) if index is not None else (named[0] if named else "")
    why_not = f"document {index} of {len(context.ids)}, counted from 0" if index is not None else "not in the context"
    match = NOTHING if place is None else Match((place,))
    return _Claim(start, end, None, cited, match, _anthropic_locator(one), why_not)


def _anthropic_locator(one: Mapping[str, Any]) -> str:
    for first, last, word in (
        ("start_page_number", "end_page_number", "pages"),
        ("start_char_index", "end_char_index", "characters"),
        ("start_block_index", "end_block_index", "blocks"),
    ):
        if _whole(one.get(first)) is not None:
            return f"{word} {one[first]}-{one.get(last)}"
    return ""


def _cohere_ids(one: Mapping[str, Any]) -> list[str]:
    if one.get("document_ids"):
        return [str(name) for name in one["document_ids"]]
    ids: list[str] = []
    for source in one.get("sources") or ():
        document = source.get("document") or {}
        ids.append(str(document.get("id") or source.get("id") or ""))
    return ids or [""]


def _cohere_match(name: str, context: Context) -> Match:
    """By id; `doc_0` and `doc:0` are what the service calls documents without an id, counted from 0."""
    found = context.find(name)
    head, _, tail = name.replace(":", "_").rpartition("_")
    if found.ids or head != "doc" or not tail.isdecimal():
        return found
    place = context.position(int(tail) + 1)
    return NOTHING if place is None else Match((place,))


def _resolved(answer: str, claims: Sequence[_Claim], format_name: str, language: str) -> Structured:
    sentences = sentences_of(answer, (), language)
    orphans = [Orphan(i, reason) for i, claim in enumerate(claims) if (reason := _unfit(answer, claim))]
    lost = {orphan.place for orphan in orphans}
    occurrences = [
        _occurrence(answer, claim, format_name, sentences) for i, claim in enumerate(claims) if i not in lost
    ]
    return Structured(tuple(sorted(occurrences, key=lambda one: one.start)), tuple(orphans), sentences)


def _unfit(answer: str, claim: _Claim) -> str:
    """Why the citation does not fit the answer; "" if it does."""
    start, end = claim.start, claim.end
    if start is None and end is None:
        return "" if claim.text is None else "no offsets"
    if start is None or end is None or not 0 <= start <= end <= len(answer):
        return f"offsets {start} to {end} in an answer of {len(answer)} characters"
    if claim.text is not None and answer[start:end] != claim.text:
        return f"{claim.text!r} does not stand at {start}"
    return ""


def _occurrence(answer: str, claim: _Claim, format_name: str, sentences: Sequence[Sentence]) -> Occurrence:
    there = claim.start is not None and claim.end is not None
    start, end = (claim.start or 0, claim.end or 0) if there else (0, 0)
    ids = claim.match.ids
    resolution = "invalid" if not ids else "ambiguous" if len(ids) > 1 else "fuzzy" if claim.match.fuzzy else "valid"
    return Occurrence(
        start=start,
        end=end,
        text=answer[start:end],
        format=format_name,
        cited=claim.cited,
        cited_start=start,
        cited_end=end,
        doc_id=ids[0] if resolution in ("valid", "fuzzy") else None,
        resolution=resolution,  # type: ignore[arg-type]
        reason=claim.why_not if not ids else claim.match.fuzzy if len(ids) == 1 else f"may be {' or '.join(ids)}",
        sentence=sentence_at(sentences, max(start, end - 1)) if there and sentences else -1,
        locator=claim.locator,
        candidates=ids if len(ids) > 1 else (),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
