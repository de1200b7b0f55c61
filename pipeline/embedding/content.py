"""SHA-256 of the files that shape a model's output, computed once and remembered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pipeline.embedding.locate import Place
from pipeline.embedding.trust import PICKLED, files
from pipeline.errors import EnvironmentFault, ModelError
from pipeline.storage.entries import file_digest, write_json

SHAPES_OUTPUT = {".safetensors", ".json", ".txt", ".model", ".jinja", ".py"} | PICKLED


class Stamp(NamedTuple):
    """A file as the file system knows it: equal stamps are taken for equal content."""

    path: str
    size: int
    mtime_ns: int


_DIGESTS: dict[Stamp, str] = {}


def content_of(place: Place, memory: Path | None) -> str:
    """SHA-256 over (relative path, SHA-256) of every file that shapes the output, and the dimensions kept.

    Known weights of a package count with their published hash (checked when they are loaded). Other digests are
    remembered in the process and below `memory` by path, size and time of change.
    """
    lines = []
    for path in shaping_files(place):
        known = path == place.weights and place.sha256 and path.stat().st_size == place.size
        digest = place.sha256 if known else remembered(path, memory)
        lines.append(f"{path.relative_to(place.folder).as_posix()}\0{digest}")
    return hashlib.sha256("\n".join([*lines, f"dims {place.dims}"]).encode()).hexdigest()


def shaping_files(place: Place) -> Iterable[Path]:
    """The files of a model that can change a vector; README, licence and other runtimes' files cannot."""
    if place.form == "static":
        return (place.tokenizer, place.weights) if place.weights else (place.tokenizer,)
    every = files(place.folder)
    safe = {path.parent for path in every if path.suffix == ".safetensors"}
    return [
        path for path in every if path.suffix in SHAPES_OUTPUT and not (path.suffix in PICKLED and path.parent in safe)
    ]


def remembered(path: Path, memory: Path | None) -> str:
    """SHA-256 (hex) of the bytes of `path`, from memory where the stamp is known."""
    status = path.stat()
    stamp = Stamp(str(path.resolve()), status.st_size, status.st_mtime_ns)
    if stamp not in _DIGESTS:
        _DIGESTS[stamp] = _recall(stamp, memory) or file_digest(path)
        if memory is not None:
            _remember(stamp, _DIGESTS[stamp], memory)
    return _DIGESTS[stamp]


def check_weights(place: Place, name: str) -> None:
    """ModelError if packaged weights are not the published ones. Reads the whole file."""
    if place.weights is None or not place.sha256:
        return
    found = file_digest(place.weights)
    if found != place.sha256:
        raise ModelError(
            f"{place.weights}: these are not the weights of {name} (SHA-256 {found[:12]}…, expected "
            f"{place.sha256[:12]}…); install them again: {place.install}"
        )


def _note_path(stamp: Stamp, memory: Path) -> Path:
    return memory / f"{hashlib.sha256(stamp.path.encode()).hexdigest()[:24]}.json"


def _recall(stamp: Stamp, memory: Path | None) -> str | None:
    if memory is None:
        return None
    try:
        note = json.loads(_note_path(stamp, memory).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None  # not remembered, or half a file: hashed again
    same = isinstance(note, dict) and note.get("stamp") == list(stamp) and isinstance(note.get("sha256"), str)
    return str(note["sha256"]) if same else None


def _remember(stamp: Stamp, digest: str, memory: Path) -> None:
    try:
        write_json(_note_path(stamp, memory), {"stamp": list(stamp), "sha256": digest})
    except OSError as error:
        raise EnvironmentFault(
            f"{memory}: cannot write there ({error.strerror or error}); free space, mend the permissions, or set "
            "embedding.cache_dir to another folder (null keeps none)"
        ) from None
