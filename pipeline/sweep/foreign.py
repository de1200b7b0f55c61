"""Configuration files from a folder of the user's: what they name is called by Hydra before any code of ours runs.

So they are read here first: a `_target_` outside the allowed packages, a `()` factory of a log handler and a further
search path are refused, wherever they stand. The command line itself is the user's own word and is not searched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from pipeline.config import TARGET, allowed_packages
from pipeline.errors import SettingError
from pipeline.knobs import configuration

FLAGS = ("--config-dir", "-cd", "--config-path", "-cp")


def check_folders(arguments: Sequence[str]) -> None:
    """SettingError with file and key for the first thing that Hydra would call and nobody allowed."""
    for folder in _folders(arguments):
        for path in _configurations(folder):
            for where, value in _called(_tree(path), ""):
                raise SettingError(
                    f"{path}: {where}={value}: Hydra would call or follow it; a configuration folder may name"
                    f" components of {', '.join(allowed_packages())} alone"
                )


def _folders(arguments: Sequence[str]) -> Iterator[Path]:
    for item, following in zip(arguments, [*arguments[1:], ""], strict=True):
        flag, joined, value = item.partition("=")
        if flag in FLAGS:
            given = Path(value if joined else following)
            yield from (path for path in (given, Path(configuration()) / given) if path.is_dir())


def _configurations(folder: Path) -> list[Path]:
    """YAML files below `folder`. Links are followed, as Hydra follows them; a folder is walked once, so loops end."""
    found: list[Path] = []
    walked: set[Path] = set()
    for here, below, names in os.walk(folder, followlinks=True):
        place = Path(here).resolve()
        if place in walked:
            below.clear()
            continue
        walked.add(place)
        found += [Path(here, name) for name in names if fnmatch(name, "*.y*ml")]
    return sorted(found)


def _tree(path: Path) -> Any:
    try:
        return OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (OmegaConfBaseException, YAMLError, OSError, UnicodeDecodeError):
        return {}  # Hydra cannot read it either, and says so if it is asked for


def _called(node: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            here = f"{where}.{key}".lstrip(".")
            last = str(key).rpartition(".")[2]
            if last == TARGET and not any(str(value).startswith(f"{package}.") for package in allowed_packages()):
                yield here, str(value)
            if last in ("()", "searchpath"):
                yield here, str(value)
            yield from _called(value, here)
    elif isinstance(node, list):
        for number, item in enumerate(node):
            yield from _called(item, f"{where}[{number}]")
