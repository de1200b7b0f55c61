"""Folders that are complete or absent: written beside, checked by size and SHA-256, renamed into place.

A reader verifies an entry before any parser sees a byte of it. Nothing here is ever pickled.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

MANIFEST = "entry.json"
FORMAT = 2


class DamagedEntry(Exception):
    """An entry whose files are not what its manifest says."""


def publish(target: Path, write: Callable[[Path], object]) -> bool:
    """Fills a temporary folder by `write`, then renames it to `target`; False if `target` was there first.

    Raises OSError as the disk gives it; nothing half-written is ever visible under `target`.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}-", dir=target.parent))
    try:
        write(temporary)
        _seal(temporary, target.name)
        try:
            temporary.rename(target)
        except OSError:
            if target.is_dir():
                return False
            raise
        _sync(target.parent)
        return True
    finally:
        if temporary.exists():
            shutil.rmtree(temporary, ignore_errors=True)


def verify(folder: Path) -> None:
    """Raises DamagedEntry unless it is the entry of this name, with every file in the size and digest stated."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        stated = {str(name): (int(size), str(digest)) for name, (size, digest) in manifest["files"].items()}
        known, name = manifest["format"] == FORMAT, manifest.get("name")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedEntry(f"{folder.name}: its manifest cannot be read ({error})") from error
    if not known:
        raise DamagedEntry(f"{folder.name}: written by another version")
    if name != folder.name:
        raise DamagedEntry(f"{folder.name}: it is the entry {name}, moved here")
    found = {path.name for path in folder.iterdir()} - {MANIFEST}
    if found != set(stated):
        raise DamagedEntry(f"{folder.name}: files {sorted(found ^ set(stated))} do not match its manifest")
    for name, (size, digest) in stated.items():
        path = folder / name
        if path.stat().st_size != size or file_digest(path) != digest:
            raise DamagedEntry(f"{folder.name}: {name} is not what was written")


def quarantine(folder: Path) -> Path:
    """Moves a damaged entry aside, for a person to look at, and returns the folder of such entries."""
    shelter = folder.parent / "quarantine"
    shelter.mkdir(exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=shelter)) / folder.name
    with contextlib.suppress(FileNotFoundError):  # another process was faster
        folder.rename(place)
    return shelter


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_text(path: Path, text: str) -> None:
    """Replaces a file's text in one step: a reader sees the old text or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Replaces a JSON file in one step; keys keep their order, NaN is refused."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _seal(folder: Path, name: str) -> None:
    files = {}
    for path in sorted(folder.iterdir()):
        files[path.name] = (path.stat().st_size, file_digest(path))
        _sync(path)
    manifest = folder / MANIFEST
    manifest.write_text(json.dumps({"format": FORMAT, "name": name, "files": files}), "utf-8")
    _sync(manifest)
    folder.chmod(0o755)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
