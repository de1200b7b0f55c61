"""Uses of a confirm part are counted by question, beside the dataset where that can be, and survive the process."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from pipeline.errors import DataError, EnvironmentFault
from pipeline.storage import uses
from pipeline.storage.uses import HIDDEN, uses_before


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "outputs" / "uses.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def test_each_new_question_finds_one_more_use_and_the_same_one_finds_as_many_as_before(results: Path) -> None:
    words = ("one", "two", "one", "three", "two")
    assert [uses_before(results, "", "part", word) for word in words] == [0, 1, 0, 2, 1]
    assert uses_before(results, "", "other part", "one") == 0
    assert json.loads(results.read_text()) == {"part": ["one", "two", "three"], "other part": ["one"]}
    assert [path.name for path in results.parent.iterdir() if not path.name.startswith(".")] == ["uses.json"]


def test_the_count_stands_with_the_dataset_and_holds_for_other_results(
    tmp_path: Path, results: Path, folder: Path
) -> None:
    assert uses_before(results, str(folder), "part", "one") == 0
    assert uses_before(tmp_path / "elsewhere" / "uses.json", str(folder), "part", "two") == 1
    assert json.loads((folder / HIDDEN).read_text()) == {"part": ["one", "two"]}
    assert not results.exists()
    assert all(path.name.startswith(".") for path in folder.iterdir())


def test_old_counts_among_the_results_still_count_and_keep_their_places(results: Path, folder: Path) -> None:
    for word in ("x", "y"):
        uses_before(results, "", "part", word)
    asked = [uses_before(results, str(folder), "part", word) for word in ("y", "z", "w", "z", "x")]
    assert asked == [1, 2, 3, 2, 0]


def test_uses_that_only_one_of_two_places_knows_are_added_up(tmp_path: Path, results: Path, folder: Path) -> None:
    uses_before(results, "", "part", "old")
    other = tmp_path / "elsewhere" / "uses.json"
    assert [uses_before(other, str(folder), "part", word) for word in ("one", "two")] == [0, 1]
    assert uses_before(results, str(folder), "part", "three") == 3
    assert uses_before(results, str(folder), "part", "three") == 3


def test_a_folder_that_cannot_be_written_is_read_and_the_count_goes_to_the_results(results: Path, folder: Path) -> None:
    uses_before(results, str(folder), "part", "one")
    before = {path.name: path.read_text() for path in folder.iterdir()}
    folder.chmod(0o555)
    try:
        assert uses_before(results, str(folder), "part", "two") == 1
    finally:
        folder.chmod(0o755)
    assert {path.name: path.read_text() for path in folder.iterdir()} == before
    assert json.loads(results.read_text()) == {"part": ["one", "two"]}
    assert uses_before(results, str(folder), "part", "three") == 2, "what the results learnt meanwhile counts"


def test_a_folder_whose_mount_refuses_what_its_mode_allows_is_like_one_that_cannot_be_written(
    results: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = uses.write_json

    def refuse(path: Path, value: object) -> None:
        if path.parent == folder:
            raise OSError(errno.EROFS, "Read-only file system")
        real(path, value)

    monkeypatch.setattr(uses, "write_json", refuse)
    assert [uses_before(results, str(folder), "part", word) for word in ("one", "two", "one")] == [0, 1, 0]
    assert json.loads(results.read_text()) == {"part": ["one", "two"]}


def test_a_folder_that_is_gone_is_not_made_again(tmp_path: Path, results: Path) -> None:
    assert uses_before(results, str(tmp_path / "gone"), "part", "one") == 0
    assert not (tmp_path / "gone").exists()


def test_processes_at_the_same_time_lose_no_use(results: Path, folder: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pipeline.storage.uses import uses_before\n"
        "for n in range(15): print(uses_before(Path(sys.argv[1]), sys.argv[2], 'part', f'{sys.argv[3]}-{n}'))"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(results), str(folder), str(number)], stdout=subprocess.PIPE, text=True
        )
        for number in range(3)
    ]
    found = [int(line) for process in running for line in process.communicate()[0].split()]
    assert sorted(found) == list(range(45))
    assert len(json.loads((folder / HIDDEN).read_text())["part"]) == 45


def test_a_count_that_another_process_does_not_let_go_of_is_an_error_in_one_line(
    results: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uses, "PATIENCE", 0.1)
    with (
        FileLock(folder / f"{HIDDEN}.lock"),
        pytest.raises(EnvironmentFault, match=r"confirm-uses\.json: another process has held its lock"),
    ):
        uses_before(results, str(folder), "part", "one")


@pytest.mark.parametrize("text", ["{", "[]", '{"part": 3}'])
def test_a_file_that_is_no_count_is_refused_with_its_path(tmp_path: Path, folder: Path, text: str) -> None:
    (tmp_path / "uses.json").write_text(text)
    with pytest.raises(DataError, match=r"uses\.json: is no count of confirmations .* delete it to count from 0"):
        uses_before(tmp_path / "uses.json", "", "part", "one")
    (folder / HIDDEN).write_text(text)
    with pytest.raises(DataError, match=r"uses\.json: is no count of confirmations"):
        uses_before(tmp_path / "none.json", str(folder), "part", "one")
