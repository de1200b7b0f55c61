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


def rows_of(tmp_path, *rows):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


@pytest.mark.parametrize("verb", ["check", "report"])
def test_a_file_without_answers_is_refused_by_both(tmp_path, verb, capsys):
    # check used to say that nothing looks like a citation, and to end with 0
    path = rows_of(tmp_path)
    assert main([verb, path]) == 2
    assert capsys.readouterr() == (
        "",
        f"{path}: holds no answer; expected one JSON object a line with 'answer' and 'context'\n",
    )


@pytest.mark.parametrize("verb", ["check", "report"])
def test_a_place_stands_once_before_what_is_wrong_there(tmp_path, verb, capsys):
    path = rows_of(tmp_path, {"answer": "A [1]. B [2].", "context": ["2", "1"]})
    assert main([verb, path]) == 2
    assert capsys.readouterr().err.startswith(f"{path}:1: numbers may be ids or places")


def test_formats_that_miss_something_are_not_said_to_fit(tmp_path, capsys):
    rows = [{"answer": "A [^1].", "context": ["a"]}, *[{"answer": "A {{1}} is.", "context": ["a"]}] * 9]
    assert main(["check", rows_of(tmp_path, *rows)]) == 0
    out = capsys.readouterr().out
    assert "9 of 10 answers hold something like bracket_number that is not read" in " ".join(out.split())
    assert "the formats fit" not in out


def test_the_report_says_what_is_odd_and_what_no_answer_has(tmp_path, capsys):
    cite = {"start": 0, "end": 99, "text": "A", "document_ids": ["a"]}
    rows = [
        {"answer": "A.", "context": ["a"], "citations": [cite], "scores": {"tone": None}},
        {"answer": "A [1].", "context": ["a", "a"], "judge": "perhaps " * 30},
        {"answer": "B."},
    ]
    assert main(["report", rows_of(tmp_path, *rows)]) == 0
    out = capsys.readouterr().out
    said = " ".join(out.split())
    assert "1 structured citations do not fit their answer and count for nothing; the first:" in said
    assert "rows.jsonl:1: offsets 0 to 99 in an answer of 2 characters" in said
    assert "1 answers: no context" in said
    assert "1 answers: repeated context ids" in said
    assert "1 of 1 replies of the judge cannot be counted" in said
    assert "no answer has relevant_context_coverage, cited_relevance, cited_recall" in said
    assert "answer_tone" in said
    lines = out.replace(str(tmp_path), "").splitlines()
    assert max(map(len, lines)) <= 80
