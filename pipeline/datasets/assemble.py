"""The heart of every loader: what was read becomes one checked, aligned dataset. No I/O."""

from __future__ import annotations

import numpy as np

from pipeline.datasets.align_texts import align_corpus, align_queries, by_id, join_title
from pipeline.datasets.counted import counted
from pipeline.datasets.digests import digest_all
from pipeline.datasets.evidence import align_spans
from pipeline.datasets.judgements import Positions, align_judgements
from pipeline.datasets.origin import with_clusters
from pipeline.datasets.raw import Raw, RawDocument, RawJudgement, RawQuery, RawSpan
from pipeline.errors import DataError
from pipeline.records import Corpus, Dataset, Queries, Spans

__all__ = ["Raw", "RawDocument", "RawJudgement", "RawQuery", "RawSpan", "assemble", "join_title"]


def assemble(raw: Raw) -> Dataset:
    """The dataset: documents and queries by ascending id, titles joined, judgements and spans as positions.

    Raises:
        DataError: no documents or no queries, an unusable or double id, or what `align_texts`, `align_judgements` and
            `align_spans` refuse.
    """
    if not raw.documents:
        raise DataError(f"{raw.source or raw.name}: no documents")
    if not raw.queries:
        raise DataError(f"{raw.queries_source or raw.source or raw.name}: no queries")
    documents, questions = by_id(raw.documents, "document"), by_id(raw.queries, "query")
    positions = Positions(
        {document.id: at for at, document in enumerate(documents)}, {query.id: at for at, query in enumerate(questions)}
    )
    texts = align_corpus(documents, join_titles=raw.join_titles, strict=raw.strict)
    queries = align_queries(questions)
    judged = align_judgements(raw, positions)
    queries, inferred = with_clusters(queries, judged.qrels, texts.corpus)
    spans = align_spans(raw.spans, positions, [len(document.text) for document in documents], texts.shifts)
    digests = digest_all(texts.corpus, queries, judged.qrels, spans)
    return Dataset(
        raw.name,
        raw.version or digests.whole[:12],
        texts.corpus,
        queries,
        judged.qrels,
        spans,
        digests,
        notes=(*raw.notes, *texts.notes, *_query_notes(queries), *judged.notes, *inferred),
        counts={**_counts(texts.corpus, queries, spans), **judged.counts},
        grade_meanings=raw.grade_meanings,
        folder=raw.folder,
    )


def _query_notes(queries: Queries) -> list[str]:
    empty = [name for name, text in zip(queries.ids, queries.texts, strict=True) if not text.strip()]
    if not empty:
        return []
    return [f"{counted(len(empty), 'empty query', 'empty queries')}, as {empty[0]!r}: retrieve nothing and score 0"]


def _counts(corpus: Corpus, queries: Queries, spans: Spans | None) -> dict[str, int]:
    return {
        "documents": len(corpus.ids),
        "empty_documents": sum(not text.strip() for text in corpus.texts),
        "dated_documents": int((~np.isnat(corpus.dates)).sum()),
        "queries": len(queries.ids),
        "empty_queries": sum(not text.strip() for text in queries.texts),
        "spans": 0 if spans is None else len(spans.query),
        "queries_with_spans": 0 if spans is None else len(np.unique(spans.query)),
    }
