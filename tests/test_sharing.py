"""What configurations have in common is computed once: 3 retrievers x 2 models x 4 sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.storage.sweep_files import read_plan
from pipeline.sweep import process
from tests.whole import common, run, sweep_folder, write_collection

GRID = (
    "-m",
    "retriever=bm25,dense,hybrid",
    "embedding.model=wordllama_64,wordllama_256",
    "chunk_size=8,16,32,64",
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "kitchen")


def test_24_points_are_20_experiments_8_embeddings_and_4_bm25_indexes(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*common(place), *GRID) == 0
    computed = process.stages("outputs/cache").computed
    assert {name: computed[name] for name in ("tokens", "chunks", "vectors", "index", "queries", "retrieved")} == {
        "tokens": 1,
        "chunks": 4,
        "vectors": 8,
        "index": 4,
        "queries": 2,
        "retrieved": 20,
    }
    # Each leg is searched once: bm25 at 4 sizes, dense with 2 models at 4 sizes; hybrid only fuses.
    assert computed["leg"] == 4 + 8
    plan = read_plan(sweep_folder())
    assert len(plan.distinct) == 20
    said = capsys.readouterr().out
    assert "24 jobs, 20 distinct" in said
    assert "embeddings: 0 cached, 8 to make; BM25 indexes: 0 cached, 4 to make" in said


def test_another_measure_needs_no_retrieval(place: Path) -> None:
    run(*common(place, "-m", "retriever=bm25,hybrid", "chunk_size=16"))
    assert run(*common(place, "-m", "retriever=bm25,hybrid", "chunk_size=16", "measures=[nDCG@10,P@3]")) == 0
    computed = process.stages("outputs/cache").computed
    assert (computed["retrieved"], computed["scores"]) == (0, 2)


def test_another_fusion_searches_again_but_embeds_and_indexes_nothing(place: Path) -> None:
    run(*common(place, "retriever=hybrid", "chunk_size=16"))
    assert run(*common(place, "retriever=hybrid", "chunk_size=16", "fusion=weighted")) == 0
    computed = process.stages("outputs/cache").computed
    assert (computed["vectors"], computed["index"], computed["retrieved"]) == (0, 0, 1)


def test_changed_judgements_keep_every_ranking(place: Path) -> None:
    run(*common(place, "retriever=hybrid", "chunk_size=16"))
    path = place / "qrels" / "test.tsv"
    path.write_text(path.read_text() + "q12\tbread\t1\n")
    assert run(*common(place, "retriever=hybrid", "chunk_size=16")) == 0
    computed = process.stages("outputs/cache").computed
    assert (computed["retrieved"], computed["scores"]) == (0, 1)


def test_the_order_of_the_corpus_file_changes_nothing(place: Path) -> None:
    run(*common(place, "retriever=hybrid", "chunk_size=16"))
    first = sweep_folder(kind="runs")
    path = place / "corpus.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert run(*common(place, "retriever=hybrid", "chunk_size=16")) == 0
    assert not process.stages("outputs/cache").computed
    assert (sweep_folder(kind="runs") / "0" / "run.trec.gz").read_bytes() == (first / "0" / "run.trec.gz").read_bytes()


@pytest.mark.slow
def test_two_jobs_at_a_time_find_the_same_as_one_after_the_other(place: Path) -> None:
    arguments = common(place, "-m", "retriever=bm25,hybrid", "chunk_size=16,32")
    assert run(*arguments) == 0
    assert run(*arguments, "launcher=joblib", "n_jobs=2", "output_dir=parallel") == 0
    one, two = sweep_folder(), sweep_folder(Path("parallel"))
    for job in range(4):
        assert (one / str(job) / "scores.csv").read_bytes() == (two / str(job) / "scores.csv").read_bytes()
    assert (two / "leaderboard.csv").is_file()
