"""Rankings of several jobs at once: what the careful reader of one reads, to a depth, with one place a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.errors import DataError
from pipeline.storage.job_files import RUN, read_documents
from pipeline.storage.rankings import read_rankings
from pipeline.storage.trec_files import write_run
from tests.sweep.small import dataset

DATA = dataset([{0: 1}, {1: 1}, {2: 1}], missing=("gone",))
A = {"q00": [("d3", 2.5), ("of another", 1e-9), ("d0", -1.0)], "q02": [("gone", 3.0)]}
B = {"q00": [("d0", 1.0)], "q01": [("alien", 2.0), ("d5", 1.0)]}


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    for name, run in (("a", A), ("b", B)):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name / RUN, run)
    return {name: tmp_path / name for name in "ab"}


def test_one_ranking_is_what_the_careful_reader_reads(folders: dict[str, Path]) -> None:
    for name, folder in folders.items():
        (found,) = read_rankings({name: folder}, DATA).values()
        expected = read_documents(folder, DATA)
        assert found.items.tolist() == expected.items.tolist() and found.foreign == expected.foreign
        assert str(found.scores.tolist()) == str(expected.scores.tolist())


def test_a_document_outside_the_dataset_has_one_place_in_all_and_the_depth_is_kept(folders: dict[str, Path]) -> None:
    # Six documents and one that is judged but missing: places 0 to 6; then the strangers by name.
    found = read_rankings(folders, DATA, 2)
    assert found["a"].foreign == found["b"].foreign == ("alien", "of another")
    assert found["a"].items.tolist() == [[3, 8], [-1, -1], [6, -1]]
    assert found["b"].items.tolist() == [[0, -1], [7, 5], [-1, -1]]


def test_a_damaged_ranking_is_named(folders: dict[str, Path]) -> None:
    path = folders["b"] / RUN
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(DataError, match=r"run\.trec\.gz.*run the job again"):
        read_rankings(folders, DATA)
