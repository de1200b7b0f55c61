"""Public faults of tools for this job, each by its own input. What users saw stands in the comment of each test.

Entries that a test of its own part pins already are listed in docs/reliability.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from pipeline import compare
from pipeline import run as command_line
from pipeline.chunking import TokenWindow
from pipeline.citations import parse as citations_of
from pipeline.datasets.beir import Beir
from pipeline.errors import DataError, TrackingFault
from pipeline.metrics import Case, evaluate, parse, summary
from pipeline.ranking import fold
from pipeline.records import Dataset, Run, ScoreTable
from pipeline.retrieval.bm25 import Bm25
from pipeline.retrieval.run_file import RunFile
from pipeline.storage.sweep_files import read_sweep
from pipeline.tokenizing import tokenizer
from tests.citations.written import written
from tests.faults.seams import results
from tests.whole import common, run, sweep_folder

MEASURES = ("nDCG@2", "nDCG@10", "R@2", "R@10", "AP", "RR")


def write(folder: Path, corpus: dict[str, str], queries: dict[str, str], qrels: str) -> Path:
    """A BEIR folder; `qrels` in trec_eval's form, `;` for line ends."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        lines = [json.dumps({"_id": key, "text": text}) + "\n" for key, text in rows.items()]
        (folder / f"{name}.jsonl").write_text("".join(lines))
    (folder / "qrels" / "test.trec").write_text(qrels.replace(";", "\n") + "\n")
    return folder


def load(folder: Path, corpus: str, queries: str, qrels: str) -> Dataset:
    texts = {name: f"text of {name}" for name in corpus.split()}
    return Beir(str(write(folder, texts, {name: name for name in queries.split()}, qrels))).load()


def ranked(dataset: Dataset, folder: Path, lines: Sequence[str]) -> Run:
    path = folder / "run.trec"
    path.write_text("".join(f"{line}\n" for line in lines))
    return RunFile(str(path)).documents(dataset, 100)


def scores(dataset: Dataset, found: Run) -> ScoreTable:
    return evaluate([parse(name) for name in MEASURES], Case(dataset.queries.ids, found, dataset.qrels))


def value(table: ScoreTable, measure: str, row: int = 0) -> float:
    return float(table.values[table.measures.index(measure), row])


def test_01_one_ranking_decides_ties_for_all_measures(tmp_path: Path) -> None:
    # Seen: a scorer that gives every document the same score got RR 1.0 and nDCG 0.
    dataset = load(tmp_path, "d1 d2 d3", "q1", "q1 0 d1 1")
    for order in permutations(("d1", "d2", "d3")):
        table = scores(dataset, ranked(dataset, tmp_path, [f"q1 Q0 {doc} 1 1.0 t" for doc in order]))
        # d1 stands third: 1 / log2(4) = 0.5.
        assert [value(table, name) for name in ("RR", "nDCG@10", "AP")] == pytest.approx([1 / 3, 0.5, 1 / 3])


def test_02_a_query_without_results_counts_as_zero(tmp_path: Path) -> None:
    # Seen: averaged over the answered queries only, or an assertion.
    dataset = load(tmp_path, "a b", "q1 q2 q9", "q1 0 a 1;q2 0 b 1")
    table = scores(dataset, ranked(dataset, tmp_path, ["q1 Q0 a 1 1.0 t", "q9 Q0 a 1 1.0 t"]))
    assert (summary(table, "nDCG@10").mean, summary(table, "nDCG@10").n) == (0.5, 2)
    assert table.undefined["nDCG@10"] == {"no judgement": 1}
    empty = scores(dataset, ranked(dataset, tmp_path, []))
    assert all(summary(empty, name).mean == 0.0 for name in MEASURES)


def test_03_the_ideal_ranking_holds_what_was_missed(tmp_path: Path) -> None:
    # Seen: 1.0, as the ideal was built from what came back.
    dataset = load(tmp_path, "a b c", "q1", "q1 0 a 3;q1 0 b 2;q1 0 c 1")
    table = scores(dataset, ranked(dataset, tmp_path, ["q1 Q0 c 1 1.0 t"]))
    assert value(table, "nDCG@10") == pytest.approx(0.21000199575396408, abs=1e-15)


def test_04_two_chunks_of_a_document_are_one_hit(tmp_path: Path) -> None:
    # Seen: each chunk counted, recall and nDCG above 1.
    dataset = load(tmp_path, "a b", "q1", "q1 0 a 1;q1 0 b 1")
    chunks = Run("chunk", np.array([[0, 1]], np.int32), np.array([[2.0, 1.0]]))
    table = scores(dataset, fold(chunks, np.array([0, 0], np.int32)))
    assert (value(table, "R@2"), value(table, "nDCG@2")) == (0.5, pytest.approx(0.6131471927654584, abs=1e-15))
    with pytest.raises(DataError, match=r"run\.trec:2: document 'a' stands twice"):
        ranked(dataset, tmp_path, ["q1 Q0 a 1 2.0 t", "q1 Q0 a 2 1.0 t"])


