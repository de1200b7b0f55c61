"""A dataset of a few queries, made by hand, and its tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pipeline.records import Corpus, Dataset, Digests, Qrels, Queries, ScoreTable, Spans


def dataset(
    relevant: list[dict[int, int]],
    *,
    documents: int = 6,
    slices: Mapping[str, tuple[str, ...]] | None = None,
    weight: list[float] | None = None,
    spans: Spans | None = None,
    missing: tuple[str, ...] = (),
    judgements: str = "pooled",
) -> Dataset:
    """`relevant`: document -> grade, a query each; document n has the text "text n"."""
    count = len(relevant)
    rows = [sorted(row.items()) for row in relevant]
    return Dataset(
        name="small",
        version="1",
        corpus=Corpus(
            tuple(f"d{n}" for n in range(documents)),
            tuple(f"text {n}" for n in range(documents)),
            ("",) * documents,
            np.full(documents, np.datetime64("NaT", "s")),
            ({},) * documents,
        ),
        queries=Queries(
            tuple(f"q{n:02d}" for n in range(count)),
            tuple(f"what is {n}" for n in range(count)),
            slices=slices or {},
            weight=None if weight is None else np.array(weight),
        ),
        qrels=Qrels(
            np.cumsum([0, *map(len, rows)]),
            np.array([doc for row in rows for doc, _ in row], np.int32),
            np.array([grade for row in rows for _, grade in row], np.int32),
            missing,
            judgements,
        ),
        spans=spans,
        digests=Digests("", "", "", "", ""),
    )


def table(values: list[float], measure: str = "nDCG@10") -> ScoreTable:
    return ScoreTable((measure,), tuple(f"q{n:02d}" for n in range(len(values))), np.array([values], float))
