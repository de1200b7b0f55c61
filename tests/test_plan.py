"""Names, twins and baselines of a sweep."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipeline.errors import SettingError
from pipeline.records import Scalar
from pipeline.storage.sweep_files import PlannedJob
from pipeline.sweep.plan import baseline, software


def job(number: int, name: str, same_as: int | None = None, **settings: Scalar) -> PlannedJob:
    values: Mapping[str, Scalar] = {"retriever": "bm25", "chunk_size": 512, **settings}
    return PlannedJob(number, name, f"key-{number}", same_as, (), values)


JOBS = [
    job(0, "bm25-256", chunk_size=256),
    job(1, "bm25-512"),
    job(2, "bm25-512", same_as=1),
    job(3, "dense-minilm-512", retriever="dense"),
    job(4, "dense-bge-m3-512", retriever="dense"),
]


def test_the_default_baseline_is_the_lowest_job() -> None:
    assert baseline(None, JOBS) == "bm25-256"


@pytest.mark.parametrize(
    "wanted, name",
    [
        ("bm25-512", "bm25-512"),
        ("dense-minilm", "dense-minilm-512"),
        ("dense-bge-m3-512", "dense-bge-m3-512"),
        ({"retriever": "bm25", "chunk_size": 512}, "bm25-512"),
        ({"chunk_size": "256"}, "bm25-256"),
    ],
)
def test_a_baseline_is_found_by_name_by_part_of_it_or_by_settings(wanted: object, name: str) -> None:
    assert baseline(wanted, JOBS) == name


@pytest.mark.parametrize(
    "wanted, message",
    [
        ("dense-512", "2 experiments match (dense-minilm-512, dense-bge-m3-512)"),
        ("512-bm25", "no experiment of this sweep has that name"),
        ({"retriever": "dense"}, "2 experiments match"),
        ({"retriever": "sparse"}, "no experiment of this sweep matches; retriever has bm25, dense"),
        ({"colour": "red"}, "unknown setting 'colour'"),
    ],
)
def test_a_baseline_that_is_not_exactly_one_is_refused(wanted: object, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        baseline(wanted, JOBS)
    assert message in str(refused.value)


def test_the_manifest_knows_the_commit_of_the_folder_it_ran_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        return subprocess.run(["git", *identity, *arguments], capture_output=True, text=True, check=True).stdout.strip()

    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    software.cache_clear()
    assert software()["commit"] == git("rev-parse", "HEAD")
    software.cache_clear()
