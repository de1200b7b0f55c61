"""Records of arrays to and from a folder of .npy files and one JSON file; object arrays are refused both ways."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

META = "meta.json"


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any] | None = None) -> bool:
    """Writes `name.npy` for each array and `meta.json`; always True (see protocols.Leg.save)."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    (folder / META).write_text(json.dumps(dict(meta or {}), ensure_ascii=False), "utf-8")
    return True


def load_array(folder: Path, name: str) -> NDArray[Any]:
    """One array of `save_arrays`."""
    array: NDArray[Any] = np.load(folder / f"{name}.npy", allow_pickle=False)
    return array


def load_meta(folder: Path) -> dict[str, Any]:
    """The JSON part of `save_arrays`."""
    meta: dict[str, Any] = json.loads((folder / META).read_text("utf-8"))
    return meta
