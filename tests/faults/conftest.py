"""A small collection in a fresh folder, which is also where the command is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whole import write_collection


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_collection(tmp_path / "kitchen")
