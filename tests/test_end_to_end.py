"""Real sweeps on a small collection: files, twins, cache, failures, interruption, judging, other systems' runs."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from pipeline.retrieval.dense import Dense
from pipeline.storage.job_files import read_job
from pipeline.storage.sweep_files import read_plan, read_sweep
from pipeline.storage.trec_files import read_qrels, read_run
from pipeline.sweep import process
from tests.whole import QUESTIONS, TEXTS, common, run, sweep_folder, write_collection

AXES = ("-m", "retriever=bm25,hybrid", "embedding.model=wordllama_64,wordllama_256", "chunk_size=16,32")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "kitchen")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def results(folder: Path) -> dict[str, bytes]:
    names = ("scores.csv", "run.trec.gz", "chunks.jsonl.gz")
    return {f"{job}/{name}": (folder / str(job) / name).read_bytes() for job in (0, 1, 4) for name in names}


def test_a_sweep_runs_each_distinct_experiment_once_and_writes_what_it_found(place: Path) -> None:
    assert run(*common(place), *AXES) == 0
    folder = sweep_folder()
    plan = read_plan(folder)
    # bm25 knows no embedding: of eight points the two with the second model are the same experiments again.
    assert [job.same_as for job in plan.jobs] == [None, None, 0, 1, None, None, None, None]
    assert json.loads((folder / "2" / "state.json").read_text())["state"] == "twin"
    board = rows(folder / "leaderboard.csv")
    assert {row["name"] for row in board} == {
        "bm25-16",
        "bm25-32",
        *(f"hybrid-{model}-{size}" for model in ("wordllama_64", "wordllama_256") for size in (16, 32)),
    }
    family = [row for row in rows(folder / "comparisons.csv") if row["measure"] == "nDCG@10"][:5]
    assert {row["baseline"] for row in family} == {"bm25-16"} and len({row["treatment"] for row in family}) == 5
    for name in ("dataset.json", "qrels.trec.gz", "verdict.txt", "forest.png", "forest.html"):
        assert (folder / name).stat().st_size > 0


def test_a_manifest_holds_the_whole_configuration_and_what_the_numbers_rest_on(place: Path) -> None:
    assert run(*common(place, "retriever=bm25", "bm25.k1=0.9", "chunk_size=16")) == 0
    manifest = json.loads((sweep_folder(kind="runs") / "0" / "manifest.json").read_text())
    assert (manifest["config"]["bm25"]["k1"], manifest["config"]["chunk_size"]) == (0.9, 16)
    assert manifest["config"]["dataset"]["path"] == str(place)
    assert {"numpy", "bm25s"} <= set(manifest["software"]) and manifest["seed"] == 0


def test_the_scores_are_those_of_trec_eval_on_the_files_the_job_wrote(place: Path) -> None:
    assert run(*common(place, "-m", "retriever=bm25,dense,hybrid", "chunk_size=16")) == 0
    folder = sweep_folder()
    qrels: dict[str, dict[str, int]] = {}
    for judgement in read_qrels(folder / "qrels.trec.gz"):
        qrels.setdefault(judgement[0], {})[judgement[1]] = judgement[2]
    for job in range(3):
        ranked = read_run(folder / str(job) / "run.trec.gz")
        # Ranks as scores: the oracle compares scores in single precision, we in double.
        as_ranks = {q: {doc: float(-rank) for rank, (doc, _) in enumerate(hits)} for q, hits in ranked.items()}
        oracle = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.5", "map", "recip_rank"})
        expected = oracle.evaluate(as_ranks)
        found = {row["query_id"]: row for row in rows(folder / str(job) / "scores.csv")}
        assert set(found) == set(QUESTIONS)
        for query, values in expected.items():
            for ours, theirs in (("nDCG@10", "ndcg_cut_10"), ("R@5", "recall_5"), ("AP", "map"), ("RR", "recip_rank")):
                assert float(found[query][ours]) == pytest.approx(values[theirs], abs=1e-12)


def test_a_second_sweep_computes_nothing_and_finds_the_same_bytes(place: Path) -> None:
    run(*common(place), *AXES)
    first = results(sweep_folder())
    assert run(*common(place), *AXES) == 0
    assert results(sweep_folder()) == first
    assert not process.stages("outputs/cache").computed


def test_a_changed_corpus_embeds_only_what_changed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.embedding.encoding import Encoder

    seen: list[str] = []
    original = Encoder.vectors

    def counting(self, texts, lengths, finished):  # type: ignore[no-untyped-def]
        seen.extend(texts)
        return original(self, texts, lengths, finished)

    monkeypatch.setattr(Encoder, "vectors", counting)
    run(*common(place, "retriever=dense", "chunk_size=64"))
    seen.clear()
    with (place / "corpus.jsonl").open("a") as stream:
        stream.write(json.dumps({"_id": "kite", "text": "A kite needs a long tail in gusty wind."}) + "\n")
    assert run(*common(place, "retriever=dense", "chunk_size=64")) == 0
    assert seen == ["A kite needs a long tail in gusty wind."]


def test_a_failing_job_is_named_is_not_ranked_and_leaves_the_others(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A missing index once made one retriever return nothing; it was scored 0 and called significantly worse.
    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Dense, "search", broken)
    assert run(*common(place, "-m", "retriever=bm25,dense", "chunk_size=16,32")) == 1
    said = capsys.readouterr()
    assert said.err.count("FAILED: out of memory") == 2
    assert "FAILED  out of memory" in said.out and "2 of 4 jobs failed" in said.out
    folder = sweep_folder()
    board = {row["name"]: row for row in rows(folder / "leaderboard.csv")}
    assert board["dense-wordllama_64-16"]["rank"] == "" and board["dense-wordllama_64-16"]["nDCG@10"] == ""
    compared = {name for row in rows(folder / "comparisons.csv") for name in (row["treatment"], row["baseline"])}
    assert compared == {"bm25-16", "bm25-32"}
    assert (folder / "2" / "traceback.txt").read_text().startswith("Traceback")


def test_a_failed_baseline_is_said_and_the_comparison_goes_on_without_it(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("index is gone")

    monkeypatch.setattr(Dense, "search", broken)
    assert run(*common(place, "-m", "retriever=dense,bm25", "chunk_size=16,32", "baseline=dense-wordllama_64-16")) == 1
    assert "the baseline dense-wordllama_64-16 has no result; bm25-16 stands in" in " ".join(
        capsys.readouterr().out.split()
    )


def test_an_interrupted_sweep_goes_on_where_it_stopped(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = common(place, "-m", "retriever=bm25,dense", "chunk_size=16,32")
    with monkeypatch.context() as patch:

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr(Dense, "search", interrupted)
        assert run(*arguments) == 130
    folder = sweep_folder()
    short = folder.name.rpartition("-")[2]
    assert f"python -m pipeline.run resume={short}" in capsys.readouterr().err
    assert [job.state for job in read_sweep(folder).jobs] == ["done", "done", "killed", "planned"]
    untouched = (folder / "0" / "manifest.json").stat().st_mtime_ns
    assert run(f"resume={short}") == 0
    assert [job.state for job in read_sweep(folder).jobs] == ["done"] * 4
    assert (folder / "0" / "manifest.json").stat().st_mtime_ns == untouched
    assert len(list(Path("outputs/sweeps").iterdir())) == 1
    assert run(*arguments, "output_dir=elsewhere") == 0
    undisturbed = sweep_folder(Path("elsewhere"))
    for job in range(4):
        assert (folder / str(job) / "scores.csv").read_bytes() == (undisturbed / str(job) / "scores.csv").read_bytes()


def test_resuming_after_the_data_changed_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(*common(place, "-m", "retriever=bm25", "chunk_size=16,32"))
    short = sweep_folder().name.rpartition("-")[2]
    with (place / "corpus.jsonl").open("a") as stream:
        stream.write(json.dumps({"_id": "new", "text": "new"}) + "\n")
    capsys.readouterr()
    assert run(f"resume={short}") == 2
    assert "its data, settings or software changed since" in capsys.readouterr().err


def test_resuming_with_another_measure_or_baseline_is_refused_not_dropped(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # `resume=ID primary=AP` once ended with the verdict of the old measure, without a word.
    run(*common(place, "-m", "retriever=bm25", "chunk_size=16,32"))
    short = sweep_folder().name.rpartition("-")[2]
    for change, planned in (
        ("primary=AP", "nDCG@10"),
        ("baseline=bm25-32", "bm25-16"),
        ("stats.correction=holm", "max_t"),
        ("split=kfold", "none"),
    ):
        capsys.readouterr()
        assert run(f"resume={short}", change) == 2
        assert f"{change} differs from the plan ({planned}); resume without it" in capsys.readouterr().err


def test_commands_printed_below_another_output_folder_name_the_folder(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # `show a1f3` was printed, and then did not find a1f3 under outputs.
    assert run(*common(place, "-m", "retriever=bm25", "chunk_size=16,32", "output_dir=elsewhere")) == 0
    folder = sweep_folder(Path("elsewhere"))
    assert f"python -m pipeline.show {folder} --losses" in " ".join(capsys.readouterr().out.split())
    assert run(f"resume={folder}") == 0


def test_without_judgements_a_sweep_shows_overlap_and_writes_a_sheet_that_settles_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    place = write_collection(tmp_path / "kitchen", judged=False)
    arguments = common(place, "-m", "retriever=bm25,dense", "chunk_size=64")
    assert run(*arguments) == 0
    said, sheet = capsys.readouterr().out, sweep_folder() / "judge.csv"
    assert "overlap" in said
    assert f"dataset.qrels=outputs/sweeps/{sheet.parent.name}/judge.csv" in said, "whole on one line, to be copied"
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        table = list(csv.DictReader(stream))
    assert {"query_id", "question", "doc_id", "excerpt", "found_by", "grade"} <= set(table[0])
    for row in table:
        row["grade"] = str(QUESTIONS[row["query_id"]][1].get(row["doc_id"], 0))
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    assert run(*arguments, f"dataset.qrels={sheet}") == 0
    assert "VERDICT" in capsys.readouterr().out
    assert rows(sweep_folder() / "leaderboard.csv")[0]["nDCG@10"] != ""


def test_a_run_of_another_system_is_scored_like_ours_and_can_be_the_baseline(place: Path) -> None:
    lines = [
        f"{q} Q0 {doc} {rank} {10 - rank} prod\n" for q in QUESTIONS for rank, doc in enumerate(["tea", "soup"], 1)
    ]
    Path("prod.trec").write_text("".join(lines))
    assert run(*common(place, "retriever=run_file", "retriever.path=prod.trec")) == 0
    single = sweep_folder(kind="runs")
    job = read_job(single / "0", 0, read_plan(single).jobs[0].__dict__)
    assert job.scores is not None
    row = job.scores.values[job.scores.measures.index("RR")]
    # tea stands first and soup second for every question: RR is 1 for q04, 1/2 for q03, 0 for the others.
    by_query = dict(zip(job.scores.query_ids, row, strict=True))
    assert (by_query["q04"], by_query["q03"], np.nansum(row)) == (1.0, 0.5, 1.5)


def test_chunk_files_hold_places_whose_text_is_in_the_documents(place: Path) -> None:
    run(*common(place, "retriever=hybrid", "chunk_size=16"))
    texts = {row["_id"]: row["text"] for row in map(json.loads, (place / "corpus.jsonl").open())}
    with gzip.open(sweep_folder(kind="runs") / "0" / "chunks.jsonl.gz", "rt") as stream:
        hits = [hit for row in map(json.loads, stream) for hit in row["chunks"]]
    assert hits and all(0 <= start < end <= len(texts[doc]) for doc, start, end, _ in hits)


def test_contexts_share_the_ranking_and_differ_in_what_the_prompt_holds(place: Path) -> None:
    (place / "spans.jsonl").write_text(
        "".join(
            json.dumps({"query_id": q, "doc_id": doc, "start": 0, "end": len(TEXTS[doc])}) + "\n"
            for q, (_, found) in QUESTIONS.items()
            for doc, grade in found.items()
            if grade == 2
        )
    )
    contexts = ("context=chunk,window,parent", "budgets=[64]")
    assert run(*common(place, "-m", "retriever=bm25", "chunk_size=8", *contexts)) == 0
    board = {row["name"]: row for row in rows(sweep_folder() / "leaderboard.csv")}
    assert set(board) == {"bm25-8-chunk", "bm25-8-window:1", "bm25-8-section:1024"}
    assert len({row["nDCG@10"] for row in board.values()}) == 1
    # The evidence is the whole document, three chunks: a hit alone holds a third of it, with both neighbours more.
    spans = [float(board[name]["Rspan@64tok"]) for name in board]
    assert len(set(spans)) > 1
    assert process.stages("outputs/cache").computed
    stages = [json.loads((sweep_folder() / str(job) / "manifest.json").read_text())["stages"] for job in range(3)]
    assert len({stage["retrieved"] for stage in stages}) == 1 and len({stage["scores"] for stage in stages}) == 3


def test_a_run_of_another_system_has_no_context_to_assemble(place: Path) -> None:
    Path("prod.trec").write_text("".join(f"{q} Q0 tea 1 9 prod\n" for q in QUESTIONS))
    arguments = ("retriever=run_file", "retriever.path=prod.trec", "context=chunk,window")
    assert run(*common(place, "-m", *arguments)) == 0
    assert [job.same_as for job in read_plan(sweep_folder()).jobs] == [None, 0]


def test_a_title_before_each_chunk_is_searched_but_is_no_part_of_its_place(place: Path) -> None:
    lines = [json.loads(line) for line in (place / "corpus.jsonl").read_text().splitlines()]
    titled = [row | {"title": f"Zeppelin {row['_id']}"} for row in lines]
    (place / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in titled))
    (place / "queries.jsonl").write_text(json.dumps({"_id": "q01", "text": "zeppelin bread"}) + "\n")
    (place / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq01\tbread\t1\n")
    arguments = ("retriever=bm25", "chunk_size=16", "dataset.title=none", "chunker.prefix=none,title")
    assert run(*common(place, "-m", *arguments)) == 0
    found = {row["name"]: row for row in rows(sweep_folder() / "leaderboard.csv")}
    # Without the title nothing says zeppelin: only the text about bread is a hit. With it every chunk of all twelve is.
    assert {name: float(row["P@5"]) for name, row in found.items()} == {
        "bm25-16": 0.2,
        "bm25-16-prefix:title": 0.2,
    }
    with gzip.open(sweep_folder() / "1" / "chunks.jsonl.gz", "rt") as stream:
        hits = [hit for row in map(json.loads, stream) for hit in row["chunks"]]
    assert {doc for doc, *_ in hits} == set(TEXTS) and {start for _, start, *_ in hits} >= {0}
    assert all(end <= len(TEXTS[doc]) for doc, _, end, _ in hits)


def test_results_below_the_home_folder_are_not_put_into_a_folder_named_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The cache went home, but results and the tracking store to ./~/results.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    place = write_collection(tmp_path / "kitchen")
    assert run(*common(place, "retriever=bm25", "chunk_size=16", 'output_dir="~/results"')) == 0
    (folder,) = (tmp_path / "home" / "results" / "runs").iterdir()
    assert not Path("~").exists()
    assert run(f"resume={folder.name.rpartition('-')[2]}", 'output_dir="~/results"') == 0
