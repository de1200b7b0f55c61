"""A column `weight` in a whole sweep: means, intervals, verdict, curves and percentiles are by traffic."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.whole import QUESTIONS, common, run, sweep_folder, write_collection

HEAVY = 4.0  # of the first question; all others weigh 1


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def weighted_collection(folder: Path) -> Path:
    """Each question's answer is the next one's document, so that values vary; the first has most of the traffic."""
    write_collection(folder)
    docs = [next(iter(found)) for _, found in QUESTIONS.values()]
    judged = [f"{query}\t{doc}\t1\n" for query, doc in zip(QUESTIONS, [*docs[1:], docs[0]], strict=True)]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(judged), "utf-8")
    path = folder / "queries.jsonl"
    queries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for place, query in enumerate(queries):
        query["metadata"] = {"weight": HEAVY if place == 0 else 1.0}
    path.write_text("".join(json.dumps(query) + "\n" for query in queries), "utf-8")
    return folder


def test_a_weight_is_respected_in_every_table_and_in_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipeline import compare

    monkeypatch.chdir(tmp_path)
    place = weighted_collection(tmp_path / "kitchen")
    assert run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16", "nulls=true")) == 0
    folder, shown = sweep_folder(), capsys.readouterr().out
    leaders = rows(folder / "leaderboard.csv")
    assert len(leaders) == 2
    for row in leaders:
        scores = rows(folder / row["job"] / "scores.csv")
        summary = {line["measure"]: line for line in rows(folder / row["job"] / "scores_summary.csv")}
        for measure in ("nDCG@10", "R@5"):
            values = np.array([float(line[measure]) for line in scores])
            weighed = (HEAVY * values[0] + values[1:].sum()) / (HEAVY + 11)
            assert float(row[measure]) == pytest.approx(weighed)
            assert float(row[f"{measure} unweighted"]) == pytest.approx(values.mean())
            assert float(summary[measure]["mean"]) == pytest.approx(weighed)
            assert float(summary[measure]["unweighted_mean"]) == pytest.approx(values.mean())
            by_parts = np.sort([*[values[0]] * 4, *values[1:]])
            assert float(summary[measure]["median"]) == by_parts[7]  # half of 15 parts lie below the eighth, or at it
        assert f"{float(row['nDCG@10']):.3f}" in shown and f"{float(row['nDCG@10 unweighted']):.3f}" in shown
        curve = json.loads((folder / row["job"] / "manifest.json").read_text())["curves"]["ndcg"]
        assert curve["10"] == pytest.approx(float(row["nDCG@10"]))
    assert any(abs(float(row["nDCG@10"]) - float(row["nDCG@10 unweighted"])) > 0.01 for row in leaders)
    assert "unweighted  read" in shown
    (bm25,) = [row for row in leaders if row["name"] == "bm25-16"]
    scale = {row["measure"]: row for row in rows(folder / "nulls.csv") if row["experiment"] == "bm25"}
    assert float(scale["nDCG@10"]["mean"]) == pytest.approx(float(bm25["nDCG@10"]))
    assert float(scale["nDCG@10"]["unweighted_mean"]) == pytest.approx(float(bm25["nDCG@10 unweighted"]))
    parts = {(row["experiment"], row["measure"]): row for row in rows(folder / "slices.csv") if row["column"] == "all"}
    assert float(parts["bm25-16", "nDCG@10"]["mean"]) == pytest.approx(float(bm25["nDCG@10"]))
    assert float(parts["bm25-16", "nDCG@10"]["low"]) == pytest.approx(float(bm25["nDCG@10 low"]))
    cost = "Weighted by traffic: 12 queries count as about 8."  # (4 + 11)^2 / (4^2 + 11) = 8.3
    assert cost in (folder / "verdict.txt").read_text()
    compared = [float(row["difference"]) for row in rows(folder / "comparisons.csv") if row["measure"] == "nDCG@10"]
    gap = float(leaders[0]["nDCG@10"]) - float(leaders[1]["nDCG@10"])
    assert np.abs(compared) == pytest.approx(abs(gap))
    for path in place.iterdir():  # the files alone still know the weights
        path.rename(tmp_path / path.name)
    assert compare.main([folder.name]) == 0
    assert cost in " ".join(capsys.readouterr().out.split())


def test_without_weights_nothing_is_weighed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*common(write_collection(tmp_path / "kitchen"), "retriever=bm25", "chunk_size=16")) == 0
    folder = sweep_folder(kind="runs")
    assert "traffic" not in capsys.readouterr().out
    assert not any("weighted" in column for column in rows(folder / "leaderboard.csv")[0])
    assert {row["unweighted_mean"] for row in rows(folder / "0" / "scores_summary.csv")} == {""}


def test_weights_that_are_all_equal_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A column `unweighted` of dashes once took the place of the second measure.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.test_traffic_whole.HEAVY", 1.0)
    place = weighted_collection(tmp_path / "kitchen")
    assert run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16")) == 0
    said = capsys.readouterr().out
    assert "unweighted" not in said and "R@2k tok" in said
    assert "nDCG@10 unweighted" not in rows(sweep_folder() / "leaderboard.csv")[0]


def test_show_looks_into_the_experiment_that_leads_by_traffic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # By plain means it showed another one than the leaderboard's first.
    from pipeline import show

    monkeypatch.chdir(tmp_path)
    place = weighted_collection(tmp_path / "kitchen")
    heavy, *light = list(QUESTIONS)[:4]
    docs = {query: next(iter(found)) for query, (_, found) in QUESTIONS.items()}
    (place / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{query}\t{docs[query]}\t1\n" for query in (heavy, *light)), "utf-8"
    )
    for name, found in (("heavy", [heavy]), ("light", light)):
        Path(f"{name}.trec").write_text("".join(f"{query} Q0 {docs[query]} 1 1.0 x\n" for query in found))
    assert run(*common(place, "-m", "retriever=run_file", "retriever.path=light.trec,heavy.trec")) == 0
    leads = rows(sweep_folder() / "leaderboard.csv")[0]["name"]
    capsys.readouterr()
    assert show.main([sweep_folder().name]) == 0
    assert capsys.readouterr().out.startswith(f"{leads} against ")
