"""Sweeps over answers: experiments named apart, failures ranked, association told, everything copied to MLflow."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline import compare
from tests.whole import QUESTIONS, common, run, sweep_folder, write_collection

FOUND = (1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1)  # of the twelve questions, by the good ranking
LOST = (0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0)  # by the poor one


def write_ranking(path: Path, found: Sequence[int]) -> None:
    """Relevant documents first where they are found, nowhere else; `sail` and `tea` behind."""
    lines = []
    for (query, (_, judged)), there in zip(QUESTIONS.items(), found, strict=True):
        relevant = [doc for doc, grade in judged.items() if grade > 0]
        others = [doc for doc in ("sail", "tea") if doc not in relevant]
        docs = [*(relevant if there else []), *others]
        lines += [f"{query} Q0 {doc} {rank} {10 - rank} x\n" for rank, doc in enumerate(docs, 1)]
    path.write_text("".join(lines), "utf-8")


def write_answers(path: Path, found: Sequence[int], *, judge: bool = True) -> None:
    """An answer is right and cites its source where the source was found, else it makes an id up."""
    rows = []
    for (query, (_, judged)), there in zip(QUESTIONS.items(), found, strict=True):
        beside = "compost" if "sail" in judged else "sail"
        context = [next(iter(judged)), beside] if there else [beside]
        row = {"id": f"a-{query}", "query_id": query, "context": context, "reference": "So it is"}
        row["answer"] = "So it is [1]." if there else "So it was [7]."
        rows.append(row | ({"scores": {"correctness": there, "support": None}} if judge else {}))
    rows.append({"id": "stray", "query_id": "nobody", "context": ["tea"], "answer": "So [1]."})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rankings with answers of their own, and one tracked sweep over them."""
    place = tmp_path_factory.mktemp("answers")
    for name, found in (("good", FOUND), ("poor", LOST)):
        write_ranking(place / f"{name}.trec", found)
        write_answers(place / f"{name}.trec.jsonl", found)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME"):
            patch.delenv(name, raising=False)
        arguments = [item for item in common(write_collection(place / "kitchen")) if item != "tracking=none"]
        pairs = ("retriever=run_file", "retriever.path=poor.trec,good.trec", "answers.path='${retriever.path}.jsonl'")
        assert run(*arguments, "-m", "answers=precomputed", *pairs) == 0
    return place


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_ranking_has_its_answers_and_both_are_named_apart(place: Path) -> None:
    folder = sweep_folder(place / "outputs")
    names = [job["name"] for job in json.loads((folder / "sweep.json").read_text("utf-8"))["jobs"]]
    assert len(set(names)) == 2
    assert names[0].endswith("poor") and names[1].endswith("good")


def test_configurations_are_ranked_by_their_failures_with_n_and_four_fields(place: Path) -> None:
    folder = sweep_folder(place / "outputs")
    best, worst = rows_of(folder / "failures.csv")
    # nine of twelve are found by the good ranking, five by the poor one; whatever is found is cited
    assert (best["rank"], best["answers"], best["without failure"]) == ("1", "12", "9")
    assert (worst["rank"], worst["answers"], worst["without failure"]) == ("2", "12", "5")
    assert best["name"].endswith("good")
    assert best["cause: not retrieved"] == "3" and best["fabricated id"] == "3"
    assert best["retrieval good, citations good"] == "9" and best["retrieval bad, citations bad"] == "3"
    assert best["unknown query"] == "1"
    text = (folder / "report.md").read_text("utf-8")
    assert "75.0%     12  not retrieved 25%" in text and "left out: 1 answer to queries" in text


def test_a_retrieval_measure_is_said_to_predict_correctness(place: Path) -> None:
    folder = sweep_folder(place / "outputs")
    said = (folder / "report.md").read_text("utf-8")
    rows = rows_of(folder / "association.csv")
    assert {row["answer"] for row in rows} == {"answer_correctness"}  # support is undecided everywhere
    # correct exactly where it is found: Success@5 and correctness move together
    assert float(next(row["correlation"] for row in rows if row["retrieval"] == "Success@5")) == pytest.approx(1.0)
    assert "predicts answer_correctness best" in " ".join(said.split())


