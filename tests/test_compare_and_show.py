"""Finished folders side by side, and the queries an experiment loses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline import compare, show
from pipeline.knobs import configuration
from tests.whole import common, run, sweep_folder, write_collection


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "kitchen")


def short(folder: Path) -> str:
    return folder.name.rpartition("-")[2]


def test_a_sweep_compared_with_another_baseline_is_recomputed_from_its_files(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(*common(place, "-m", "retriever=bm25,dense,hybrid", "chunk_size=16"))
    name = short(sweep_folder())
    capsys.readouterr()
    assert compare.main([name, "--baseline", "hybrid-wordllama_64-16", "--write", "elsewhere"]) == 0
    assert "vs baseline" in capsys.readouterr().out
    header, first, second, *_ = Path("elsewhere/comparisons.csv").read_text().splitlines()
    column = header.split(",").index("baseline")
    assert {first.split(",")[column], second.split(",")[column]} == {"hybrid-wordllama_64-16"}


def test_what_the_end_of_a_sweep_says_and_what_compare_says_is_the_same(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Compared later without the query clusters, a sweep once got a verdict that its end had refused.
    rows = [json.loads(line) for line in (place / "queries.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        row["metadata"] = {"cluster": f"c{number // 3}"}
    (place / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(*common(place, "-m", "retriever=bm25,dense,hybrid", "chunk_size=16"))
    ended = capsys.readouterr().out
    assert compare.main([short(sweep_folder())]) == 0
    compared = capsys.readouterr().out
    table = compared[compared.index("   #") : compared.index("files")]
    assert table in ended


def test_single_runs_and_sweeps_are_compared_and_shared_experiments_count_once(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16"))
    run(*common(place, "retriever=bm25", "chunk_size=16"))
    run(*common(place, "retriever=bm25", "chunk_size=32"))
    runs = sorted(Path("outputs/runs").iterdir())
    capsys.readouterr()
    assert compare.main([short(sweep_folder()), *map(str, runs)]) == 0
    said = capsys.readouterr().out
    assert "3 jobs, 3 distinct" in said


def test_budgets_counted_in_different_tokenizers_are_not_compared(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, tokenizer in enumerate(("minilm", "words")):
        run(*common(place, "retriever=bm25", f"chunk_size={16 * (number + 1)}", f"budget_tokenizer={tokenizer}"))
    capsys.readouterr()
    assert compare.main(list(map(str, Path("outputs/runs").iterdir()))) == 2
    assert "budget_tokenizer differs (minilm, words)" in capsys.readouterr().err


def test_results_on_different_data_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*common(place, "retriever=bm25", "chunk_size=16"))
    with (place / "corpus.jsonl").open("a") as stream:
        stream.write(json.dumps({"_id": "new", "text": "new"}) + "\n")
    run(*common(place, "retriever=bm25", "chunk_size=16"))
    capsys.readouterr()
    assert compare.main(list(map(str, Path("outputs/runs").iterdir()))) == 2
    said = capsys.readouterr().err
    assert "results on different data cannot be compared" in said and said.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["ffff"], "no sweep or run 'ffff'"),
        (["ID", "--baseline", "nobody"], "no finished experiment of that name"),
        (["ID", "--primary", "nDCG@7"], "not measured"),
        (["ID", "--primary", "foo"], "'foo' is not known"),
    ],
)
def test_compare_answers_a_mistake_in_one_line(
    place: Path, arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(*common(place, "retriever=bm25", "chunk_size=16"))
    name = short(sweep_folder(kind="runs"))
    capsys.readouterr()
    assert compare.main([name if item == "ID" else item for item in arguments]) == 2
    said = capsys.readouterr().err
    assert expected in said and said.count("\n") == 1


def test_show_prints_the_lost_queries_with_their_texts(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{q} Q0 {doc} 1 1.0 prod\n" for q, doc in (("q01", "tea"), ("q04", "tea"))]
    Path("prod.trec").write_text("".join(lines))
    run(*common(place, "-m", "retriever=bm25,run_file", "+retriever.path=prod.trec", "chunk_size=16"))
    run(*common(place, "retriever=run_file", "retriever.path=prod.trec"))
    capsys.readouterr()
    assert show.main([short(sweep_folder(kind="runs")), "--top", "20"]) == 0
    said = capsys.readouterr().out
    # q01: tea stands where bread (grade 2) and pizza (grade 1) should.
    block = said[said.index("q01") :].partition("\n\n")[0]
    assert "how long should dough rest before baking bread" in block
    assert "unjudged  tea" in block
    assert "not found" in block and "grade 2  bread" in block and "grade 1  pizza" in block


def test_show_refuses_a_dataset_that_changed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*common(place, "retriever=bm25", "chunk_size=16"))
    with (place / "corpus.jsonl").open("a") as stream:
        stream.write(json.dumps({"_id": "new", "text": "new"}) + "\n")
    from pipeline.sweep import process

    process.forget()
    capsys.readouterr()
    assert show.main([short(sweep_folder(kind="runs"))]) == 2
    assert "changed since" in capsys.readouterr().err


def test_means_over_different_queries_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Two policies side by side were once called "identical", with unlike means in the table above.
    run(*common(place, "retriever=bm25", "chunk_size=16", "policy=trec"))
    run(*common(place, "retriever=bm25", "chunk_size=16", "policy=trec_c"))
    capsys.readouterr()
    assert compare.main(list(map(str, Path("outputs/runs").iterdir()))) == 2
    assert capsys.readouterr().err == "policy differs (trec, trec_c): such results cannot be compared\n"


def test_a_place_that_takes_no_files_is_told_in_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*common(place, "retriever=bm25", "chunk_size=16"))
    Path("taken").write_text("")
    capsys.readouterr()
    assert compare.main([short(sweep_folder(kind="runs")), "--write", "taken"]) == 3
    assert capsys.readouterr().err.startswith("taken: cannot be written (File exists)")


@pytest.mark.parametrize("given", [["--config-dir", "mine"], ["--config-dir=mine"]])
def test_a_run_with_an_own_configuration_folder_is_shown_and_compared_while_it_is_there_and_after(
    place: Path, given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # Written as one word, the folder was not found again, and both commands ended in a traceback.
    Path("mine/bm25").mkdir(parents=True)
    Path("mine/bm25/flat.yaml").write_text(Path(configuration(), "bm25/default.yaml").read_text())
    run(*given, *common(place, "retriever=bm25", "bm25=flat", "chunk_size=16"))
    name = short(sweep_folder(kind="runs"))
    assert show.main([name]) == 0 and compare.main([name]) == 0
    assert compare.GONE[:20] not in capsys.readouterr().out
    Path("mine/bm25/flat.yaml").unlink()
    assert show.main([name]) == 2 and compare.main([name]) == 0
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and "bm25=flat: no such option" in said.err
    assert compare.GONE[:20] in said.out


def test_an_experiment_of_several_seeds_goes_by_the_name_that_the_leaderboard_gives_it(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The command printed as "next" once ended in "no finished experiment of that name".
    run(*common(place, "-m", "retriever=bm25", "chunk_size=16,32", "seed=0,1"))
    name = short(sweep_folder())
    assert f"pipeline.show {name} --losses bm25-" in capsys.readouterr().out
    assert show.main([name, "--losses", "bm25-16", "--against", "bm25-32"]) == 0
    assert show.main([name, "--losses", "bm25-16-seed:1"]) == 0
    assert compare.main([name, "--baseline", "bm25-32"]) == 0
    assert "vs baseline  bm25 32" in capsys.readouterr().out


def test_what_is_sent_later_says_all_that_the_end_of_the_sweep_said(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # --sync once wrote verdict and tables anew without slices and bounds of the unjudged, and sent those.
    run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16", "dataset.judgements=pooled"))
    folder = sweep_folder()
    before = {name: (folder / name).read_text() for name in ("verdict.txt", "comparisons.csv")}
    assert "sign not determined" in before["verdict.txt"]
    assert compare.main([short(folder), "--sync"]) == 0
    assert {name: (folder / name).read_text() for name in before} == before
