"""Every kind of cache entry, damaged in every way: told, set aside, computed again, and the same bytes found."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pipeline.storage.entries import MANIFEST
from tests.faults.seams import results
from tests.whole import common, run, sweep_folder

KINDS = ("tokens", "index", "reading", "retrieved", "scores", "segments")


def truncated(entry: Path) -> None:
    path = largest(entry)
    path.write_bytes(path.read_bytes()[:-7])


def one_bit_flipped(entry: Path) -> None:
    path = largest(entry)
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))


def emptied(entry: Path) -> None:
    largest(entry).write_bytes(b"")


def file_missing(entry: Path) -> None:
    largest(entry).unlink()


def manifest_missing(entry: Path) -> None:
    (entry / MANIFEST).unlink()


def manifest_cut(entry: Path) -> None:
    path = entry / MANIFEST
    path.write_bytes(path.read_bytes()[:-9])


def foreign_file(entry: Path) -> None:
    (entry / "more.npy").write_bytes(b"\x93NUMPY")


def pickled(entry: Path) -> None:
    largest(entry).write_bytes(b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x0ctouch marker\x85R.")


def swapped_within(entry: Path) -> None:
    one, other = sorted(entry.iterdir())[:2]
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)


WAYS = (
    truncated,
    one_bit_flipped,
    emptied,
    file_missing,
    manifest_missing,
    manifest_cut,
    foreign_file,
    pickled,
    swapped_within,
)


def largest(entry: Path) -> Path:
    return max((path for path in entry.iterdir() if path.name != MANIFEST), key=lambda path: path.stat().st_size)


def held(cache: Path, kind: str) -> list[Path]:
    """The entries of one kind, wherever they lie."""
    entries = (path.parent for path in cache.rglob(MANIFEST) if "quarantine" not in path.parts)
    return sorted(entry for entry in entries if entry.parent.name == kind)


def command(place: Path) -> Sequence[str]:
    return common(place, "-m", "retriever=bm25,dense", "chunk_size=16")


@pytest.mark.slow
def test_damage_of_any_kind_to_any_entry_is_found_and_mended(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*command(place)) == 0
    expected = results(sweep_folder())
    cache = Path("outputs/cache")
    whole = {kind: len(held(cache, kind)) for kind in KINDS}
    assert all(whole.values()), whole
    shutil.copytree(cache, "whole")
    for way in WAYS:
        shutil.rmtree(cache)
        shutil.copytree("whole", cache)
        damaged = [entry for kind in KINDS for entry in held(cache, kind)]
        for entry in damaged:
            way(entry)
        capsys.readouterr()
        assert run(*command(place)) == 0
        told = " ".join(capsys.readouterr().err.split())
        assert results(sweep_folder()) == expected, way.__name__
        aside = [path for path in cache.glob("**/quarantine/*/*") if path.is_dir()]
        assert sorted(path.name for path in aside) == sorted(entry.name for entry in damaged), way.__name__
        assert all(entry.name[:20] in told for entry in damaged if entry.parent.name != "segments"), way.__name__
        assert {kind: len(held(cache, kind)) for kind in KINDS} == whole
    assert not Path("marker").exists()


def test_an_entry_of_another_key_is_not_taken_for_this_one(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = common(place, "-m", "retriever=bm25", "chunk_size=8,16")
    assert run(*arguments) == 0
    expected = results(sweep_folder())
    for kind in ("scores", "retrieved", "index"):
        one, other = held(Path("outputs/cache"), kind)
        swap(one, other)
    assert run(*arguments) == 0
    assert results(sweep_folder()) == expected


def swap(one: Path, other: Path) -> None:
    beside = one.with_name("beside")
    one.rename(beside)
    other.rename(one)
    beside.rename(other)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_way_of_damage_changes_the_entry(tmp_path: Path, way: Callable[[Path], None]) -> None:
    entry = tmp_path / "entry"
    entry.mkdir()
    for name, text in ((MANIFEST, '{"files": {}}'), ("a.npy", "first array"), ("b.npy", "second, longer array")):
        (entry / name).write_text(text)
    before = {path.name: path.read_bytes() for path in entry.iterdir()}
    way(entry)
    assert {path.name: path.read_bytes() for path in entry.iterdir()} != before
