"""What a model folder may hold. Checked before any library reads a byte of it.

`trust_remote_code=False` once did not keep sentence-transformers from importing code out of a local folder
(huggingface/sentence-transformers #3801), so the rule is checked here and not left to the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipeline.embedding.layout import modules, read_json, read_mapping
from pipeline.errors import ModelError

PICKLED = {".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib"}
# Folders of other runtimes inside a model folder: never read here.
OTHER_RUNTIMES = {"onnx", "openvino", "coreml", "gguf"}


def refuse_foreign_code(folder: Path, name: str) -> None:
    """ModelError naming the file if loading `folder` could run code that comes with the model.

    Refused: Python files; `auto_map` in a configuration; classes outside sentence_transformers in modules.json and
    the modules' own configurations; pickled weights where no .safetensors file lies beside them.
    """
    for fault in _faults(folder):
        raise ModelError(
            f"{name}: {fault}; only safetensors weights and library classes are loaded "
            "(embedding.trust_remote_code=true loads it all the same: it runs code that came with the model)"
        )


def files(folder: Path) -> list[Path]:
    """Every file of the model, sorted; hidden folders and those of other runtimes left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        above = path.relative_to(folder).parts[:-1]
        if path.is_file() and not any(part.startswith(".") or part in OTHER_RUNTIMES for part in above):
            found.append(path)
    return found


def _faults(folder: Path) -> Iterator[str]:
    every = files(folder)
    for path in every:
        if path.suffix == ".py":
            yield f"{path} is Python code"
        if path.suffix == ".json" and "config" in path.name and _has_key(read_json(path), "auto_map"):
            yield f"{path} names classes to import (auto_map)"
    for module in modules(folder):
        if not str(module.get("type", "")).startswith("sentence_transformers."):
            yield f"{folder / 'modules.json'} names the foreign class {module.get('type')!r}"
        if not (folder / str(module.get("path", ""))).resolve().is_relative_to(folder.resolve()):
            yield f"{folder / 'modules.json'} leads out of the folder to {module.get('path')!r}"
    for part in sorted({path.parent for path in every}):
        yield from _foreign_classes(part, root=part == folder)
        inside = [path for path in every if path.parent == part]
        pickled = [path for path in inside if path.suffix in PICKLED]
        if pickled and not any(path.suffix == ".safetensors" for path in inside):
            yield f"{pickled[0]} holds pickled weights"


def _foreign_classes(part: Path, root: bool) -> Iterator[str]:
    """Dense imports its activation function, Router its modules and WordEmbeddings its tokenizer by name."""
    router = read_mapping(part / "router_config.json")
    types = router.get("types") or {}
    for name in types.values() if isinstance(types, dict) else ():
        if not str(name).startswith("sentence_transformers."):
            yield f"{part / 'router_config.json'} names the foreign class {name!r}"
    if root:
        return
    for path in sorted(part.glob("*config.json")):
        config = read_mapping(path)
        activation = str(config.get("activation_function") or "torch.nn.Identity")
        if "." in activation and not activation.startswith("torch.nn."):
            yield f"{path} names the foreign class {activation!r}"
        tokenizer = str(config.get("tokenizer_class") or "")
        if "." in tokenizer and not tokenizer.startswith("sentence_transformers."):
            yield f"{path} names the foreign class {tokenizer!r}"


def _has_key(content: object, key: str) -> bool:
    if isinstance(content, dict):
        return key in content or any(_has_key(value, key) for value in content.values())
    return isinstance(content, list) and any(_has_key(value, key) for value in content)
