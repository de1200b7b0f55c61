"""The real collections, with the counts that were published with them."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from pipeline.datasets.beir import Beir
from pipeline.errors import DataError

# name: documents, empty, dated, queries, judged, judgements, spans (as each collection's own description counts them)
COUNTS = {
    "cranfield": (1400, 2, 0, 225, 225, 1837, 0),
    "cisi": (1460, 0, 0, 112, 76, 3114, 0),
    "adi": (82, 0, 0, 35, 35, 170, 0),
    "cacm": (3204, 0, 3204, 64, 52, 796, 0),
    "time": (423, 0, 423, 83, 83, 324, 0),
    "scifact": (5183, 0, 0, 300, 300, 339, 0),
    "chroma_chunking": (5, 0, 0, 472, 472, 472, 790),
    "covid_qa": (98, 0, 82, 1380, 1380, 1380, 1380),
    "clapnq_dev": (597, 0, 0, 600, 300, 300, 0),
}
COUNTED = ("documents", "empty_documents", "dated_documents", "queries", "judged_queries", "judgements", "spans")


@pytest.mark.parametrize("name", COUNTS)
def test_a_collection_has_its_published_counts(collections, name):
    data = Beir(str(collections / name)).load()
    assert tuple(data.counts[part] for part in COUNTED) == COUNTS[name]
    assert data.counts["missing_documents"] == 0


@pytest.mark.parametrize("name", ["covid_qa", "chroma_chunking"])
@pytest.mark.parametrize("title", ["join", "none"])
def test_every_span_is_the_text_that_its_file_gives(collections, name, title):
    data = Beir(str(collections / name), title=title).load()
    spans = data.spans
    assert spans is not None
    found = sorted(
        (data.queries.ids[query], data.corpus.ids[doc], data.corpus.texts[doc][start:end])
        for query, doc, start, end in zip(spans.query, spans.doc, spans.start, spans.end, strict=True)
    )
    with (collections / name / "spans.jsonl").open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    assert found == sorted((row["query_id"], row["doc_id"], row["text"]) for row in rows)


def test_unpadded_ids_of_cacm_are_missing_and_recognised(collections):
    data = Beir(str(collections / "cacm"), qrels="qrels/anserini_as_published.tsv").load()
    assert data.counts["judgements_of_missing_documents"] == 55
    assert data.counts["judgements"] == 796
    (note,) = (note for note in data.notes if "unknown" in note)
    assert "'CACM-756' for 'CACM-0756' (zero padding)" in note
    with pytest.raises(DataError, match="CACM-756"):
        Beir(str(collections / "cacm"), qrels="qrels/anserini_as_published.tsv", strict=True).load()


def test_grades_and_explicit_splits_are_read(collections):
    graded = Beir(str(collections / "cranfield")).load().qrels.grades
    assert dict(zip(*np.unique(graded, return_counts=True), strict=True)) == {1: 363, 2: 734, 3: 387, 4: 353}
    raw = Beir(str(collections / "cranfield"), split="raw_codes").load()
    assert raw.qrels.judgements == "pooled"
    assert (raw.qrels.grades == -1).sum() == 225
    assert Beir(str(collections / "time"), split="test_strict").load().counts["judgements"] == 253


def test_digests_do_not_know_path_packing_or_order(collections, tmp_path):
    usual = Beir(str(collections / "adi")).load()
    (tmp_path / "qrels").mkdir()
    for name in ("corpus.jsonl", "queries.jsonl"):
        lines = (collections / "adi" / name).read_bytes().splitlines()
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(b"\r\n".join(lines[::-1])))
    _, *rows = (collections / "adi" / "qrels" / "test.tsv").read_text().splitlines()
    (tmp_path / "qrels" / "test.tsv").write_text("\n".join(rows[::-1]))
    assert Beir(str(tmp_path)).load().digests == usual.digests
