"""Answers join an experiment: one table, one set of files."""

from __future__ import annotations

import csv
import json

from pipeline import compare, show
from pipeline.run import main
from tests.conftest import ROOT

TOPICS = ROOT / "pipeline" / "datasets" / "python_topics_data" / "answers.jsonl"


def run(tmp_path, *more):
    common = ["retriever=bm25", "probes=0", "tracking=none", f"output_dir={tmp_path}/out", "answers=precomputed"]
    return main([*common, *more])


def test_citations_stand_beside_the_ranking_in_every_file(tmp_path):
    assert run(tmp_path, f"answers.path={TOPICS}") == 0
    (job,) = (tmp_path / "out" / "runs").glob("*/0")
    with (job / "scores.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {"nDCG@10", "citation_validity", "cites_nothing"} <= set(rows[0])
    assert sum(row["citation_validity"] != "" for row in rows) > 60
    found = json.loads((job / "citations.json").read_text("utf-8"))
    assert found["failures"]["fabricated id"]["answers"] > 0
    assert len((job / "answers.jsonl").read_text("utf-8").splitlines()) == found["answers"]


def test_formats_that_do_not_fit_end_before_the_first_job(tmp_path, capsys):
    answers = tmp_path / "answers.jsonl"
    rows = [{"query_id": f"q{i:03d}", "answer": "So [1].", "context": ["lists"]} for i in range(1, 9)]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert run(tmp_path, f"answers.path={answers}", "citations=footnote") == 2
    assert "set citations.formats=bracket_number" in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("runs/*/0"))


def test_answers_to_other_queries_end_before_the_first_job(tmp_path, capsys):
    # each job used to run and to fail, with exit code 1
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"query_id": "nope", "answer": "So [1].", "context": ["lists"]}) + "\n", "utf-8")
    assert run(tmp_path, f"answers.path={answers}") == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith(f"{answers}:1: no answer is to a query of python_topics: query_id 'nope'")
    assert not list((tmp_path / "out").glob("runs/*"))


def test_a_sweep_over_chunk_sizes_with_answers_is_finished_and_seen_by_its_citations(tmp_path, capsys):
    # It once ended in "measure 'citation_validity' is not known": every job done, no leaderboard and no verdict.
    assert run(tmp_path, f"answers.path={TOPICS}", "-m", "chunk_size=64,512") == 0
    (folder,) = (tmp_path / "out" / "sweeps").iterdir()
    assert (folder / "leaderboard.csv").is_file()
    assert compare.main([str(folder), "--primary", "cited_relevance"]) == 0
    assert show.main([str(folder), "--measure", "cited_relevance"]) == 0
    assert "cited_relevance" in capsys.readouterr().out
