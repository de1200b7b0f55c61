"""What a stored plan was made of, composed again from its command line."""

from __future__ import annotations

import os
from pathlib import Path

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig

from pipeline.config import STAMP, build, configuration
from pipeline.errors import PipelineError
from pipeline.records import Dataset
from pipeline.storage.sweep_files import Plan, read_plan
from pipeline.sweep import process


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
    """The configuration of the plan's first job."""
    os.environ.setdefault(STAMP, "again")
    pairs = zip(plan.arguments, plan.arguments[1:], strict=False)
    folders = [value for flag, value in pairs if flag in ("--config-dir", "-cd")]
    with initialize_config_dir(configuration(), version_base="1.3"):
        overrides = [*plan.jobs[0].overrides, *(f"hydra.searchpath=[file://{folder}]" for folder in folders)]
        return compose("config", overrides)
