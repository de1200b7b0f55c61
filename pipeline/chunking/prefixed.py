"""What is put before a chunk when it is embedded or indexed: its document's title, or the headings it stands under.

A prefix counts in the size of its chunk and is no part of its place: start and end stay those of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from pipeline.chunking.packing import chunk_texts
from pipeline.errors import SettingError
from pipeline.protocols import Chunker
from pipeline.records import Chunks, Corpus, Ints, Longs, TokenOffsets
from pipeline.sentences import Heading, headings

JOIN = "\n"  # between prefix and chunk; counted as one token
PATH = " > "  # between the headings of a prefix


class _Part(NamedTuple):
    """A stretch of a document that no chunk reaches over, and what its chunks have before them."""

    doc: int
    start: int
    end: int
    first: str  # before its first chunk, which holds the title or heading itself where that is in the text
    later: str


class _Cut(NamedTuple):
    """Chunks by their part; places count from the start of the part."""

    part: Longs
    start: Ints
    end: Ints
    tokens: Ints


def cut(chunker: Chunker, corpus: Corpus, tokens: TokenOffsets) -> Chunks:
    """The chunks of `chunker`, each with its prefix; `tokens` are the offsets in the chunker's tokenizer.

    Where the longest prefix of a title or section has p tokens, its chunks have at most size - p - 1 of text. With
    `headings` no chunk reaches over the start of a section. SettingError where a prefix takes half of the size or more.
    """
    if chunker.prefix == "none":
        return chunker.cut(corpus.texts, tokens)
    parts = list(_title_parts(corpus) if chunker.prefix == "title" else _section_parts(corpus))
    prefixes = [text for part in parts for text in (part.first, part.later)]
    counts = np.diff(chunker.tokenizer.offsets(prefixes).indptr).reshape(-1, 2)
    longest = counts.max(axis=1, initial=0)
    _check_room(chunker, corpus, parts, longest)
    rooms = chunker.size - np.where(longest > 0, longest + 1, 0)
    pieces = []
    for room in np.unique(rooms).tolist():
        plain = replace(cast(Any, chunker), size=room, overlap=min(chunker.overlap, room - 1), prefix="none")
        pieces.append(_cut_alike(plain, corpus, tokens, parts, np.flatnonzero(rooms == room)))
    return _with_prefixes(parts, counts, pieces)


def index_texts(chunks: Chunks, texts: Sequence[str]) -> list[str]:
    """What is embedded and indexed: prefix, line break and text of every chunk; `texts` are those of the documents."""
    bare = chunk_texts(chunks, texts)
    if chunks.prefix is None:
        return bare
    return [f"{prefix}{JOIN}{text}" if prefix else text for prefix, text in zip(chunks.prefix, bare, strict=True)]


def _title_parts(corpus: Corpus) -> Iterator[_Part]:
    for doc, (text, title) in enumerate(zip(corpus.texts, corpus.titles, strict=True)):
        yield _Part(doc, 0, len(text), "" if text.startswith(title) else title, title)


def _section_parts(corpus: Corpus) -> Iterator[_Part]:
    for doc, (text, title) in enumerate(zip(corpus.texts, corpus.titles, strict=True)):
        found = headings(text)
        opening = found[0].start if found else len(text)
        lead = [title] if title and not (found and found[0].title == title) else []
        joined = bool(title) and text.startswith(title)
        alone = text[:opening].strip() in ("", title)  # a joined title goes with the first section
        if not (found and alone):
            yield _Part(doc, 0, opening, "" if joined else _path(lead), _path(lead))
        open_ones: list[Heading] = []
        for number, heading in enumerate(found):
            open_ones = [one for one in open_ones if one.level < heading.level]
            above = lead + [one.title for one in open_ones]
            open_ones.append(heading)
            start = 0 if number == 0 and alone else heading.start
            end = found[number + 1].start if number + 1 < len(found) else len(text)
            first = "" if start == 0 and joined else _path(above)
            yield _Part(doc, start, end, first, _path([*above, heading.title]))


def _path(titles: Sequence[str]) -> str:
    return PATH.join(titles)


def _check_room(chunker: Chunker, corpus: Corpus, parts: Sequence[_Part], longest: Longs) -> None:
    bad = np.flatnonzero(longest * 2 >= chunker.size)
    if bad.size:
        where = corpus.ids[parts[int(bad[0])].doc]
        raise SettingError(
            f"chunker.prefix={chunker.prefix}: a prefix of document {where!r} has {int(longest[bad[0]])} tokens,"
            f" expected fewer than half of chunk_size={chunker.size}; raise chunk_size or use chunker.prefix=none"
        )


def _cut_alike(plain: Chunker, corpus: Corpus, tokens: TokenOffsets, parts: Sequence[_Part], chosen: Longs) -> _Cut:
    """Chunks of the parts `chosen` by a chunker without prefix, as if each part were a document."""
    texts, starts, ends, counts = [], [], [], [0]
    for number in chosen.tolist():
        part = parts[number]
        texts.append(corpus.texts[part.doc][part.start : part.end])
        low, high = int(tokens.indptr[part.doc]), int(tokens.indptr[part.doc + 1])
        first, last = low + np.searchsorted(tokens.start[low:high], (part.start, part.end))
        starts.append(tokens.start[first:last] - part.start)
        ends.append(np.minimum(tokens.end[first:last], part.end) - part.start)
        counts.append(last - first)
    offsets = TokenOffsets(np.cumsum(counts, dtype=np.int64), _int32(starts), _int32(ends))
    found = plain.cut(texts, offsets)
    return _Cut(chosen[found.doc], found.start, found.end, found.tokens)


def _with_prefixes(parts: Sequence[_Part], counts: Longs, pieces: Sequence[_Cut]) -> Chunks:
    """All chunks, sorted by document and start; parts stand in that order."""
    if not pieces:
        empty = np.zeros(0, np.int32)
        return Chunks(empty, empty, empty, empty, ())
    part, start, end, own = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.lexsort((start, part))
    part, start, end, own = part[order], start[order], end[order], own[order]
    later = np.diff(part, prepend=-1) == 0
    taken = counts[part, later.astype(np.int64)]
    base = np.array([one.start for one in parts], np.int64)[part]
    return Chunks(
        doc=np.array([one.doc for one in parts], np.int32)[part],
        start=(start + base).astype(np.int32),
        end=(end + base).astype(np.int32),
        tokens=(own + np.where(taken > 0, taken + 1, 0)).astype(np.int32),
        prefix=tuple(
            parts[at].later if behind else parts[at].first
            for at, behind in zip(part.tolist(), later.tolist(), strict=True)
        ),
    )


def _int32(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int32) if parts else np.zeros(0, np.int32)