def test_scores_that_came_with_the_answers_stand_in_every_file(place: Path) -> None:
    folder = sweep_folder(place / "outputs")
    scores = rows_of(folder / "1" / "scores.csv")
    assert [row["answer_correctness"] for row in scores] == [f"{float(there)}" for there in FOUND]
    assert {row["answer_support"] for row in scores} == {""}
    # "so it was 7" would be as near as "so it was"; the mark is taken out: 2 of 3 words shared
    assert {row["answer_f1"] for row in scores} == {"1.0", repr(2 / 3)}
    manifest = json.loads((folder / "1" / "manifest.json").read_text("utf-8"))
    assert manifest["undefined"]["answer_support"] == {"undecided": 12}
    assert manifest["facts"]["failures/none"] == 0.75 and manifest["facts"]["answers_to_unknown_queries"] == 1
    board = rows_of(folder / "leaderboard.csv")
    assert {row["answer_correctness"] for row in board} == {"0.75", repr(5 / 12)}
    compared = {row["measure"] for row in rows_of(folder / "comparisons.csv")}
    assert {"answer_correctness", "answer_f1", "answer_exact"} <= compared


def test_mlflow_has_the_measures_the_shares_and_the_tables(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow import MlflowClient

    monkeypatch.chdir(place)
    client = MlflowClient("sqlite:///outputs/mlflow.db")
    experiment = client.get_experiment_by_name("rag-sweep/kitchen").experiment_id
    jobs = client.search_runs([experiment], "tags.role = 'job'")
    by_answers = {one.data.params["answers"]: one for one in jobs}
    good = by_answers["good"]
    assert good.data.metrics["detail/answer_correctness"] == 0.75
    assert good.data.metrics["failures/none"] == 0.75 and good.data.metrics["failures/not_retrieved"] == 0.25
    assert good.data.metrics["detail/answers"] == 12
    files = {item.path for item in client.list_artifacts(good.info.run_id)}
    assert "failures.csv" in files and "answers.jsonl" not in files  # texts stay where they are
    (comparison,) = client.search_runs([experiment], "tags.role = 'comparison'")
    files = {item.path for item in client.list_artifacts(comparison.info.run_id)}
    assert {"failures.csv", "failures.html", "association.csv"} <= files
    assert "failures.html" in comparison.data.tags["mlflow.note.content"]


def test_compare_shows_the_failures_and_tests_a_score_that_came_along(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    folder = sweep_folder()
    assert compare.main([folder.name, "--primary", "answer_correctness"]) == 0
    shown = capsys.readouterr().out
    assert "most frequent causes" in shown and "answer_correctness" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_two_files_of_answers_beside_one_ranking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    write_answers(tmp_path / "a.jsonl", LOST, judge=False)
    write_answers(tmp_path / "b.jsonl", FOUND)
    arguments = common(write_collection(tmp_path / "kitchen"), "-m", "retriever=bm25", "answers=precomputed")
    assert run(*arguments, "answers.path=a.jsonl,b.jsonl") == 0
    shown = " ".join(capsys.readouterr().out.split())
    folder = sweep_folder()
    assert [row["name"] for row in rows_of(folder / "failures.csv")] == ["bm25-512-b", "bm25-512-a"]
    # a was not judged by anyone: its correctness is undefined, and the two still stand in one table
    board = {row["name"]: row["answer_correctness"] for row in rows_of(folder / "leaderboard.csv")}
    assert board == {"bm25-512-b": "0.75", "bm25-512-a": ""}
    assert "All rankings are the same: no retrieval measure can explain what differs in answer_f1" in shown
    assert "The same answers stand beside every ranking" not in shown


def test_one_file_of_answers_beside_two_rankings_tells_what_it_can(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    rankings = f"retriever.path={place}/poor.trec,{place}/good.trec"
    arguments = common(place / "kitchen", "-m", "retriever=run_file", "answers=precomputed")
    assert run(*arguments, rankings, f"answers.path={place}/poor.trec.jsonl") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "The same answers stand beside every ranking: rankings can differ only in not retrieved" in shown
    first, second = rows_of(sweep_folder() / "failures.csv")
    assert first["without failure"] == second["without failure"] == "5"
    # seven answers lack their document; the good ranking has it for five of them
    assert [row["cause: not retrieved"] for row in (first, second)] == ["2", "7"]
