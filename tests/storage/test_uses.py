"""Uses of a confirm part are counted by question, and survive the process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.errors import DataError
from pipeline.storage.uses import uses_before


def test_each_new_question_finds_one_more_use_and_the_same_one_finds_as_many_as_before(tmp_path: Path) -> None:
    path = tmp_path / "outputs" / "uses.json"
    assert [uses_before(path, "part", word) for word in ("one", "two", "one", "three", "two")] == [0, 1, 0, 2, 1]
    assert uses_before(path, "other part", "one") == 0
    assert json.loads(path.read_text()) == {"part": ["one", "two", "three"], "other part": ["one"]}
    assert [each.name for each in path.parent.iterdir()] == ["uses.json"]


@pytest.mark.parametrize("text", ["{", "[]", '{"part": 3}'])
def test_a_file_that_is_no_count_is_refused_with_its_path(tmp_path: Path, text: str) -> None:
    (tmp_path / "uses.json").write_text(text)
    with pytest.raises(DataError, match=r"uses\.json: is no count of confirmations .* delete it to count from 0"):
        uses_before(tmp_path / "uses.json", "part", "one")
