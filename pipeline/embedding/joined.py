"""A model that comes as one zip file cut into several packages: joined once into the cache folder."""

from __future__ import annotations

import io
import shutil
import zipfile
from importlib import metadata
from pathlib import Path
from uuid import uuid4

from pipeline.embedding.models import Packaged
from pipeline.errors import EnvironmentFault, ModelError
from pipeline.storage.entries import file_digest

KEPT = {".safetensors", ".json", ".txt"}


def joined_folder(name: str, packaged: Packaged, cache: Path | None) -> Path | None:
    """Where the joined model lies; None if its parts are here but not joined yet. ModelError if it cannot be had."""
    target = _target(name, packaged, cache)
    if _complete(target, packaged):
        return target
    _parts(name, packaged)
    return None


def join_parts(name: str, packaged: Packaged, cache: Path | None) -> Path:
    """The folder of the joined model, made if missing; the parts are held in memory (mpnet 0.4 GB)."""
    target = _target(name, packaged, cache)
    if _complete(target, packaged):
        return target
    whole = io.BytesIO(b"".join(part.read_bytes() for part in _parts(name, packaged)))
    making = target.with_name(f"{uuid4().hex}.part")
    try:
        making.mkdir(parents=True)
        _unpack(whole, making, name, packaged)
        _check(making, name, packaged)
        if not _complete(target, packaged):
            making.rename(target)
    except zipfile.BadZipFile:
        raise ModelError(
            f"the packages of {name!r} do not join to a zip file; install again: {packaged.install}"
        ) from None
    except OSError as error:
        if not _complete(target, packaged):  # else another process was first
            raise EnvironmentFault(
                f"{target}: cannot write the model there ({error}); free space or set cache_dir"
            ) from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return target


def _unpack(whole: io.BytesIO, target: Path, name: str, packaged: Packaged) -> None:
    """The model's files alone; paths keep what lies below the folder of the weights."""
    with zipfile.ZipFile(whole) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        weights = next((Path(m.filename) for m in members if Path(m.filename).name == packaged.weights), None)
        if weights is None:
            raise ModelError(f"the packages of {name!r} hold no {packaged.weights}; install again: {packaged.install}")
        for member in members:
            path = Path(member.filename)
            inside = path.is_relative_to(weights.parent) and ".." not in path.parts
            if inside and (path.suffix in KEPT):
                goal = target / path.relative_to(weights.parent)
                goal.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, goal.open("wb") as copy:
                    shutil.copyfileobj(source, copy)


def _check(folder: Path, name: str, packaged: Packaged) -> None:
    """ModelError unless the joined weights are the published ones: a wrong part must not be found out hours later."""
    found = file_digest(folder / packaged.weights)
    if found != packaged.sha256 or not _complete(folder, packaged):
        raise ModelError(
            f"the packages of {name!r} do not join to its weights (SHA-256 {found[:12]}…, expected "
            f"{packaged.sha256[:12]}…); install again: {packaged.install}"
        )


def _target(name: str, packaged: Packaged, cache: Path | None) -> Path:
    if cache is None:
        raise ModelError(f"the model {name!r} comes in parts and is joined in the cache; set embedding.cache_dir")
    return cache / "models" / f"{name}-{packaged.sha256[:12]}"


def _complete(target: Path, packaged: Packaged) -> bool:
    weights = target / packaged.weights
    return weights.is_file() and weights.stat().st_size == packaged.size


def _parts(name: str, packaged: Packaged) -> list[Path]:
    """The files of the parts, in order; the module folders have hyphens, so they are found through metadata."""
    found, missing = [], []
    for distribution in packaged.distributions:
        try:
            listed = metadata.files(distribution) or []
        except metadata.PackageNotFoundError:
            listed = []
        part = next((file for file in listed if ".zip." in file.name), None)
        path = None if part is None else Path(str(part.locate()))
        if path is None or not path.is_file():
            missing.append(distribution)
        else:
            found.append(path)
    if missing:
        raise ModelError(
            f"the model {name!r} needs {len(packaged.distributions)} packages, {len(missing)} are missing "
            f"({', '.join(missing)}); install them: {packaged.install}"
        )
    return found
