"""Bad input ends with exit code 2 (environment: 3), one line on standard error, and nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.whole import common, run, write_collection

CASES = {
    "a mistyped knob": (["chunk_sise=256"], "chunk_sise: unknown key; did you mean chunk_size?"),
    "a mistyped knob with a plus": (["+chunk_sise=256"], "chunk_sise: unknown key; did you mean chunk_size?"),
    "an unknown key that resembles none": (["+provider.api_key=x"], "provider: unknown key; the keys are"),
    "an unknown key below a group": (["retriever=bm25", "+retriever.k2=1"], "retriever.k2: unknown key; did you mean"),
    "a word for a size": (["chunk_size=abc"], "chunk_size=abc: expected a whole number"),
    "a word in a sweep": (["-m", "chunk_size=16,abc"], "chunk_size=abc: expected a whole number"),
    "size zero": (["chunk_size=0"], "chunk_size"),
    "size below zero": (["-m", "chunk_size=16,-1"], "job 1 (chunk_size=-1)"),
    "overlap of the whole chunk": (["chunk_size=16", "chunk_overlap=16"], "with chunk_size 16"),
    "overlap at one point": (["-m", "chunk_size=16,32", "chunk_overlap=16"], "job 0 (chunk_size=16)"),
    "an unknown option": (["retriever=bm26"], "retriever=bm26: no such option; there are bm25, dense, hybrid"),
    "an unknown baseline": (["-m", "chunk_size=16,32", "baseline=nobody"], "baseline=nobody: no experiment"),
    "an ambiguous baseline": (["-m", "chunk_size=16,32", "'baseline={retriever:hybrid}'"], "2 experiments match"),
    "a baseline by an unknown setting": (["baseline={colour:red}"], "baseline: unknown setting 'colour'"),
    "an unknown model": (["embedding.model=minilmm"], "nearest known: minilm"),
    "a model folder that is not there": (["embedding.model=./nowhere"], "nowhere"),
    "a target outside the package": (["retriever._target_=os.system"], "lies outside the allowed packages"),
    "a target that is no component": (["retriever._target_=pipeline.storage.entries.write_text"], "no component"),
    "a home folder": (["dataset.path=~/kb"], "'dataset.path=\"~/kb\"'"),
    "a path with an accent": (["dataset.path=/data/café"], "'dataset.path=\"/data/café\"'"),
    "a path with an equals sign": (["dataset.path=a=b"], "'dataset.path=\"a=b\"'"),
    "a path with a blank that is not there": (["dataset.path=no such"], "no such folder"),
    "a measure nobody knows": (["measures=[nDCG@10,foo@3]"], "'foo@3' is not known"),
    "a primary measure that is not measured": (["primary=nDCG@7"], "not among the measures"),
    "a cutoff beyond the depth": (["depth=5"], "looks at 10 documents but depth=5"),
    "several values without -m": (["chunk_size=16,32"], "add -m to sweep over them"),
    "a missing run file": (["retriever=run_file"], "retriever.path is missing"),
    "two datasets in one sweep": (["-m", "dataset.split=test,test2"], "run one sweep for each dataset"),
    # was one dataset read twice, the other never: a fingerprint leaves the path out
    "two ways to count in one sweep": (["-m", "later=exclude,clamp"], "job 1 differs from job 0 in later"),
    "two folders in one sweep": (["-m", "dataset.path=kitchen,./kitchen"], "run one sweep for each dataset"),
    "an unknown tokenizer": (["chunker.tokenizer=minilmm"], "minilm"),
    "a sweep to resume that is not there": (["resume=ffff"], "no sweep or run 'ffff'"),
    "an unknown policy": (["policy=mine"], "policy"),
    "a seed below zero": (["seed=-1"], "seed=-1: expected 0 or more"),  # was a job that failed by a ValueError
    "probes below zero": (["probes=-3"], "probes=-3: expected 0 or more"),
    "no job at a time": (["-m", "launcher=joblib", "n_jobs=0", "chunk_size=16,32"], "n_jobs=0"),  # was a traceback
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "kitchen")


@pytest.mark.parametrize("arguments, expected", CASES.values(), ids=CASES)
def test_one_line_exit_code_2_and_nothing_written(
    place: Path, arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = [argument.strip("'") for argument in arguments]
    given = {argument.partition("=")[0] for argument in plain}
    base = [item for item in common(place) if item.partition("=")[0] not in given]
    assert run(*base, *plain) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert expected in said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    assert not Path("outputs/sweeps").exists() and not Path("outputs/runs").exists()


def cut_json(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text('{"_id": "a", "text": "b"}\n{"_id": "c", "te\n')


def no_id(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text('{"id": "a", "text": "b"}\n')


def twice(folder: Path) -> None:
    path = folder / "corpus.jsonl"
    path.write_text(path.read_text() + '{"_id": "tea", "text": "again"}\n')


def word_for_a_grade(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq01\tbread\tone\n")


def empty(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text("")


def other_ids(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq01\tBR-1\t1\nq02\tBR-2\t1\n")


FILES = {
    cut_json: "corpus.jsonl:2:",
    no_id: "corpus.jsonl:1:",
    twice: "corpus.jsonl:13:",
    word_for_a_grade: "test.tsv:2:",
    empty: "corpus.jsonl: no documents",
    other_ids: "BR-1",
}


@pytest.mark.parametrize("damage", FILES, ids=lambda damage: damage.__name__)
def test_a_broken_file_is_named_with_its_line(
    place: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    damage(place)
    assert run(*common(place)) == 2
    said = capsys.readouterr()
    assert FILES[damage] in said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err + said.out


def test_judgements_of_unknown_documents_are_shown_side_by_side_and_strict_refuses_them(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place / "qrels" / "test.tsv"
    path.write_text(path.read_text() + "q03\tSoup\t1\nq05\tzz\t1\n")
    assert run(*common(place, "retriever=bm25")) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "Soup" in said and "soup" in said and "zz" in said
    assert run(*common(place, "retriever=bm25", "strict=true")) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_output_folder_that_cannot_be_made_ends_with_exit_code_3(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").write_text("in the way")
    assert run(*common(place, "retriever=bm25", "output_dir=file", "cache_dir=cache")) == 3
    said = capsys.readouterr()
    assert "results cannot be written there" in said.err and said.err.count("\n") == 1


HEAVY = (
    "torch",
    "mlflow",
    "sentence_transformers",
    "transformers",
    "faiss",
    "bm25s",
    "matplotlib",
    "pandas",
    "sklearn",
)


@pytest.mark.parametrize("arguments, code", [(["--help"], 0), (["chunk_sise=256"], 2)])
def test_help_and_a_typo_answer_without_loading_anything_heavy(tmp_path: Path, arguments: list[str], code: int) -> None:
    program = (
        "import sys; from pipeline.run import main; code = main(sys.argv[1:]);"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )
    assert done.returncode == code
    assert "LOADED []" in done.stdout
