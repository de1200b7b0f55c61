"""Clusters are inferred where the dataset says that questions were written from documents, and nowhere else."""

from __future__ import annotations

import pytest

from pipeline.datasets.assemble import Raw, RawDocument, RawJudgement, RawQuery, assemble

DOCUMENTS = tuple(RawDocument(name, f"text {name}") for name in "abc")
JUDGED = (
    RawJudgement("q1", "a", 1),
    RawJudgement("q1", "b", 2),  # b is more relevant than a
    RawJudgement("q2", "b", 1),
    RawJudgement("q2", "c", 1),  # equal: the first by id
    RawJudgement("q3", "c", 0),  # judged, not relevant: written from no known document
    RawJudgement("q4", "c", 3),
)
NAMES = ("q1", "q2", "q3", "q4", "q5")


def load(*labels: str, column: str = "origin", judged=JUDGED, clusters=(None,) * 5):
    queries = [
        RawQuery(name, f"what is {name}", {column: label}, cluster)
        for name, label, cluster in zip(NAMES, labels, clusters, strict=True)
    ]
    return assemble(Raw("toy", "", DOCUMENTS, queries, judged))


def noted(dataset) -> bool:
    return any("written from documents" in note for note in dataset.notes)


@pytest.mark.parametrize("column, label", [("origin", "synthetic"), ("origin", "LLM"), ("synthetic", "true")])
def test_questions_all_written_from_documents_share_a_cluster_with_their_most_relevant_document(column, label) -> None:
    found = load(*[label] * 5, column=column)
    assert found.queries.cluster == ("document b", "document b", "query q3", "document c", "query q5")
    (note,) = [note for note in found.notes if "written from documents" in note]
    assert note.startswith(f"all 5 questions were written from documents ({column}): they form 4 clusters")


@pytest.mark.parametrize(
    "labels, column",
    [
        (("human",) * 5, "origin"),
        (("synthetic", "human", "synthetic", "synthetic", "synthetic"), "origin"),
        (("synthetic",) * 5, "topic"),
        (("false",) * 5, "synthetic"),
    ],
)
def test_without_a_word_of_the_dataset_on_all_questions_nothing_is_inferred(labels, column) -> None:
    found = load(*labels, column=column)
    assert found.queries.cluster is None and not noted(found)


def test_given_clusters_stay() -> None:
    found = load(*["synthetic"] * 5, clusters=("x", "x", "y", "y", None))
    assert found.queries.cluster == ("x", "x", "y", "y", "q5") and not noted(found)


def test_where_no_two_questions_share_a_document_there_are_no_clusters() -> None:
    found = load(*["synthetic"] * 5, judged=JUDGED[2:])
    assert found.queries.cluster is None and not noted(found)
