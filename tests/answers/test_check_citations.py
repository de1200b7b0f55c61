"""python -m pipeline.citations check|report."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pipeline.check_citations import main


def file_of(tmp_path, texts, ids=("a", "b")):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"answer": text, "context": list(ids)}) + "\n" for text in texts), "utf-8")
    return str(path)


def test_the_command_stands_where_the_issue_says(tmp_path):
    path = file_of(tmp_path, ["A [1]."] * 4)
    run = [sys.executable, "-m", "pipeline.citations", "check", path, "--formats", "footnote"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "set citations.formats=bracket_number" in done.stderr


def test_formats_that_fit_end_with_zero(tmp_path, capsys):
    assert main(["check", file_of(tmp_path, ["A [1].", "B [2]."])]) == 0
    assert "2 answers that say something, 2 with citations (100%)" in capsys.readouterr().out


def test_a_pattern_of_ones_own_is_looked_at(tmp_path, capsys):
    path = file_of(tmp_path, ["A <<a>>."] * 3)
    assert main(["check", path, "--pattern", r"<<(\w+)>>"]) == 0
    assert main(["check", path, "--pattern", r"(?<=<<)(\w+)", "--engine", "python"]) == 0
    assert main(["check", path, "--pattern", r"(?<=<<)(\w+)"]) == 2
    assert "engine: python" in capsys.readouterr().err


def test_the_finding_as_json(tmp_path, capsys):
    main(["check", file_of(tmp_path, ["A [1].", "B."]), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["answers"], found["matched"], found["match_rate"], found["fits"]) == (2, 1, 0.5, True)


def test_the_report_says_over_how_many_answers_a_mean_is(tmp_path, capsys):
    assert main(["report", file_of(tmp_path, ["A [1].", "B [9].", "C."])]) == 0
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if line.startswith("citation_validity"))
    assert line.split()[1] == "0.500"
    assert line.split()[-1] == "2"
    assert "fabricated id" in out


@pytest.mark.parametrize("arguments", [["check", "nothing.jsonl"], ["report", "nothing.jsonl"]])
def test_a_missing_file_is_one_line(arguments, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err == "nothing.jsonl: no such file\n"


def test_the_report_has_scores_and_right_answers_that_came_along(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    rows = [
        {"answer": "The capital is Paris [1].", "context": ["a"], "reference": "Paris", "scores": {"support": 1}},
        {"answer": "Paris [1].", "context": ["a"], "reference": ["Rome", "Paris"], "scores": {"support": None}},
        {"answer": "Lyon [1].", "context": ["a"]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert main(["report", str(path)]) == 0
    lines = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line.strip()}
    # F1: 1 of 3 words shared is 2 · 1 / (3 + 1); then 1; over the two with a reference
    assert (lines["answer_f1"][1], lines["answer_f1"][-1]) == ("0.750", "2")
    assert (lines["answer_exact"][1], lines["answer_support"][1], lines["answer_support"][-1]) == (
        "0.500",
        "1.000",
        "1",
    )
    main(["report", str(path), "--json"])
    found = json.loads(capsys.readouterr().out)["means"]["answer_support"]
    assert found["undefined"] == {"undecided": 1, "not scored": 1}
