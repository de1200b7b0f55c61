"""Real sweeps on the small collection: worst queries, slices, synthetic questions, and what nobody judged."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from tests.whole import QUESTIONS, TEXTS, common, run, sweep_folder, write_collection


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "kitchen")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_bounds_hold_the_difference_that_full_judgements_give_and_the_list_settles_it(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("-m", "retriever=bm25,dense", "chunk_size=64", "dataset.judgements=pooled")
    assert run(*common(place, *arguments)) == 0
    folder = sweep_folder()
    (found,) = [row for row in rows(folder / "comparisons.csv") if row["measure"] == "nDCG@10"][:1]
    low, high = float(found["bounds_low"]), float(found["bounds_high"])
    assert float(found["bounds_sampled_low"]) < low < 0 < high < float(found["bounds_sampled_high"])
    assert "sign not determined by the judgements" in found["note"]
    said = " ".join(capsys.readouterr().out.split())
    assert "CAUTION" in said and "sign not determined by the judgements: nDCG@10 of dense" in said
    sheet = rows(folder / "judge.csv")
    assert 0 < len(sheet) <= 300 and all(row["excerpt"] for row in sheet)
    judged = {(q, doc) for q, (_, grades) in QUESTIONS.items() for doc in grades}
    assert not {(row["query_id"], row["doc_id"]) for row in sheet} & judged
    # All others not relevant is one way it may turn out: then nothing is open, and the difference lies within.
    lines = [f"{q}\t{doc}\t{grades.get(doc, 0)}\n" for q, (_, grades) in QUESTIONS.items() for doc in _documents(place)]
    (place / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")
    assert run(*common(place, *arguments)) == 0
    (settled,) = [row for row in rows(sweep_folder() / "comparisons.csv") if row["measure"] == "nDCG@10"][:1]
    assert low <= float(settled["difference"]) <= high
    assert float(settled["bounds_low"]) == pytest.approx(float(settled["difference"]))
    assert not (sweep_folder() / "judge.csv").exists()


def _judge(place: Path, found: dict[str, dict[str, int]]) -> None:
    lines = [f"{q}\t{doc}\t{grade}\n" for q, grades in found.items() for doc, grade in grades.items()]
    (place / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")


def test_where_only_positives_are_listed_the_verdict_stays_and_what_would_turn_it_is_told(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _judge(place, {q: {doc: 1} for q, doc in zip(QUESTIONS, reversed(TEXTS), strict=True)})  # most are found late
    arguments = ("-m", "retriever=hybrid,dense", "chunk_size=64", "measures=[nDCG@5]", "primary=nDCG@5")
    assert run(*common(place, *arguments)) == 0
    folder = sweep_folder()
    assert json.loads((folder / "dataset.json").read_text("utf-8"))["judgements"] == "positives_only"
    (found,) = [row for row in rows(folder / "comparisons.csv") if row["measure"] == "nDCG@5"][:1]
    low, high, tipping = (float(found[name]) for name in ("bounds_low", "bounds_high", "tipping"))
    assert float(found["bounds_sampled_low"]) < low < float(found["difference"]) < high
    assert "sign not determined" not in found["note"] and found["verdict"] == "too few queries differ"
    leads, other = (found["treatment"], found["baseline"])[:: 1 if float(found["difference"]) > 0 else -1]
    assert -1 < tipping < 0 < float(found["difference"]) or 0 < tipping < 1
    points = f"{abs(tipping) * 100:.{0 if abs(tipping) >= 0.1 else 1}f}"
    said = " ".join(capsys.readouterr().out.split())
    told = f"only positives are listed: {leads} leads unless what only {other} found is relevant {points} points more"
    assert told in said and "sign not determined" not in said
    sheet = rows(folder / "judge.csv")
    assert f"judge.csv: {len(sheet)} to judge first" in said
    # The sheet comes back on top of what is judged: its documents are no longer open.
    filled = [",".join(sheet[0]), *(f"{row['query_id']},,{row['doc_id']},,,,0" for row in sheet)]
    (place / "judged.csv").write_text("\n".join(filled) + "\n", "utf-8")
    assert run(*common(place, *arguments, f"dataset.qrels={place / 'judged.csv'}")) == 0
    (settled,) = [row for row in rows(sweep_folder() / "comparisons.csv") if row["measure"] == "nDCG@5"][:1]
    assert float(settled["difference"]) == pytest.approx(float(found["difference"]))
    assert float(settled["bounds_high"]) - float(settled["bounds_low"]) < high - low


def test_compare_speaks_of_the_sheet_only_where_it_is_that_of_the_pair(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # With another baseline it called the sheet of the sweep's own pair the list of the other one.
    from pipeline import compare

    _judge(place, {q: {doc: 1} for q, doc in zip(QUESTIONS, reversed(TEXTS), strict=True)})
    arguments = ("-m", "retriever=hybrid,dense,bm25", "chunk_size=64", "measures=[nDCG@5]", "primary=nDCG@5")
    arguments = (*arguments, "dataset.judgements=pooled")
    assert run(*common(place, *arguments)) == 0
    assert "judge.csv lists" in capsys.readouterr().out
    assert compare.main([sweep_folder().name]) == 0
    assert "judge.csv lists" in capsys.readouterr().out
    assert compare.main([sweep_folder().name, "--baseline", "bm25-64"]) == 0
    said = capsys.readouterr().out
    assert "sign not determined by the judgements" in " ".join(said.split()) and "judge.csv" not in said


@pytest.mark.parametrize("measure", ["nDCG", "P(rel=9)@5"])
def test_measures_without_bounds_here_leave_the_sweep_as_it_is(place: Path, measure: str) -> None:
    chosen = (f"measures=['{measure}']", f"primary='{measure}'", "dataset.judgements=pooled", "chunk_size=64")
    assert run(*common(place, "-m", "retriever=bm25,dense", *chosen)) == 0


def _documents(place: Path) -> list[str]:
    return [json.loads(line)["_id"] for line in (place / "corpus.jsonl").read_text("utf-8").splitlines()]


def test_synthetic_questions_are_in_no_verdict_with_others(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in (place / "queries.jsonl").read_text("utf-8").splitlines()]
    for number, row in enumerate(lines):
        row["metadata"] = {"origin": "synthetic" if number % 3 == 0 else "human"}
    (place / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), "utf-8")
    assert run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=64")) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "4 questions are synthetic (origin) and stand apart: the verdict rests on the 8 others" in said
    folder = sweep_folder()
    assert {row["nDCG@10 n"] for row in rows(folder / "leaderboard.csv")} == {"8"}
    slices = [row for row in rows(folder / "slices.csv") if row["measure"] == "nDCG@10"]
    counts = {(row["column"], row["label"]): row["n"] for row in slices if row["experiment"] == "bm25-64"}
    assert (counts["origin", "human"], counts["origin", "synthetic"]) == ("8", "4")
    worst = rows(folder / "0" / "worst_queries.csv")
    assert {row["query_id"] for row in worst} == set(QUESTIONS)
    assert {row["lost"] for row in worst} <= {"", "ranked late", "not retrieved to depth 100"}


def test_without_a_day_recency_is_refused_before_any_job(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*common(place, "retriever=bm25", "half_life=30")) == 2
    assert "needs the day on which the questions are asked: as_of=1963-12-31" in capsys.readouterr().err
    assert run(*common(place, "retriever=bm25", "half_life=30", "as_of=query")) == 2
    assert "the queries have no column as_of" in capsys.readouterr().err


def test_newer_documents_move_up_and_the_plain_measure_stands_beside(place: Path) -> None:
    lines = [json.loads(line) for line in (place / "corpus.jsonl").read_text("utf-8").splitlines()]
    for row in lines:
        day = "2020-01-01" if row["_id"] == "tea" else "2024-01-01"
        row |= {"metadata": {"timestamp": day}, "text": "One and the same text about boiling water."}
    (place / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), "utf-8")
    decay = ("decay=exponential", "as_of=2024-12-31", "half_life=365", "decay.weight=0,0.5")
    assert run(*common(place, "-m", "retriever=bm25", *decay)) == 0
    folder = sweep_folder()
    assert {"nDCG@10", "nDCG_t(half_life=365)@10"} <= set(rows(folder / "leaderboard.csv")[0])
    places = []
    for job in ("0", "1"):
        with gzip.open(folder / job / "run.trec.gz", "rt") as stream:
            ranked = [line.split() for line in stream if line.startswith("q04 ")]
        places.append([row[2] for row in ranked].index("tea") + 1)
    # All scores are equal: by id descending tea stands third (violin, tyre, tea); as the only old one it is last.
    assert places == [3, 12]


def test_rows_for_scale_come_on_request_and_take_part_in_no_test(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*common(place, "-m", "retriever=bm25", "chunk_size=16,64", "nulls=true", "budgets=[64]")) == 0
    folder = sweep_folder()
    found = {(row["experiment"], row["measure"]): float(row["mean"]) for row in rows(folder / "nulls.csv")}
    assert found["oracle", "nDCG@10"] == 1.0
    assert found["random", "nDCG@10"] < found["bm25", "nDCG@10"]
    assert found["oracle", "R@64tok"] == 1.0  # no question has relevant texts of more than 64 tokens together
    assert "For scale: nDCG@10 random" in " ".join(capsys.readouterr().out.split())
    assert {row["name"] for row in rows(folder / "leaderboard.csv")} == {"bm25-16", "bm25-64"}


def test_rows_for_scale_are_what_they_say_the_oracle_the_bm25_experiment_and_chance(place: Path) -> None:
    texts = {
        row["_id"]: row["text"] for row in map(json.loads, (place / "corpus.jsonl").read_text("utf-8").splitlines())
    }
    found = [(q, doc) for q, (_, grades) in QUESTIONS.items() for doc in list(grades)[:1]]
    spans = [{"query_id": q, "doc_id": doc, "start": 0, "end": 24, "text": texts[doc][:24]} for q, doc in found]
    (place / "spans.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans), "utf-8")
    arguments = ("retriever=bm25,dense", "chunk_size=16", "nulls=true", "budgets=[16,64]")
    assert run(*common(place, "-m", *arguments)) == 0
    folder = sweep_folder()
    (bm25,) = [row for row in rows(folder / "leaderboard.csv") if row["name"] == "bm25-16"]
    scale = {(row["experiment"], row["measure"]): row for row in rows(folder / "nulls.csv")}
    measures = {measure for _, measure in scale}
    assert {"nDCG@10", "RR", "Rspan@16tok", "Full@64tok", "R@64tok"} <= measures
    for measure in measures:  # bm25 has its default settings here, so the row is that experiment
        assert scale["bm25", measure]["mean"] == bm25[measure], measure
        assert scale["bm25", measure]["n"] == bm25[f"{measure} n"], measure
    # 24 characters of evidence are at most 16 tokens: all of it fits, whatever is asked of it.
    for measure in ("nDCG@10", "AP", "Rspan@16tok", "Rspan@64tok", "Full@16tok", "Full@64tok"):
        assert float(scale["oracle", measure]["mean"]) == 1.0, measure
    for measure in ("nDCG@10", "RR", "Rspan@16tok", "Rspan@64tok"):
        chance, found_by_words = (float(scale[name, measure]["mean"]) for name in ("random", "bm25"))
        assert chance < found_by_words - 0.2, measure


def test_the_scale_of_err_is_that_of_the_dataset_and_stands_in_its_name(place: Path) -> None:
    chosen = ("measures=[nDCG@10,ERR@10]", "primary=ERR@10", "budgets=[64]")
    assert run(*common(place, "retriever=bm25", "chunk_size=64", *chosen)) == 0
    folder = sweep_folder(kind="runs")
    (row,) = rows(folder / "leaderboard.csv")
    values = {line["query_id"]: float(line["ERR(max=2)@10"]) for line in rows(folder / "0" / "scores.csv")}
    assert float(row["ERR(max=2)@10"]) == pytest.approx(sum(values.values()) / len(values))
    assert values["q05"] == 0.75  # its one relevant document, of grade 2, stands first: (2^2 - 1) / 2^2
