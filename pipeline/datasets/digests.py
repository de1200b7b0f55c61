"""Digests of content: the same records give the same digest, whatever file, order of rows or spacing they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np

from pipeline.records import Corpus, Digests, Qrels, Queries, Spans

ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest_all(corpus: Corpus, queries: Queries, qrels: Qrels, spans: Spans | None) -> Digests:
    """SHA-256 of every part, and of all of them."""
    parts = (_corpus(corpus), _queries(queries), _qrels(corpus, queries, qrels), _spans(corpus, queries, spans))
    return Digests(*parts, whole=_sha256([parts]))


def _sha256(rows: Iterable[Iterable[object]]) -> str:
    """Each row as one line of JSON: fields cannot run into each other, and keys stand in order."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(ENCODER.encode(list(row)).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _corpus(corpus: Corpus) -> str:
    dates = [None if np.isnat(date) else str(date) for date in corpus.dates]
    metadata = [dict(entry) for entry in corpus.metadata]
    return _sha256(zip(corpus.ids, corpus.titles, corpus.texts, dates, metadata, strict=True))


def _queries(queries: Queries) -> str:
    slices = sorted(queries.slices)
    as_of = None if queries.as_of is None else [None if np.isnat(date) else str(date) for date in queries.as_of]
    columns: list[Iterable[object] | None] = [
        queries.cluster,
        None if queries.weight is None else queries.weight.tolist(),
        as_of,
        None if queries.answerable is None else queries.answerable.tolist(),
        *(queries.slices[name] for name in slices),
    ]
    if queries.references is not None:  # only then: a dataset without them keeps the digest that it always had
        columns.append(queries.references)
    given = [list(column) for column in columns if column is not None]
    head = [slices, [column is not None for column in columns]]
    return _sha256([head, *zip(queries.ids, queries.texts, *given, strict=True)])


def _doc_name(corpus: Corpus, missing: tuple[str, ...], doc: int) -> str:
    return corpus.ids[doc] if doc < len(corpus.ids) else missing[doc - len(corpus.ids)]


def _qrels(corpus: Corpus, queries: Queries, qrels: Qrels) -> str:
    counts = np.diff(qrels.indptr)
    owner = np.repeat(np.arange(len(queries.ids)), counts)
    rows = zip(owner.tolist(), qrels.docs.tolist(), qrels.grades.tolist(), strict=True)
    named = ([queries.ids[query], _doc_name(corpus, qrels.missing, doc), grade] for query, doc, grade in rows)
    return _sha256([[qrels.judgements], *named])


def _spans(corpus: Corpus, queries: Queries, spans: Spans | None) -> str:
    if spans is None:
        return _sha256([])
    columns = (spans.query, spans.doc, spans.start, spans.end, spans.group)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return _sha256([queries.ids[query], corpus.ids[doc], *rest] for query, doc, *rest in rows)
