"""What the small files of a model say about it, read without loading it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.errors import ModelError

# Transformers writes 10^30 where a tokenizer knows no limit.
NO_LIMIT = 10**9
# sentence-transformers reads the first of these that is there.
LIMIT_FILES = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)


@dataclass(frozen=True)
class Layout:
    """`total` counts all tokens the model reads at a time, special ones and prefix included; None = no limit."""

    tokenizer: Path  # tokenizer.json, or the folder where there is none
    static: bool  # a table of token vectors: no attention, no positions, no special tokens
    total: int | None
    positions: int | None  # what max_tokens can be raised to; None = not stated
    prompts: Mapping[str, str] = field(default_factory=dict)
    default_prompt: str = ""
    names: tuple[str, ...] = ()  # what the files call the model and its ancestor
    architecture: str = ""


def read_json(path: Path) -> Any:
    """The content of `path`; {} where there is no such file. ModelError where it is no JSON."""
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ModelError(f"{path}: cannot be read as JSON ({error}); download the model again") from None


def read_mapping(path: Path) -> dict[str, Any]:
    """As `read_json`, but a JSON object."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise ModelError(f"{path}: expected a JSON object, got {type(content).__name__}; download the model again")
    return content


def modules(folder: Path) -> list[dict[str, Any]]:
    """The modules that modules.json lists, in order; none for a plain transformers folder."""
    listed = read_json(folder / "modules.json") or []
    if not isinstance(listed, list) or not all(isinstance(module, dict) for module in listed):
        raise ModelError(f"{folder / 'modules.json'}: expected a list of modules; download the model again")
    return listed


def read_layout(folder: Path) -> Layout:
    """The layout of a sentence-transformers or plain transformers folder. ModelError names a file that is broken."""
    listed = modules(folder)
    static = bool(listed) and str(listed[0].get("type", "")).endswith(".StaticEmbedding")
    first = folder / str(listed[0].get("path", "")) if listed else folder
    config = read_mapping(first / "config.json")
    prompts = read_mapping(folder / "config_sentence_transformers.json")
    named = {key: text for key, text in dict(prompts.get("prompts") or {}).items() if isinstance(text, str)}
    total, positions = (_static_limit(first), None) if static else _limits(first, config)
    tokenizer = first / "tokenizer.json"
    return Layout(
        tokenizer=tokenizer if tokenizer.is_file() else first,
        static=static,
        total=total,
        positions=positions,
        prompts=named,
        default_prompt=named.get(prompts.get("default_prompt_name") or "", ""),
        names=tuple(str(config[key]) for key in ("_name_or_path",) if config.get(key)),
        architecture=str(config.get("model_type") or ""),
    )


def _limits(folder: Path, config: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """(tokens read at a time, positions) by the rule of sentence-transformers' Transformer module."""
    positions = _limit(config.get("max_position_embeddings"))
    # RoBERTa and its kin number positions from pad_token_id + 1.
    if positions is not None and str(config.get("model_type")) in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        positions -= int(config.get("pad_token_id") or 1) + 1
    for name in LIMIT_FILES:
        stated = _limit(read_mapping(folder / name).get("max_seq_length"))
        if stated is not None:
            return stated, positions
    tokenizer = _limit(read_mapping(folder / "tokenizer_config.json").get("model_max_length"))
    both = [limit for limit in (tokenizer, positions) if limit is not None]
    return (min(both) if both else None), positions


def _static_limit(folder: Path) -> int | None:
    truncation = read_mapping(folder / "tokenizer.json").get("truncation") or {}
    return _limit(truncation.get("max_length"))


def _limit(value: object) -> int | None:
    if isinstance(value, (int, float)) and 0 < value < NO_LIMIT:
        return int(value)
    return None
