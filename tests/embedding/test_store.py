from __future__ import annotations

import shutil
import threading

import numpy as np
import pytest

from pipeline.embedding.store import VectorStore, text_hashes
from pipeline.errors import EnvironmentFault

TEXTS = [f"text {number}" for number in range(20)]


def vectors(count: int) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(count, 4)).astype(np.float32)


def segments(store: VectorStore) -> list:
    return sorted(path for path in (store.root / "segments").iterdir() if path.name != "quarantine")


@pytest.fixture
def store(tmp_path) -> VectorStore:
    kept = VectorStore(tmp_path / "id" / "document", "identity")
    kept.add(text_hashes(TEXTS[:10]), vectors(20)[:10])
    kept.add(text_hashes(TEXTS[10:]), vectors(20)[10:])
    return kept


def test_texts_are_found_by_content_across_segments_and_in_any_order(store):
    order = np.random.default_rng(1).permutation(20)
    found = store.find(text_hashes([TEXTS[at] for at in order]))
    assert found.known.all()
    assert (found.vectors == vectors(20)[order]).all()


def test_unknown_texts_are_not_found(store):
    found = store.find(text_hashes(["new", TEXTS[3], "Text 3"]))
    assert found.known.tolist() == [False, True, False]
    assert (found.vectors[1] == vectors(20)[3]).all()


def test_an_empty_store_knows_nothing(tmp_path):
    assert not VectorStore(tmp_path / "none", "x").find(text_hashes(TEXTS)).known.any()


def cut_in_half(store):
    path = segments(store)[0] / "hashes.npy"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def one_bit(store):
    path = segments(store)[0] / "vectors.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))


def no_manifest(store):
    (segments(store)[0] / "entry.json").unlink()


def hashes_of_another(store):
    first, second = segments(store)
    shutil.copy(second / "hashes.npy", first / "hashes.npy")


# Wrong result users saw: vectors with other rows' texts and perfect scores.
@pytest.mark.parametrize("damage", [cut_in_half, one_bit, no_manifest, hashes_of_another])
def test_a_damaged_segment_is_moved_away_with_one_warning_and_the_rest_is_found(store, damage, caplog):
    damage(store)
    found = store.find(text_hashes(TEXTS))
    assert found.known.sum() == 10
    assert (found.vectors[found.known] == vectors(20)[found.known]).all()
    assert len(segments(store)) == 1
    store.find(text_hashes(TEXTS))
    assert len(caplog.records) == 1 and "quarantine" in caplog.text


def test_a_segment_copied_from_another_model_is_refused(store, tmp_path, caplog):
    other = VectorStore(tmp_path / "other", "another identity")
    other.add(text_hashes(["foreign"]), vectors(1))
    shutil.copytree(segments(other)[0], store.root / "segments" / segments(other)[0].name)
    assert not store.find(text_hashes(["foreign"])).known.any()
    assert "another model" in caplog.text


def test_many_writers_at_once_lose_nothing_and_leave_nothing_behind(tmp_path):
    texts = [f"text {number}" for number in range(160)]
    rows = vectors(160)
    errors: list[BaseException] = []

    def write(worker: int) -> None:
        try:
            own = VectorStore(tmp_path / "shared", "identity")
            for start in range(0, 160, 40):
                places = np.roll(np.arange(160), -20 * worker)[start : start + 40]
                own.find(text_hashes(texts))
                own.add(text_hashes([texts[at] for at in places]), rows[places])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    found = VectorStore(tmp_path / "shared", "identity").find(text_hashes(texts))
    assert found.known.all() and (found.vectors == rows).all()
    assert not list((tmp_path / "shared" / "segments").glob(".*"))


def test_a_place_that_cannot_be_written_is_an_environment_fault_with_the_way_out(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EnvironmentFault, match=r"embedding\.cache_dir"):
        VectorStore(tmp_path / "file", "x").add(text_hashes(["a"]), vectors(1))
