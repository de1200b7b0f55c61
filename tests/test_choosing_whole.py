"""A holdout on the command line: split, counted, told in every place, and the same from the files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.whole import QUESTIONS, common, run, sweep_folder, write_collection

SWEEP = ("-m", "retriever=bm25,dense", "chunk_size=16", "split=holdout", "stats.minimum_differing=1")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The collection with judgements that bm25 misses: each question's answer is the next one's document."""
    monkeypatch.chdir(tmp_path)
    folder = write_collection(tmp_path / "kitchen")
    docs = [next(iter(found)) for _, found in QUESTIONS.values()]
    rows = [f"{query}\t{doc}\t1\n" for query, doc in zip(QUESTIONS, [*docs[1:], docs[0]], strict=True)]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows), "utf-8")
    return folder


def choosing(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "choosing.csv").open(encoding="utf-8", newline="") as stream:
        return {row["number"]: row for row in csv.DictReader(stream)}


def tuned(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "tuned.csv").open(encoding="utf-8", newline="") as stream:
        return {row["setting"]: row for row in csv.DictReader(stream)}


def means(folder: Path, queries: set[str]) -> dict[str, float]:
    """Job name -> mean nDCG@10 over `queries`, from the files of the jobs."""
    found = {}
    for job in json.loads((folder / "sweep.json").read_text())["jobs"]:
        with (folder / str(job["number"]) / "scores.csv").open(encoding="utf-8", newline="") as stream:
            values = [float(row["nDCG@10"]) for row in csv.DictReader(stream) if row["query_id"] in queries]
        found[job["name"]] = sum(values) / len(values)
    return found


def test_the_three_numbers_come_from_their_own_queries_and_a_second_look_reads_reused(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipeline.stats.dealing import holdout

    assert run(*common(place, *SWEEP)) == 0
    first, rows = sweep_folder(), choosing(sweep_folder())
    assert set(rows) == {"best observed", "confirmed", "expected gain"}
    ids = sorted(QUESTIONS)
    part = holdout(ids, seed=0)
    chosen_on = means(first, {q for q, use in zip(ids, part.select, strict=True) if use})
    assert rows["confirmed"]["experiment"] == max(chosen_on, key=lambda name: chosen_on[name])
    assert rows["confirmed"]["experiment"].startswith("dense"), "the judgements are such that dense leads"
    apart = means(first, {q for q, use in zip(ids, part.confirm, strict=True) if use})
    gain = apart[rows["confirmed"]["experiment"]] - apart[rows["confirmed"]["baseline"]]
    assert float(rows["confirmed"]["gain"]) == pytest.approx(gain)
    (row,) = tuned(first).values()
    assert (row["setting"], row["value"], row["tried"]) == ("retriever", "dense", "bm25, dense")
    assert (row["tuned_on"], row["measured_on"]) == ("select part, 6 queries", "confirm part, 6 queries")
    every = means(first, set(ids))
    observed = every[rows["best observed"]["experiment"]] - every[rows["best observed"]["baseline"]]
    assert float(rows["best observed"]["gain"]) == pytest.approx(observed)
    said = " ".join(capsys.readouterr().out.split())
    assert f"{gain:+.3f} nDCG@10" in said and "6 queries that did not choose it" in said and "eused" not in said
    assert said.partition("VERDICT ")[2].startswith(
        (first / "verdict.txt").read_text().replace("\n", " ").partition(" CAUTION")[0].strip()[:40]
    )
    run(*common(place, *SWEEP))
    assert "Reused: the confirm part has served once before" in " ".join(capsys.readouterr().out.split())
    # The count stands with the dataset: other results find it, and nothing that is read changes by it.
    run(*common(place, *SWEEP, "output_dir=other"))
    assert "Reused: the confirm part has served 2 times before" in " ".join(capsys.readouterr().out.split())
    (part,) = (asked := json.loads((place / ".rag-sweep-confirm-uses.json").read_text()))
    assert len(asked[part]) == 3 and json.loads((first / "sweep.json").read_text())["dataset"]["digest"] in part
    assert not list(Path().glob("*/confirm_uses.json"))


def test_a_finished_sweep_is_split_later_and_looking_again_at_it_is_no_further_use(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipeline import compare

    run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16"))
    name = sweep_folder().name.rpartition("-")[2]
    assert "confirmed" not in choosing(sweep_folder())
    assert tuned(sweep_folder())["retriever"]["tuned_on"] == "all 12 queries"
    for _ in range(2):
        capsys.readouterr()
        assert compare.main([name, "--split", "holdout", "--write", "elsewhere"]) == 0
        assert "did not choose it" in capsys.readouterr().out
        assert "reused" not in choosing(Path("elsewhere"))["confirmed"]["note"]
    assert compare.main([name, "--split", "holdout", "--baseline", "dense-wordllama_64-16"]) == 0
    assert "Reused" in capsys.readouterr().out
    assert compare.main([name, "--split", "kfold"]) == 0
    assert "of 5 folds it chose" in " ".join(capsys.readouterr().out.split())
    assert compare.main([name, "--split", "holdout", "--stratify", "topic"]) == 2
    assert "the queries have no such column" in capsys.readouterr().err
    assert compare.main([name, "--split", "halve"]) == 2


def test_dealing_the_queries_otherwise_is_another_use_of_the_confirm_part(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # One could deal by column after column until a gain was confirmed, and none was called reused.
    from pipeline import compare

    lines = [json.loads(line) for line in (place / "queries.jsonl").read_text("utf-8").splitlines()]
    for number, line in enumerate(lines):
        line["metadata"] = {"kind": "ab"[number % 2], "topic": "xyz"[number % 3]}
    (place / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert run(*common(place, *SWEEP)) == 0
    assert "eused" not in capsys.readouterr().out
    name = sweep_folder().name.rpartition("-")[2]
    for column, uses in (("kind", "once"), ("topic", "2 times"), ("kind", "once")):
        assert compare.main([name, "--split", "holdout", "--stratify", column]) == 0
        assert f"the confirm part has served {uses} before" in " ".join(capsys.readouterr().out.split())
    assert compare.main([name]) == 0
    assert "eused" not in capsys.readouterr().out


def test_a_column_to_stratify_by_that_is_not_there_ends_the_run_before_it_starts(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*common(place, "retriever=bm25", "chunk_size=16", "split=holdout", "stats.stratify=topic")) == 2
    assert "stats.stratify=topic: the queries have no such column" in capsys.readouterr().err
    assert not Path("outputs/runs").exists()


def test_seeds_of_one_experiment_are_one_row_and_no_more_queries(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16", "seed=0,1,2")) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "2 experiments ran with 3 seeds each" in said
    with (sweep_folder() / "leaderboard.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["name"] for row in rows if row["rank"]] != [] and len(rows) == 2
    assert {row["nDCG@10 n"] for row in rows} == {"12"}


def test_what_a_sweep_was_planned_with_holds_when_it_is_finished_from_its_files(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipeline import compare

    assert run(*common(place, *SWEEP, "stats.margin=0.5", "stats.select_share=0.75")) == 0
    folder = sweep_folder()
    rows, ended = choosing(folder), capsys.readouterr().out
    assert rows["confirmed"]["queries"] == "3"
    name = folder.name.rpartition("-")[2]
    assert compare.main([name, "--write", "elsewhere"]) == 0
    assert choosing(Path("elsewhere")) == rows
    told = capsys.readouterr().out.partition("VERDICT")[2].partition("CAUTION")[0]
    assert told and told in ended
    assert compare.main([name, "--split", "none", "--write", "elsewhere"]) == 0
    assert "confirmed" not in choosing(Path("elsewhere"))
