"""The failure table of a sweep, from the folders of its jobs."""

from __future__ import annotations

import pytest

from pipeline.answers.failed import read_failures, write_failures
from pipeline.answers.precomputed import join
from pipeline.citations import Settings
from pipeline.errors import DataError
from pipeline.records import JobRecord, SweepRecord
from pipeline.sweep.failures import failures
from tests.answers.test_precomputed import answers_of, dataset, retrieved

FOUND, LOST = [[0, 1], [2, 1], [-1, -1]], [[0, 1], [0, 1], [-1, -1]]
GOOD = (
    {"id": 1, "query_id": "q1", "answer": "A [1].", "context": ["a", "b"]},
    {"id": 2, "query_id": "q2", "answer": "C [1].", "context": ["c"]},
    {"id": 3, "query_id": "q3", "answer": "C [1].", "context": ["c"]},
    {"id": 4, "query_id": "zz", "answer": "C [1].", "context": ["c"]},
)
POOR = ({**GOOD[0], "answer": "A [9]."}, {**GOOD[1], "context": ["b"]}, GOOD[2])


def sweep(tmp_path, jobs):
    """(name, state, answers or None, ranking) a job."""
    records = []
    for number, (name, state, rows, ranking) in enumerate(jobs):
        folder = tmp_path / str(number)
        folder.mkdir()
        if rows is not None:
            found = join(answers_of(folder, *rows), dataset(), Settings(), retrieved=retrieved(ranking))
            write_failures(folder, found)
        records.append(JobRecord(number, name, state, "", None, name, {}, (), {}, None, str(folder)))
    return SweepRecord("s", str(tmp_path), "", "", {}, (), jobs[0][0], "nDCG@10", (), tuple(records), 0, 0.0)


def test_configurations_are_ranked_by_their_answers_without_a_failure(tmp_path):
    view = failures(sweep(tmp_path, [("poor", "done", POOR, FOUND), ("good", "done", GOOD, FOUND)]))
    assert [(row.name, row.table.clean, row.table.answers) for row in view.rows] == [("good", 3, 3), ("poor", 1, 3)]
    assert view.rows[1].table.causes["not in context"] == view.rows[1].table.causes["not cited"] == 1
    assert not view.one_file


def test_answers_to_unknown_and_to_unjudged_queries_are_counted(tmp_path):
    (row,) = failures(sweep(tmp_path, [("good", "done", GOOD, FOUND)])).rows
    assert row.unknown == 1
    assert row.table.fields == {("good", "good"): 2, ("not judged", "good"): 1}


def test_with_one_file_the_ranking_that_found_more_comes_first_though_its_name_comes_last(tmp_path):
    view = failures(sweep(tmp_path, [("a", "done", POOR, LOST), ("b", "done", POOR, FOUND)]))
    assert view.one_file and [row.name for row in view.rows] == ["b", "a"]
    assert [row.table.causes["not retrieved"] for row in view.rows] == [0, 1]


def test_jobs_without_answers_or_result_take_no_part(tmp_path):
    jobs = [("none", "done", None, None), ("lost", "failed", POOR, FOUND), ("good", "done", GOOD, FOUND)]
    view = failures(sweep(tmp_path, jobs))
    assert [row.name for row in view.rows] == ["good"] and not view.one_file


def test_without_answers_or_without_judgements_there_is_no_table(tmp_path):
    assert failures(sweep(tmp_path, [("none", "done", None, None)])) is None
    (tmp_path / "other").mkdir()
    assert failures(sweep(tmp_path / "other", [("unjudged", "done", GOOD[2:], FOUND)])) is None


def test_a_file_reads_back_as_it_was_and_a_changed_one_is_refused_by_line(tmp_path):
    found = join(answers_of(tmp_path, *GOOD), dataset(), Settings(), retrieved=retrieved(FOUND))
    write_failures(tmp_path, found)
    assert read_failures(tmp_path).failures == found.failures
    path = tmp_path / "failures.csv"
    path.write_text(path.read_text("utf-8").replace("not judged", "no idea"), "utf-8")
    with pytest.raises(DataError, match=r"failures\.csv:4: was changed into something else"):
        read_failures(tmp_path)
