"""Vectors kept per text: `<root>/segments/<name>/{hashes.npy, vectors.npy, manifest.json}`.

A segment is written once, whole, and never changed: a temporary folder, a manifest with sizes and SHA-256, fsync, one
rename. So any number of processes may write at once (names are unique) and a crash leaves no half segment behind.
Reading: a segment is checked against its manifest once a process, before NumPy sees a byte; a damaged one is moved to
`<root>/quarantine`, named in one warning, and its texts are embedded again. Nothing is pickled.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from pipeline.embedding.content import sha256
from pipeline.errors import EnvironmentFault
from pipeline.records import Bools, Vectors

HASH_BYTES = 16
ARRAYS = ("hashes.npy", "vectors.npy")
ABANDONED_SECONDS = 24 * 3600.0

logger = logging.getLogger(__name__)
_CHECKED: set[tuple[str, int]] = set()

Hashes = NDArray[np.uint8]


class Found(NamedTuple):
    """`vectors[i]` is valid where `known[i]`; no column if nothing is known."""

    known: Bools
    vectors: Vectors


def text_hashes(texts: Sequence[str]) -> Hashes:
    """uint8 (texts, 16): BLAKE2b of the UTF-8 bytes; lone surrogates keep their own bytes."""
    joined = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest() for text in texts
    )
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(texts), HASH_BYTES)


@dataclass(frozen=True)
class VectorStore:
    """The vectors of one embedder in one role. `identity` is written into every segment and compared when read."""

    root: Path
    identity: str

    def find(self, hashes: Hashes) -> Found:
        """The vectors of the texts with these hashes, as far as they are kept."""
        wanted = _keys(hashes)
        known = np.zeros(len(wanted), dtype=bool)
        vectors: Vectors = np.zeros((len(wanted), 0), dtype=np.float32)
        for folder in self._segments():
            if known.all():
                break
            segment = self._open(folder)
            if segment is None:
                continue
            keys, rows = segment
            order = np.argsort(keys, kind="stable")
            at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
            new = np.flatnonzero((keys[order[at]] == wanted) & ~known)
            if not len(new):
                continue
            if not vectors.shape[1]:
                vectors = np.zeros((len(wanted), rows.shape[1]), dtype=np.float32)
            vectors[new] = rows[order[at[new]]]
            known[new] = True
        return Found(known, vectors)

    def add(self, hashes: Hashes, vectors: Vectors) -> None:
        """Keeps these vectors as one new segment. EnvironmentFault if the disk does not take it."""
        name = uuid4().hex
        making = self.root / "making" / name
        try:
            making.mkdir(parents=True)
            np.save(making / ARRAYS[0], hashes, allow_pickle=False)
            np.save(making / ARRAYS[1], np.ascontiguousarray(vectors, dtype=np.float32), allow_pickle=False)
            manifest = {
                "identity": self.identity,
                "files": {
                    file: {"bytes": (making / file).stat().st_size, "sha256": sha256(making / file)} for file in ARRAYS
                },
            }
            (making / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
            for path in (*making.iterdir(), making):
                _sync(path)
            (self.root / "segments").mkdir(exist_ok=True)
            making.rename(self.root / "segments" / name)
            _sync(self.root / "segments")
            self._sweep()
        except OSError as error:
            shutil.rmtree(making, ignore_errors=True)
            raise EnvironmentFault(
                f"{self.root}: vectors cannot be kept there ({error.strerror or error}); free space, mend the "
                "permissions, or set embedding.cache_dir to another folder (null keeps none)"
            ) from None

    def _segments(self) -> list[Path]:
        folder = self.root / "segments"
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def _open(self, folder: Path) -> tuple[NDArray[np.bytes_], Vectors] | None:
        """(keys, vectors) of a whole segment; None where it was damaged (then quarantined) or has just gone."""
        try:
            self._check(folder)
            hashes = np.load(folder / ARRAYS[0], allow_pickle=False)
            vectors = np.load(folder / ARRAYS[1], mmap_mode="r", allow_pickle=False)
            if hashes.shape != (len(vectors), HASH_BYTES) or vectors.ndim != 2 or not len(vectors):
                raise ValueError("the two arrays do not belong together")
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._quarantine(folder, error)
            return None
        return _keys(hashes), vectors

    def _check(self, folder: Path) -> None:
        mark = (str(folder.resolve()), folder.stat().st_mtime_ns)
        if mark in _CHECKED:
            return
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if manifest["identity"] != self.identity:
            raise ValueError("it belongs to another model")
        for file in ARRAYS:
            stated = manifest["files"][file]
            if (folder / file).stat().st_size != stated["bytes"] or sha256(folder / file) != stated["sha256"]:
                raise ValueError(f"{file} is not what was written")
        _CHECKED.add(mark)

    def _quarantine(self, folder: Path, error: Exception) -> None:
        goal = self.root / "quarantine" / folder.name
        try:
            goal.parent.mkdir(exist_ok=True)
            folder.rename(goal)
        except OSError:
            if not folder.exists():
                return  # another process was faster
            raise EnvironmentFault(
                f"{folder}: damaged vectors ({error}), and they cannot be moved away; delete this folder"
            ) from None
        logger.warning("damaged vectors moved to %s (%s); their texts are embedded again", goal, error)

    def _sweep(self) -> None:
        """Removes what killed processes left behind."""
        for path in (self.root / "making").iterdir():
            try:
                abandoned = time.time() - path.stat().st_mtime > ABANDONED_SECONDS
            except FileNotFoundError:
                continue  # published meanwhile
            if abandoned:
                shutil.rmtree(path, ignore_errors=True)


def _keys(hashes: Hashes) -> NDArray[np.bytes_]:
    """One comparable value a row; NumPy's fixed-width bytes compare all 16 bytes since all have the same width."""
    return np.ascontiguousarray(hashes).view(f"S{HASH_BYTES}").ravel()


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
