"""A TREC run of another system: ids to positions, the order of ties, queries that do not match."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from pipeline.errors import DataError
from pipeline.protocols import External
from pipeline.records import Corpus, Dataset, Digests, Qrels, Queries
from pipeline.retrieval.run_file import RunFile


@pytest.fixture
def dataset():
    """Documents a, b, c; x is judged but not in the corpus; queries q1, q2, q3."""
    corpus = Corpus(("a", "b", "c"), ("A", "B", "C"), ("", "", ""), np.full(3, "NaT", "datetime64[s]"), ({}, {}, {}))
    qrels = Qrels(np.array([0, 1, 1, 1]), np.array([3], np.int32), np.array([1], np.int32), missing=("x",))
    texts = ("one", "two", "three")
    digests = Digests("", "", "", "", "")
    return Dataset("kb", "", corpus, Queries(("q1", "q2", "q3"), texts), qrels, None, digests)


@pytest.fixture
def run_file(tmp_path):
    def write(*lines):
        path = tmp_path / "prod.trec"
        path.write_text("".join(f"{line}\n" for line in lines))
        return RunFile(str(path))

    return write


def test_scores_decide_and_not_the_rank_column_or_the_order_of_lines(run_file, dataset):
    run = run_file("q1 Q0 a 1 0.1 t", "q1 Q0 c 2 0.9 t", "q1 Q0 b 3 0.5 t").documents(dataset, 10)
    assert (run.unit, run.items[0].tolist(), run.scores[0].tolist()) == ("document", [2, 1, 0], [0.9, 0.5, 0.1])


def test_ties_go_by_descending_id_as_strings_also_for_documents_outside_the_corpus(run_file, dataset):
    # Positions: a 0, b 1, c 2, x 3 (judged, missing), then foreign: aa 4, zz 5. By id: zz > x > c > b > aa > a.
    names = ["aa", "b", "zz", "x", "a", "c"]
    run = run_file(*(f"q2 Q0 {name} 1 1.0 t" for name in names)).documents(dataset, 10)
    assert run.foreign == ("aa", "zz")
    assert run.items[1].tolist() == [5, 3, 2, 1, 4, 0]
    assert run.items[0].tolist() == [-1] * 6


def test_depth_cuts_after_ranking(run_file, dataset):
    run = run_file("q1 Q0 a 1 1 t", "q1 Q0 b 2 2 t", "q1 Q0 c 3 3 t").documents(dataset, 2)
    assert run.items.tolist() == [[2, 1], [-1, -1], [-1, -1]]


def test_queries_that_the_dataset_lacks_are_named_and_ignored(run_file, dataset):
    reading = run_file("q9 Q0 a 1 1 t", "q1 Q0 b 1 1 t", "q8 Q0 a 1 1 t").read(dataset, 5)
    assert reading.unknown_queries == ("q8", "q9")
    assert reading.documents.items.tolist() == [[1], [-1], [-1]]


def test_a_run_for_other_queries_altogether_is_refused_with_examples_of_both(run_file, dataset):
    with pytest.raises(DataError, match=r"none of its 2 queries is in kb: it has '01', '02', the dataset 'q1', 'q2'"):
        run_file("01 Q0 a 1 1 t", "02 Q0 a 1 1 t").documents(dataset, 5)


def test_an_empty_run_finds_nothing(run_file, dataset):
    assert run_file().documents(dataset, 5).items.shape == (3, 0)


def test_a_document_listed_twice_is_refused_with_its_line(run_file, dataset):
    # Bug log 4: counted twice, recall rose above 1.
    with pytest.raises(DataError, match=r"prod\.trec:2: document 'a'"):
        run_file("q1 Q0 a 1 2 t", "q1 Q0 a 2 1 t").documents(dataset, 5)


@pytest.mark.parametrize("path", ["", "absent.trec", "."])
def test_a_path_that_is_no_file_is_refused_at_once(path):
    with pytest.raises(DataError, match=r"no such file; retriever\.path must name a TREC run"):
        RunFile(path)


def test_the_content_is_the_digest_of_the_bytes_and_the_role_is_external(run_file):
    run = run_file("q1 Q0 a 1 1 t")
    assert run.content() == hashlib.sha256(b"q1 Q0 a 1 1 t\n").hexdigest()
    assert isinstance(run, External)
    assert run.kind == "run_file"
