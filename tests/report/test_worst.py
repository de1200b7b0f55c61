"""The worst queries: each stage that can lose a document, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.records import Run, Spans
from pipeline.report.worst import Job, worst_rows
from tests.sweep.small import dataset, table


def job(items: list[list[int]], held: list[bool], *, spans=(), straddled=(), values=None, foreign=()) -> Job:
    ranked = np.array(items, np.int32)
    return Job(
        scores=table([0.0] * len(items) if values is None else values),
        documents=Run("document", ranked, np.where(ranked >= 0, 1.0, np.nan), foreign),
        documents_held=np.array(held, bool),
        spans_held=np.array(spans, bool),
        straddled=np.array(straddled, bool),
        depth=4,
        cutoff=2,
        budget=64,
    )


def spans(*documents: int) -> Spans:
    docs = np.array(documents, np.int32)
    zeros = np.zeros(len(docs), np.int32)
    return Spans(zeros, docs, zeros, zeros + 4, np.arange(len(docs), dtype=np.int32))


@pytest.mark.parametrize(
    ("data", "found", "lost"),
    [
        (dataset([{0: 1}]), job([[1, 2, 3, 4]], [False]), ["not retrieved to depth 4"]),
        (dataset([{0: 1}]), job([[1, 2, 0, 3]], [True]), ["below the cutoff of 2"]),
        (dataset([{0: 1}]), job([[0, 1, 2, 3]], [False]), ["outside the budget of 64 tokens"]),
        (dataset([{0: 1}]), job([[1, 0, 2, 3]], [True]), ["ranked late"]),
        (dataset([{0: 1}]), job([[0, 1, 2, 3]], [True]), [""]),
        (dataset([{6: 1}], missing=("gone",)), job([[0, 1, 2, 3]], [False]), ["not in the corpus"]),
        (
            dataset([{0: 1}], spans=spans(0)),
            job([[0, 1]], [True], spans=[False], straddled=[True]),
            ["in no chunk whole"],
        ),
        (dataset([{0: 1}], spans=spans(0)), job([[0, 1]], [True], spans=[True], straddled=[True]), [""]),
        (
            dataset([{0: 1}], spans=spans(0)),
            job([[0, 1]], [True], spans=[False], straddled=[False]),
            ["outside the budget of 64 tokens"],
        ),
        # The higher grade first; grade 0 is no loss.
        (
            dataset([{0: 1, 1: 2, 2: 0}]),
            job([[3, 4, 0, -1]], [False] * 3),
            ["not retrieved to depth 4", "below the cutoff of 2"],
        ),
    ],
)  # fmt: skip
def test_each_missed_document_is_lost_at_one_stage(data, found: Job, lost: list[str]) -> None:
    assert [row["lost"] for row in worst_rows(data, found, "nDCG@10")] == lost


def test_a_row_says_what_was_asked_found_and_missed() -> None:
    found = job([[1, 6, 0, -1]], [False, False], foreign=("theirs",))
    (row,) = worst_rows(dataset([{0: 2, 1: 0}]), found, "nDCG@10")
    assert row == {
        "query_id": "q00",
        "question": "what is 0",
        "nDCG@10": 0.0,
        "found": "d1 (0); theirs (?); d0 (2)",
        "missed": "d0",
        "grade": 2,
        "rank": 3,
        "lost": "below the cutoff of 2",
        "excerpt": "text 0",
    }


def test_the_lowest_values_come_first_and_undefined_ones_not_at_all() -> None:
    found = job([[0]] * 3, [True] * 3, values=[0.5, np.nan, 0.1])
    assert [row["query_id"] for row in worst_rows(dataset([{0: 1}] * 3), found, "nDCG@10")] == ["q02", "q00"]
