"""Tuning recency on the command line: weight and half-life are chosen on the select part, and measured on the other."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from pipeline.stats.dealing import holdout
from tests.whole import QUESTIONS, TEXTS, common, run, sweep_folder, write_collection

TUNING = ("as_of=2024-12-31", "half_life=365", "decay.weight=0,0.4", "decay.half_life=30,365", "split=holdout")
SELECT = holdout(sorted(QUESTIONS), seed=0).select


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every document twice, of 2020 and of 2024. Questions that choose want the new one, those that confirm the old."""
    monkeypatch.chdir(tmp_path)
    folder = write_collection(tmp_path / "kitchen")
    corpus = [
        {"_id": f"{name}-{tail}", "title": "", "text": text, "metadata": {"timestamp": day}}
        for name, text in TEXTS.items()
        for tail, day in (("a", "2024-12-01"), ("b", "2020-01-01"))  # equal scores: by id descending the old one leads
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus), "utf-8")
    wanted = {query: "a" if use else "b" for query, use in zip(sorted(QUESTIONS), SELECT, strict=True)}
    lines = [f"{q}\t{next(iter(found))}-{wanted[q]}\t1\n" for q, (_, found) in QUESTIONS.items()]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")
    return folder


def test_weight_and_half_life_are_chosen_on_the_select_part_and_measured_on_the_other_alone(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    swept = ("-m", "retriever=bm25", "decay=exponential", *TUNING, "stats.minimum_differing=1")
    assert run(*common(place, *swept)) == 0
    said = " ".join(capsys.readouterr().out.split())
    with (sweep_folder() / "choosing.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["number"]: row for row in csv.DictReader(stream)}
    confirmed = rows["confirmed"]
    # On the select part the newer of two equal texts moves from rank 2 to 1; on the other the wanted one falls.
    assert "-decay:0.4-" in confirmed["experiment"] and "-decay:0-" in confirmed["baseline"]
    assert float(confirmed["gain"]) < -0.2
    assert confirmed["verdict"] == "worse"
    assert confirmed["queries"] == str(int((~SELECT).sum()))
    assert f"chosen on {int(SELECT.sum())} other queries" in confirmed["note"]
    assert "queries that did not choose it" in said and "Ship" not in said


def test_with_the_parts_exchanged_the_plain_ranking_is_chosen_and_kept(place: Path) -> None:
    path = place / "qrels" / "test.tsv"
    turned = {"-a\t": "-b\t", "-b\t": "-a\t"}
    head, *lines = path.read_text("utf-8").splitlines()
    swapped = [next(line.replace(old, new) for old, new in turned.items() if old in line) for line in lines]
    path.write_text("\n".join([head, *swapped]) + "\n", "utf-8")
    assert run(*common(place, "-m", "retriever=bm25", "decay=exponential", *TUNING)) == 0
    with (sweep_folder() / "choosing.csv").open(encoding="utf-8", newline="") as stream:
        rows = {row["number"]: row for row in csv.DictReader(stream)}
    assert "-decay:0-" in rows["confirmed"]["experiment"]
    assert rows["confirmed"]["verdict"] == "baseline"


def test_every_question_has_its_own_day_and_what_is_later_leaves_its_ranking_or_is_counted(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    days = {q: "2024-12-31" if use else "2020-06-01" for q, use in zip(sorted(QUESTIONS), SELECT, strict=True)}
    path = place / "queries.jsonl"
    queries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps(q | {"metadata": {"as_of": days[q["_id"]]}}) + "\n" for q in queries), "utf-8")
    asked = ("retriever=bm25", "as_of=query", "half_life=365")
    assert run(*common(place, *asked, "decay=exponential", "decay.weight=0.4")) == 0
    with gzip.open(sweep_folder(kind="runs") / "0" / "run.trec.gz", "rt") as stream:
        ranked = [line.split() for line in stream]
    found = {query: [row[2] for row in ranked if row[0] == query] for query in days}
    for query, day in days.items():
        if day == "2020-06-01":
            assert found[query] and all(doc.endswith("-b") for doc in found[query])
        else:
            assert found[query][0].endswith("-a") and any(doc.endswith("-b") for doc in found[query])
    removed = json.loads((sweep_folder(kind="runs") / "0" / "manifest.json").read_text("utf-8"))["facts"]
    said = " ".join(capsys.readouterr().out.split())
    assert removed["later_hits"] == 0
    assert f"decay.later=exclude took {removed['later_removed']:.0f} hits out of the ranking of bm25-512" in said
    assert run(*common(place, *asked)) == 0
    with gzip.open(sweep_folder(kind="runs") / "0" / "run.trec.gz", "rt") as stream:
        later = sum(days[row[0]] == "2020-06-01" and row[2].endswith("-a") for row in map(str.split, stream))
    assert later > 0 and removed["later_removed"] == later
    assert f"{later} hits of bm25-512 are dated after the day of their question" in " ".join(
        capsys.readouterr().out.split()
    )
