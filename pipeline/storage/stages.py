"""The one cache: memory within a budget, then verified disk, then a lock for the key, then compute."""

from __future__ import annotations

import dataclasses
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from filelock import FileLock

from pipeline.storage import entries

Value = TypeVar("Value")

DEFAULT_MEMORY = 2 << 30  # bytes of arrays and texts that one process keeps


def ignore(_: str) -> None:
    """Takes a note that nobody wants."""


class Stages:
    """Values by content key. Counts what it found and what it had to compute, by stage."""

    def __init__(
        self, folder: Path | None, *, memory: int = DEFAULT_MEMORY, note: Callable[[str], None] = ignore
    ) -> None:
        """`folder` None keeps nothing on disk; `memory` in bytes; `note` is told of damage and of a full disk."""
        self.folder = folder
        self.memory = memory
        self.note = note
        self.computed: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self._values: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._verified: set[str] = set()
        self._unwritable = False

    def get(
        self,
        key: str,
        compute: Callable[[], Value],
        save: Callable[[Value, Path], bool] | None = None,
        load: Callable[[Path], Value] | None = None,
    ) -> Value:
        """The value under `key`: from memory, from disk where `load` is given, else computed and saved."""
        if key in self._values:
            self._values.move_to_end(key)
            kept: Value = self._values[key][0]
            return kept
        if self.folder is None or save is None or load is None:
            return self._keep(key, self._compute(key, compute))
        value = self._from_disk(key, load)
        if value is None:
            value = self._locked(key, compute, save, load)
        return self._keep(key, value)

    def has(self, key: str) -> bool:
        """Whether `get` would find it (a damaged entry still counts as found here)."""
        return key in self._values or (self.folder is not None and self._place(key).is_dir())

    def forget(self) -> None:
        """Empties the memory; what is on disk stays."""
        self._values.clear()

    def _compute(self, key: str, compute: Callable[[], Value]) -> Value:
        value = compute()
        self.computed[_stage(key)] += 1
        return value

    def _locked(
        self, key: str, compute: Callable[[], Value], save: Callable[[Value, Path], bool], load: Callable[[Path], Value]
    ) -> Value:
        # The lock only saves double work: publishing by rename is what keeps entries whole.
        lock = self._acquire(key)
        if lock is None:
            return self._compute(key, compute)
        try:
            value = self._from_disk(key, load)
            if value is None:
                value = self._compute(key, compute)
                self._to_disk(key, value, save)
        finally:
            lock.release()
        return value

    def _from_disk(self, key: str, load: Callable[[Path], Value]) -> Value | None:
        place = self._place(key)
        if not place.is_dir():
            return None
        try:
            if key not in self._verified:
                entries.verify(place)
                self._verified.add(key)
            value = load(place)
        except (entries.DamagedEntry, ValueError, KeyError, OSError) as error:
            self._verified.discard(key)
            self.note(f"cache: {error}; set aside under {entries.quarantine(place)} and computed again")
            return None
        self.found[_stage(key)] += 1
        return value

    def _to_disk(self, key: str, value: Value, save: Callable[[Value, Path], bool]) -> None:
        class Declined(Exception):
            pass

        def write(folder: Path) -> None:
            if not save(value, folder):
                raise Declined

        try:
            if entries.publish(self._place(key), write):
                self._verified.add(key)
        except Declined:
            return
        except OSError as error:
            self._tell_unwritable(error)

    def _acquire(self, key: str) -> FileLock | None:
        place = self._place(key)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(place.parent / f"{key}.lock", mode=0o644)
            lock.acquire()
        except OSError as error:
            self._tell_unwritable(error)
            return None
        return lock

    def _tell_unwritable(self, error: OSError) -> None:
        if not self._unwritable:
            self._unwritable = True
            self.note(f"cache: {self.folder} cannot be written ({error.strerror or error}); going on without it")

    def _place(self, key: str) -> Path:
        if self.folder is None:
            raise ValueError("these stages have no folder")
        return self.folder / _stage(key) / key

    def _keep(self, key: str, value: Value) -> Value:
        size = weight(value)
        if size <= self.memory:
            self._values[key] = (value, size)
            total = sum(size for _, size in self._values.values())
            while total > self.memory:
                total -= self._values.popitem(last=False)[1][1]
        return value


def weight(value: Any) -> int:
    """Bytes of arrays and texts inside records, tuples, lists and mappings; a rough figure for the budget."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, (str, bytes)):
        return len(value) + 50
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return sum(weight(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return sum(weight(key) + weight(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return sum(map(weight, value))
    size = getattr(value, "nbytes", 64)
    return int(size) if isinstance(size, int) else 64


def _stage(key: str) -> str:
    return key.partition("-")[0]
