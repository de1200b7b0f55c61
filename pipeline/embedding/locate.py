"""From the name of a model to the folder its files lie in. Imports no model library."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pipeline.embedding.joined import join_parts, joined_folder
from pipeline.embedding.models import MODELS, Form, Packaged, kind_of
from pipeline.errors import ModelError

Offline: TypeAlias = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class Place:
    """Where a model lies. `weights`, `sha256`, `size`, `install` are set for packaged models only."""

    form: Form
    folder: Path
    tokenizer: Path  # meant for form="static"
    weights: Path | None = None
    sha256: str = ""
    size: int = 0
    install: str = ""
    dims: int | None = None


def locate(model: str, *, offline: Offline, cache: Path | None, trust: bool, fetch: bool) -> Place | None:
    """The place of `model`; None if it is not here yet but can be fetched (only with `fetch=False`).

    `fetch=True` does what is missing: downloads a hub model, joins a model that comes in parts.
    ModelError in one line where the model cannot be had.
    """
    kind = kind_of(model)
    if kind == "short":
        return _packaged(model, MODELS[model], cache, fetch)
    if kind == "folder":
        return _folder(model)
    from pipeline.embedding.hub import hub_folder

    folder = hub_folder(model, offline=offline, trust=trust, fetch=fetch)
    return None if folder is None else Place("folder", folder, folder)


def package_folder(module: str) -> Path | None:
    """The folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _packaged(name: str, packaged: Packaged, cache: Path | None, fetch: bool) -> Place | None:
    if packaged.form == "parts":
        folder = join_parts(name, packaged, cache) if fetch else joined_folder(name, packaged, cache)
        if folder is None:
            return None
        weights = folder / packaged.weights
    else:
        base = package_folder(packaged.module)
        if base is None:
            raise ModelError(f"the model {name!r} is not installed; install it: {packaged.install}")
        weights = base / packaged.weights
        folder = base if packaged.form == "static" else weights.parent
    tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json" if packaged.form == "static" else folder
    if not weights.is_file() or not tokenizer.exists():
        raise ModelError(f"{weights.parent}: the files of {name!r} are missing; install it again: {packaged.install}")
    return Place(
        form=packaged.form,
        folder=folder,
        tokenizer=tokenizer,
        weights=weights,
        sha256=packaged.sha256,
        size=packaged.size,
        install=packaged.install,
        dims=packaged.dims,
    )


def _folder(model: str) -> Place:
    folder = Path(model).expanduser().resolve()
    if not folder.is_dir():
        raise ModelError(f"embedding.model={model}: there is no folder {folder}; put the model there or name another")
    if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
        raise ModelError(
            f"{folder}: no model here, expected modules.json or config.json as sentence-transformers and "
            "transformers save them; name the folder that holds them"
        )
    return Place("folder", folder, folder)
