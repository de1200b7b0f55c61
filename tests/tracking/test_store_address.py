"""A relative sqlite address means the folder one stands in now, not the one of an earlier sweep in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.tracking.store import absolute


def test_the_same_relative_address_is_another_file_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second sweep of a process, started elsewhere, once went into the store of the first.
    monkeypatch.chdir(tmp_path)
    assert absolute("sqlite:///outputs/mlflow.db") == f"sqlite:///{tmp_path}/outputs/mlflow.db"
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "b")
    assert absolute("sqlite:///outputs/mlflow.db?timeout=5") == f"sqlite:///{tmp_path}/b/outputs/mlflow.db?timeout=5"


@pytest.mark.parametrize("uri", ["sqlite:////data/mlflow.db", "http://127.0.0.1:5000", "sqlite:///:memory:"])
def test_every_other_address_stays_as_it_is(uri: str) -> None:
    assert absolute(uri) == uri
