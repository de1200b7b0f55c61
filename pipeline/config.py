"""Hydra's tree becomes components: the checks, and the only place that instantiates.

A node with `_target_` names a frozen dataclass and its fields. Nothing is called before the whole tree was checked:
targets outside `pipeline.` (or a package named by RAG_SWEEP_ALLOW) and unknown keys are refused with one line.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import os
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipeline import metrics
from pipeline.errors import SettingError
from pipeline.identity import Experiment
from pipeline.knobs import Knobs
from pipeline.protocols import DatasetSource, External
from pipeline.records import Scalar
from pipeline.retrieval.parts import embedder_of, label, parts_of
from pipeline.stats import StatsOptions
from pipeline.storage.fingerprint import relevant_fields

ALLOW = "RAG_SWEEP_ALLOW"
TARGET = "_target_"
STAMP = "RAG_SWEEP_STAMP"  # environment variable: the folder name of this sweep, date, time and short id
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


@dataclass(frozen=True)
class Point:
    """One point of a sweep, built and checked."""

    source: DatasetSource
    experiment: Experiment
    stats: StatsOptions
    tracking: Any
    answers: Any
    settings: Mapping[str, Scalar]
    config: Mapping[str, Any]  # the resolved tree it was built from
    label: str
    primary: metrics.Measure
    budgets: tuple[int, ...]
    seed: int


def build(cfg: DictConfig) -> Point:
    """The components of a composed configuration; SettingError in one line for anything that cannot be."""
    try:
        own = OmegaConf.masked_copy(cfg, [key for key in cfg if key != "hydra"])
        _check_given(own)
        tree = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        raise SettingError(one_line(error)) from error
    if not isinstance(tree, dict):
        raise SettingError("the configuration is no mapping")
    knobs: dict[str, Any] = {str(key): value for key, value in tree.items()}
    _check_keys(knobs, {item.name for item in dataclasses.fields(Knobs)}, "")
    for where, node in _targets(knobs, ""):
        _check_node(where, node)
    measures = _measures(knobs)
    retriever = construct(knobs["retriever"], "retriever")
    experiment = Experiment(
        chunker=construct(knobs["chunker"], "chunker"),
        retriever=retriever,
        measures=measures,
        budget_tokenizer=_tokenizer(knobs["budget_tokenizer"]),
        options=metrics.Options(**{name: knobs[name] for name in ("policy", "negative_grades", "later", "undated")}),
        context=construct(knobs["context"], "context"),
        decay=construct(knobs["decay"], "decay") or None,
        as_of=knobs["as_of"] or "",
        **{name: knobs[name] for name in ("depth", "probes", "seed", "ties")},
    )
    primary = metrics.parse(knobs["primary"], scale_later=True)
    if primary not in measures:
        raise SettingError(f"primary={primary}: not among the measures; add it: 'measures=[{primary},…]'")
    answers = construct(knobs["answers"], "answers")
    settings = {**_settings(experiment, knobs), "answers": answers.name}
    return Point(
        source=construct(knobs["dataset"], "dataset"),
        experiment=experiment,
        stats=construct(knobs["stats"], "stats"),
        tracking=construct(knobs["tracking"], "tracking"),
        answers=answers,
        settings=settings,
        config=knobs,
        label=label(settings),
        primary=primary,
        budgets=tuple(knobs["budgets"]),
        seed=knobs["seed"],
    )


def _check_given(cfg: DictConfig) -> None:
    for key in sorted(OmegaConf.missing_keys(cfg)):
        raise SettingError(f"{key} is missing; give it as {key}=…")


def construct(node: Any, where: str) -> Any:
    """The component that a node with `_target_` describes, its children first; other data as it is, lists as tuples."""
    if isinstance(node, Mapping):
        children = {str(key): construct(value, f"{where}.{key}") for key, value in node.items() if key != TARGET}
        if TARGET not in node:
            return children
        kind = _target(str(node[TARGET]), where)
        hints = typing.get_type_hints(kind)
        values = {name: _fit(value, hints.get(name), f"{where}.{name}") for name, value in children.items()}
        try:
            return kind(**values)
        except TypeError as error:
            raise SettingError(f"{where}: {error}") from error
        except SettingError as error:
            raise SettingError(_placed(error, where)) from error
    if isinstance(node, list):
        return tuple(construct(item, f"{where}[{number}]") for number, item in enumerate(node))
    return node


def _placed(error: SettingError, where: str) -> str:
    """The message with the place it belongs to, unless it names its knob by itself."""
    knobs = {item.name for item in dataclasses.fields(Knobs)}
    named = re.match(r"[\w.]+", str(error))
    return str(error) if named and named.group().partition(".")[0] in knobs else f"{where}: {error}"


def _knob(where: str) -> str:
    """The name to type: a model is set once, as `embedding`, wherever it stands in the retriever."""
    _, inside, field_name = where.rpartition(".embedding.")
    return f"embedding.{field_name}" if inside else where


def _fit(value: Any, hint: Any, where: str) -> Any:
    """`value` as the field wants it: a tokenizer by its name, a whole number for a float; wrong types are refused."""
    from pipeline.protocols import Tokenizer

    if hint is Tokenizer and isinstance(value, str):
        return _tokenizer(value)
    wanted = set(typing.get_args(hint)) if isinstance(hint, types.UnionType) else {hint}
    if float in wanted and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    plain = {str, int, float, bool, type(None)}
    if wanted <= plain and type(value) not in wanted:
        expected = " or ".join(sorted(KINDS[kind] for kind in wanted))
        raise SettingError(f"{_knob(where)}={value}: expected {expected}")
    options = typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()
    if options and value not in options:
        raise SettingError(f"{_knob(where)}={value}: expected one of {', '.join(map(str, options))}")
    return value


def _tokenizer(name: str) -> Any:
    from pipeline.tokenizing import tokenizer

    return tokenizer(name)


def _target(name: str, where: str) -> Any:
    module, _, kind = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), kind)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"{where}: _target_ {name!r} cannot be imported ({error})") from error


def _targets(node: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(node, Mapping):
        if TARGET in node:
            yield where, node
        for key, value in node.items():
            yield from _targets(value, f"{where}.{key}".lstrip("."))
    elif isinstance(node, list):
        for number, item in enumerate(node):
            yield from _targets(item, f"{where}[{number}]")


def allowed_packages() -> tuple[str, ...]:
    """The packages whose components a configuration may name."""
    return ("pipeline", *filter(None, os.environ.get(ALLOW, "").replace(",", " ").split()))


def _check_node(where: str, node: Mapping[str, Any]) -> None:
    name = str(node[TARGET])
    allowed = allowed_packages()
    if not any(name.startswith(f"{package}.") for package in allowed):
        raise SettingError(
            f"{where}: _target_ {name!r} lies outside the allowed packages ({', '.join(allowed)});"
            f" to trust another one: {ALLOW}=its_name"
        )
    kind = _target(name, where)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise SettingError(f"{where}: _target_ {name!r} is no component (a frozen dataclass)")
    _check_keys({key: value for key, value in node.items() if key != TARGET}, _field_names(kind), where)


def _field_names(kind: type) -> set[str]:
    return {item.name for item in dataclasses.fields(kind) if item.init}


def _check_keys(found: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in found:
        if key not in known:
            raise SettingError(unknown_key(f"{where}.{key}".lstrip("."), key, known, where))


def unknown_key(name: str, key: str, known: set[str] | Sequence[str], where: str) -> str:
    """One line for a key that nobody reads, with the nearest known ones."""
    # Within a group names are short (k2 is near k1); at the top they are words ("provider" is not near "probes").
    near = difflib.get_close_matches(key, sorted(known), n=1, cutoff=0.5 if where else 0.6)
    there = f" of {where}" if where else ""
    if near:
        return f"{name}: unknown key; did you mean {f'{where}.{near[0]}'.lstrip('.')}?"
    return f"{name}: unknown key; the keys{there} are {', '.join(sorted(known))}"


def _measures(knobs: Mapping[str, Any]) -> tuple[metrics.Measure, ...]:
    names = [*knobs["measures"]]
    for budget in knobs["budgets"]:
        if budget < 1:
            raise SettingError(f"budgets: {budget} tokens; expected 1 or more")
        names += [f"{name}@{budget}tok" for name in ("R", "Rspan", "Full")]
    if knobs["half_life"] is not None:
        names += ["nDCG@10", *(f"{name}(half_life={knobs['half_life']:g})@10" for name in ("nDCG_t", "Freshness"))]
    return tuple(dict.fromkeys(metrics.parse(name, scale_later=True) for name in names))


def _settings(experiment: Experiment, knobs: Mapping[str, Any]) -> dict[str, Scalar]:
    """Every setting that can differ between experiments, flat, the same keys in all of them; `none` = has no part."""
    retriever = experiment.retriever
    embedder = embedder_of(retriever)
    external = isinstance(retriever, External)
    settings: dict[str, Scalar] = {
        "retriever": retriever.kind,
        "embedding": "none" if embedder is None else embedder.name,
        "chunk_size": "none" if external else _counted(experiment, "size"),
        "chunk_overlap": "none" if external else _counted(experiment, "overlap"),
        "chunker": "none" if external else type(experiment.chunker).__name__,
        "prefix": "none" if external else experiment.chunker.prefix,
        "context": "none" if external else experiment.context.kind,
        "decay": "none" if experiment.decay is None else experiment.decay.kind,
        "as_of": experiment.as_of or "none",
        "depth": experiment.depth,
        **{name: knobs[name] for name in ("policy", "negative_grades", "later", "undated", "budget_tokenizer")},
        "seed": knobs["seed"],
    }
    parts = parts_of(retriever)
    if not external:
        parts["context"] = relevant_fields(experiment.context)
    if experiment.decay is not None:
        parts["decay"] = relevant_fields(experiment.decay)
    for group in ("bm25", "dense", "embedding", "fusion", "run_file", "context", "decay"):
        described = parts.get(group, {})
        names = set(described) or (set(knobs[group]) - {TARGET} if isinstance(knobs.get(group), dict) else set())
        for name in sorted(names):
            value = described.get(name, "none")
            if isinstance(value, (str, int, float, bool)):
                settings[f"{group}.{name}"] = value
    return settings


def _counted(experiment: Experiment, field_name: str) -> Scalar:
    """Size or overlap of the chunks in tokens; `whole` where the chunker takes documents as they are."""
    chunker = experiment.chunker
    irrelevant: frozenset[str] = getattr(chunker, "irrelevant", frozenset())
    return "whole" if field_name in irrelevant else int(getattr(chunker, field_name))


def one_line(error: Exception) -> str:
    """The part of a library's message that a person can use."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    kept = [
        line for line in lines if not line.startswith(("full_key:", "object_type=", "Set the environment variable"))
    ]
    return " ".join(kept) or type(error).__name__