def test_05_a_document_with_the_id_of_the_query_is_a_document(tmp_path: Path) -> None:
    # Seen: recall 0.9 for a perfect run with numeric ids, as document 0 was taken out of the hits of query 0.
    dataset = load(tmp_path, "0 1 2 3 4 5 6 7 8 9", "0", ";".join(f"0 0 {doc} 1" for doc in range(10)))
    table = scores(dataset, ranked(dataset, tmp_path, [f"0 Q0 {doc} 1 {doc}.0 t" for doc in range(10)]))
    assert value(table, "R@10") == 1.0


def test_08_a_judged_document_that_the_corpus_lacks_stays_in_the_denominator(tmp_path: Path) -> None:
    # Seen: nine tenths of the judged documents could not be found at all; scores looked like weak models.
    corpus = {"a": "one", "b": "two"}
    folder = write(tmp_path, corpus, {"q1": "one"}, "q1\t0\ta\t1;q1\t0\tzz\t1;q1\t0\tA\t1")
    dataset = Beir(str(folder)).load()
    assert value(scores(dataset, ranked(dataset, tmp_path, ["q1 Q0 a 1 1.0 t"])), "R@10") == pytest.approx(1 / 3)
    notes = " ".join(dataset.notes)
    assert "zz" in notes and "'A'" in notes and "'a'" in notes
    with pytest.raises(DataError):
        Beir(str(folder), strict=True).load()


