"""A figure that others have published, on a real collection."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
import pytrec_eval

from pipeline.records import Stop
from pipeline.retrieval.bm25 import Bm25


@pytest.mark.slow
def test_bm25_on_scifact_reaches_the_known_ndcg(collections):
    folder = collections / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        corpus = {row["_id"]: f"{row['title']} {row['text']}" for row in map(json.loads, lines)}
    queries = {row["_id"]: row["text"] for row in map(json.loads, (folder / "queries.jsonl").read_text().splitlines())}
    qrels = {}
    for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels.setdefault(query, {})[document] = int(grade)
    ids, asked = sorted(corpus), sorted(qrels)

    retriever = Bm25(k1=1.2, b=0.75)
    index = retriever.index([corpus[name] for name in ids], None)
    stop = Stop(np.arange(len(ids), dtype=np.int32), 100)
    run = retriever.search(index, [queries[name] for name in asked], None, stop)

    # Ranks as scores, so that the oracle cannot order ties its own way.
    ranked = {
        query: {ids[item]: float(-rank) for rank, item in enumerate(row) if item >= 0}
        for query, row in zip(asked, run.items, strict=True)
    }
    values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(ranked)
    assert len(values) == 300
    assert np.mean([value["ndcg_cut_10"] for value in values.values()]) == pytest.approx(0.679, abs=0.003)
