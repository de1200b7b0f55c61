"""What a stored plan was made of, composed again from its command line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from pipeline.config import STAMP, build
from pipeline.errors import PipelineError, SettingError
from pipeline.knobs import configuration
from pipeline.records import Dataset
from pipeline.storage.sweep_files import Plan, read_plan
from pipeline.sweep import process
from pipeline.sweep.explain import explain


def dataset_of(plan: Plan) -> Dataset:
    """The dataset that the plan's first job reads, as it is today."""
    return process.load(build(compose_again(plan)).source)


def dataset_if_same(folder: Path, digest: object) -> Dataset | None:
    """The dataset of the sweep in `folder`; None where it is gone or another one by now."""
    try:
        dataset = dataset_of(read_plan(folder))
    except PipelineError:
        return None
    return dataset if dataset.digests.whole == digest else None


def compose_again(plan: Plan) -> DictConfig:
    """The configuration of the plan's first job. SettingError where a part of it is gone."""
    os.environ.setdefault(STAMP, "again")
    folders = [f"hydra.searchpath=[file://{Path(folder).absolute()}]" for folder in _folders(plan.arguments)]
    try:
        with initialize_config_dir(configuration(), version_base="1.3"):
            return compose("config", [*plan.jobs[0].overrides, *folders])
    except (HydraException, OmegaConfBaseException) as error:
        raise SettingError(f"{plan.command}: cannot be composed again: {explain(error)}") from error


def _folders(arguments: Sequence[str]) -> Iterator[str]:
    """The folders of the user's configuration: `--config-dir FOLDER` or `--config-dir=FOLDER`."""
    for item, following in zip(arguments, [*arguments[1:], ""], strict=True):
        flag, joined, value = item.partition("=")
        if flag in ("--config-dir", "-cd"):
            yield value if joined else following