@pytest.mark.slow
def test_12_jobs_at_once_find_one_store_that_was_made_before_them(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Seen: 8 of 8 jobs failed as all of them set the new store up, and the file stayed broken.
    from mlflow import MlflowClient

    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    given = [item for item in common(place, "-m", "retriever=bm25", "chunk_size=8,16,32,64") if item[:8] != "tracking"]
    assert run(*given, "launcher=joblib", "n_jobs=2") == 0
    client = MlflowClient(f"sqlite:///{Path('outputs/mlflow.db').absolute()}")
    experiment = client.get_experiment_by_name("rag-sweep/kitchen")
    found = client.search_runs([experiment.experiment_id], "tags.role = 'job'")
    assert [item.info.status for item in found] == ["FINISHED"] * 4


class Frozen(datetime):
    @classmethod
    def now(cls, tz: object = None) -> Frozen:  # type: ignore[override]
        return cls(2026, 1, 2, 3, 4, 5)


def test_14_two_launches_in_one_second_have_two_folders(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Seen: folders named by the second; logs and results overwrote each other.
    monkeypatch.setattr(command_line, "datetime", Frozen)
    for _ in range(2):
        assert run(*common(place, "retriever=bm25")) == 0
    assert len(list(Path("outputs/runs").glob("2026-01-02-030405-*"))) == 2


def test_14_a_folder_that_is_there_is_never_written_into(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "datetime", Frozen)
    monkeypatch.setattr(command_line.secrets, "token_hex", lambda _: "abcd")
    assert run(*common(place, "retriever=bm25")) == 0
    before = {path: path.stat().st_mtime_ns for path in Path("outputs/runs").rglob("*")}
    assert run(*common(place, "retriever=bm25", "chunk_size=16")) == 3
    assert "2026-01-02-030405-abcd exists already" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in Path("outputs/runs").rglob("*")} == before


def test_15_only_what_failed_is_run_again(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Seen: one of two errors shown, after the last job, in no log; no way to go on.
    original = Bm25.search

    def broken(self: Bm25, *arguments: object) -> Run:
        if self.k1 in (0.5, 2.0):
            raise RuntimeError(f"k1 {self.k1}")
        return original(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Bm25, "search", broken)
        assert run(*common(place, "-m", "retriever=bm25", "bm25.k1=0.5,1.0,2.0", "chunk_size=16")) == 1
    said, folder = capsys.readouterr(), sweep_folder()
    for number, k1 in ((0, 0.5), (2, 2.0)):
        assert f"job {number} bm25-16-k1:{k1} FAILED: RuntimeError: k1 {k1}  ({folder.absolute()}/{number})" in said.err
        assert f"FAILED  RuntimeError: k1 {k1}" in said.out
        assert f"bm25.k1={k1}" in read_sweep(folder).jobs[number].overrides
    done = (folder / "1" / "manifest.json").stat().st_mtime_ns
    assert run(f"resume={folder.name.rpartition('-')[2]}") == 0
    assert (folder / "1" / "manifest.json").stat().st_mtime_ns == done
    assert [job.state for job in read_sweep(folder).jobs] == ["done"] * 3


def test_16_no_value_becomes_a_part_of_a_path(place: Path) -> None:
    # Seen: `org/model` made folder levels, lists gave names no shell likes, long ones failed.
    name = "org/" + 400 * "m"
    arguments = (f"dataset.name={name}", "'measures=[nDCG@10,R@5]'".strip("'"))
    assert run(*common(place, "-m", "retriever=bm25", "chunk_size=16,32", *arguments)) == 0
    folder = sweep_folder()
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"0", "1"}
    assert len(folder.name) < 30 and read_sweep(folder).dataset["name"] == name
    assert f"dataset.name={name}" in read_sweep(folder).jobs[0].overrides


@pytest.mark.parametrize("size, overlap", [(100, 100), (100, 150), (100, -1), (0, 0)])
def test_19_an_overlap_that_never_moves_on_is_refused_before_the_corpus_is_read(
    place: Path, size: int, overlap: int, capsys: pytest.CaptureFixture[str]
) -> None:
    # Seen: an endless loop that filled the memory.
    (place / "corpus.jsonl").unlink()
    assert run(*common(place, "retriever=bm25", f"chunk_size={size}", f"chunk_overlap={overlap}")) == 2
    said = capsys.readouterr().err
    assert str(size if size < 1 else overlap) in said and "corpus" not in said and said.count("\n") == 1


@pytest.mark.parametrize("text", ["ab ab ab ab " * 50, "ä😀한" * 200], ids=["repeats", "wide"])
def test_20_chunks_are_places_in_the_document(text: str) -> None:
    # Seen: repeated text got the wrong place or -1; within an emoji chunks were empty and later places shifted.
    chunker = TokenWindow(size=7, overlap=3, tokenizer=tokenizer("minilm"))
    found = chunker.cut([text], chunker.tokenizer.offsets([text]))
    starts, ends = found.start.tolist(), found.end.tolist()
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(one < other for one, other in pairwise(starts))
    covered = {place for start, end in zip(starts, ends, strict=True) for place in range(start, end)}
    assert all(place in covered for place, char in enumerate(text) if not char.isspace())


def test_21_a_corpus_smaller_than_the_depth_gives_each_document_once(place: Path) -> None:
    # Seen: the index pads with -1, and documents[-1] is the last one.
    write(place, {name: f"text of {name}" for name in "abc"}, {"q1": "text of a"}, "q1 0 a 1")
    (place / "qrels" / "test.tsv").unlink()
    assert run(*common(place, "retriever=dense", "chunk_size=16", "depth=100")) == 0
    found = [line.split()[2] for line in _run_lines(sweep_folder(kind="runs") / "0")]
    assert sorted(found) == ["a", "b", "c"]


def _run_lines(folder: Path) -> list[str]:
    import gzip

    return gzip.decompress((folder / "run.trec.gz").read_bytes()).decode().splitlines()


def test_22_texts_without_words_are_no_hits_and_no_crash(place: Path) -> None:
    # Seen: division by zero, for a corpus of empty documents.
    write(place, {"a": "", "b": ""}, {"q1": "x"}, "q1 0 a 1")
    (place / "qrels" / "test.tsv").unlink()
    assert run(*common(place, "retriever=bm25", "chunk_size=16")) == 0
    assert _run_lines(sweep_folder(kind="runs") / "0") == []


def test_23_lists_ranges_and_two_digits_are_citations() -> None:
    # Seen: only [1][2] was read; lists, ranges and two-digit numbers were missed or split.
    twelve = [f"d{number}" for number in range(1, 13)]
    answer = "A [1, 2]. B [1], [12]. C [3-5]. D [99]. Since [2024]. `arr[1]`"
    assert written(citations_of(answer, twelve))[:8] == ["d1", "d2", "d1", "d12", "d3", "d4", "d5", "!99"]
    assert written(citations_of("```\narr[1]\n```", twelve)) == []


def test_26_an_outage_of_the_store_costs_no_result(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Seen: one failed call to the server ended the work of hours.
    from pipeline.tracking.mlflow_mirror import MlflowMirror

    def down(*_: object, **__: object) -> None:
        raise TrackingFault("MLflow store: no connection")

    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    given = [item for item in common(place, "-m", "retriever=bm25", "chunk_size=16,32") if item[:8] != "tracking"]
    with monkeypatch.context() as patch:
        patch.setattr(MlflowMirror, "mirror_job", down)
        assert run(*given) == 4
    said = " ".join(capsys.readouterr().out.split())
    assert "MLflow is incomplete" in said and "--sync" in said
    folder = sweep_folder()
    assert {job.state for job in read_sweep(folder).jobs} == {"done"} and len(results(folder)) == 9
    assert compare.main([folder.name, "--sync"]) == 0


def test_28_a_document_found_by_a_chunk_is_found(place: Path) -> None:
    # Seen: chunk ids were compared with document ids; every measure was 0 without a word.
    write(place, {"a": "one two three four five " * 80}, {"q1": "three"}, "q1 0 a 1")
    (place / "qrels" / "test.tsv").unlink()
    assert run(*common(place, "retriever=bm25", "chunk_size=200")) == 0
    table = read_sweep(sweep_folder(kind="runs")).jobs[0].scores
    assert table is not None and value(table, "nDCG@10") == 1.0


def test_28_a_run_of_nothing_but_chunk_ids_is_refused_with_ids_of_both_sides(tmp_path: Path) -> None:
    dataset = load(tmp_path, "a b", "q1", "q1 0 a 1")
    with pytest.raises(DataError, match=r"'a#0'.*'a', 'b'"):
        ranked(dataset, tmp_path, ["q1 Q0 a#0 1 2.0 t", "q1 Q0 a#1 2 1.0 t"])
