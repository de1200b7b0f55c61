"""Vectors kept per text: `<root>/segments/<name>/{hashes.npy, vectors.npy, identity.txt}` and the entry's manifest.

A segment is an entry of `storage.entries`: written once, whole, published by a rename. So any number of processes may
write at once (names are unique) and a crash leaves no half segment behind. Reading: a segment is verified once a
process, before NumPy sees a byte; a damaged one is quarantined, named in one warning, and its texts are embedded again.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import EnvironmentFault
from pipeline.records import Bools, Vectors
from pipeline.storage import entries

HASH_BYTES = 16
HASHES, VECTORS, IDENTITY = "hashes.npy", "vectors.npy", "identity.txt"
ABANDONED_SECONDS = 24 * 3600.0

logger = logging.getLogger(__name__)
_VERIFIED: set[tuple[str, int]] = set()

Hashes = NDArray[np.uint8]


class Found(NamedTuple):
    """`vectors[i]` is valid where `known[i]`; no column if nothing is known."""

    known: Bools
    vectors: Vectors


def text_hashes(texts: Sequence[str]) -> Hashes:
    """uint8 (texts, 16): BLAKE2b of the UTF-8 bytes."""
    joined = b"".join(hashlib.blake2b(text.encode(), digest_size=HASH_BYTES).digest() for text in texts)
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

        def write(folder: Path) -> None:
            np.save(folder / HASHES, hashes, allow_pickle=False)
            np.save(folder / VECTORS, np.ascontiguousarray(vectors, dtype=np.float32), allow_pickle=False)
            (folder / IDENTITY).write_text(self.identity, encoding="utf-8")

        try:
            entries.publish(self._folder / uuid4().hex, write)
            self._sweep()
        except OSError as error:
            raise EnvironmentFault(
                f"{self.root}: vectors cannot be kept there ({error.strerror or error}); free space, mend the "
                "permissions, or set embedding.cache_dir to another folder (null keeps none)"
            ) from None

    @property
    def _folder(self) -> Path:
        return self.root / "segments"

    def _segments(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        return sorted(path for path in self._folder.iterdir() if path.name[0] != "." and path.name != "quarantine")

    def _open(self, folder: Path) -> tuple[NDArray[np.bytes_], Vectors] | None:
        """(keys, vectors) of a whole segment; None where it was damaged (then quarantined)."""
        try:
            mark = (str(folder.resolve()), folder.stat().st_mtime_ns)
            if mark not in _VERIFIED:
                entries.verify(folder)
            _VERIFIED.add(mark)
            if (folder / IDENTITY).read_text(encoding="utf-8") != self.identity:
                raise entries.DamagedEntry(f"{folder.name}: it belongs to another model")
            hashes = np.load(folder / HASHES, allow_pickle=False)
            vectors: Vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
        except (entries.DamagedEntry, OSError, ValueError) as error:
            if folder.exists():  # else another process has quarantined it
                shelter = entries.quarantine(folder)
                logger.warning("damaged vectors moved to %s (%s); their texts are embedded again", shelter, error)
            return None
        return _keys(hashes), vectors

    def _sweep(self) -> None:
        """Removes what killed processes left behind."""
        for path in self._folder.glob(".*"):
            try:
                abandoned = time.time() - path.stat().st_mtime > ABANDONED_SECONDS
            except FileNotFoundError:
                continue  # published meanwhile
            if abandoned:
                shutil.rmtree(path, ignore_errors=True)


def _keys(hashes: Hashes) -> NDArray[np.bytes_]:
    """One comparable value a row; NumPy's fixed-width bytes compare all 16 bytes since all have the same width."""
    return np.ascontiguousarray(hashes).view(f"S{HASH_BYTES}").ravel()
