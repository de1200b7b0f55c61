"""The cache: computed once, verified before use, rebuilt when damaged, never the reason for another result."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pipeline.storage import entries
from pipeline.storage.arrays import load_array, save_arrays
from pipeline.storage.stages import Stages, weight

KEY = "vectors-0123"


def saved(value: np.ndarray, folder: Path) -> bool:
    return save_arrays(folder, {"values": value})


def loaded(folder: Path) -> np.ndarray:
    return load_array(folder, "values")


class Counting:
    """A computation that counts how often it ran."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> np.ndarray:
        self.calls += 1
        return np.arange(4.0)


def test_a_value_is_computed_once_and_a_second_process_finds_it_on_disk(tmp_path: Path) -> None:
    compute = Counting()
    first = Stages(tmp_path)
    assert not first.has(KEY)
    first.get(KEY, compute, saved, loaded)
    first.get(KEY, compute, saved, loaded)
    second = Stages(tmp_path)
    assert second.has(KEY)
    np.testing.assert_array_equal(second.get(KEY, compute, saved, loaded), np.arange(4.0))
    assert compute.calls == 1
    assert (second.found["vectors"], second.computed["vectors"]) == (1, 0)


def test_without_save_a_value_lives_in_memory_alone(tmp_path: Path) -> None:
    compute = Counting()
    stages = Stages(tmp_path)
    stages.get(KEY, compute)
    stages.get(KEY, compute)
    assert compute.calls == 1
    assert not Stages(tmp_path).has(KEY)


def test_memory_forgets_the_least_recently_used_value_first(tmp_path: Path) -> None:
    stages = Stages(None, memory=200)
    for name in ("a-1", "b-1"):
        stages.get(name, lambda: np.zeros(10))  # 80 bytes each
    stages.get("a-1", lambda: np.zeros(10))
    stages.get("c-1", lambda: np.zeros(10))
    assert [stages.has(name) for name in ("a-1", "b-1", "c-1")] == [True, False, True]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1  # the last byte of the last number: np.load would not notice
    path.write_bytes(bytes(content))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def gone(path: Path) -> None:
    path.unlink()


def other_entry(path: Path) -> None:
    np.save(path, np.arange(4.0) + 1, allow_pickle=False)


@pytest.mark.parametrize("damage", [cut, flip, empty, gone, other_entry])
def test_a_damaged_entry_is_set_aside_with_one_note_and_computed_again(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    # Damaged vector files once loaded without an error and gave wrong neighbours.
    Stages(tmp_path).get(KEY, Counting(), saved, loaded)
    damage(tmp_path / "vectors" / KEY / "values.npy")
    notes: list[str] = []
    compute = Counting()
    value = Stages(tmp_path, note=notes.append).get(KEY, compute, saved, loaded)
    np.testing.assert_array_equal(value, np.arange(4.0))
    assert compute.calls == 1
    assert len(notes) == 1 and "quarantine" in notes[0]
    entries.verify(tmp_path / "vectors" / KEY)


def test_a_manifest_of_another_entry_is_damage(tmp_path: Path) -> None:
    stages = Stages(tmp_path)
    stages.get("vectors-a", lambda: np.zeros(3), saved, loaded)
    stages.get("vectors-b", lambda: np.ones(3), saved, loaded)
    one, two = (tmp_path / "vectors" / name / entries.MANIFEST for name in ("vectors-a", "vectors-b"))
    one.write_bytes(two.read_bytes())
    with pytest.raises(entries.DamagedEntry):
        entries.verify(one.parent)


def test_a_failed_computation_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> np.ndarray:
        raise MemoryError

    with pytest.raises(MemoryError):
        Stages(tmp_path).get(KEY, fail, saved, loaded)
    assert not Stages(tmp_path).has(KEY)
    assert [path for path in (tmp_path / "vectors").iterdir() if path.is_dir()] == []


def test_a_failed_write_leaves_no_temporary_folder_and_the_value_is_still_given(tmp_path: Path) -> None:
    def full(value: np.ndarray, folder: Path) -> bool:
        (folder / "values.npy").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    notes: list[str] = []
    value = Stages(tmp_path, note=notes.append).get(KEY, Counting(), full, loaded)
    np.testing.assert_array_equal(value, np.arange(4.0))
    assert notes == [f"cache: {tmp_path} cannot be written (No space left on device); going on without it"]
    assert [path for path in (tmp_path / "vectors").iterdir() if path.is_dir()] == []


def test_a_cache_folder_that_cannot_be_made_is_told_once_and_changes_no_result(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    notes: list[str] = []
    stages = Stages(tmp_path / "file", note=notes.append)
    for key in (KEY, "vectors-9"):
        np.testing.assert_array_equal(stages.get(key, Counting(), saved, loaded), np.arange(4.0))
    assert len(notes) == 1


def _work(folder: str, log: str) -> None:
    def compute() -> np.ndarray:
        with Path(log).open("a") as stream:
            stream.write("computed\n")
        return np.arange(1000.0)

    for number in range(4):
        value = Stages(Path(folder)).get(f"vectors-{number}", compute, saved, loaded)
        np.testing.assert_array_equal(value, np.arange(1000.0))


def test_processes_that_want_the_same_entries_at_once_compute_each_of_them_once(tmp_path: Path) -> None:
    # Parallel jobs met half-written files, or a folder removed under them.
    log = tmp_path / "log"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_work, args=(str(tmp_path / "cache"), str(log))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert log.read_text().count("computed") == 4


def test_the_weight_of_a_value_counts_its_arrays_and_texts() -> None:
    assert weight((np.zeros(10), {"a": "b" * 50})) == 80 + (1 + 50) + (50 + 50)
