"""A sweep: planned before its first job, finished from its files.

Hydra swallows what a callback raises and ends on the first failing task. So the callback here only plans (and leaves
by SystemExit on bad input), a task never raises, and `pipeline.run` finishes afterwards, whatever the launcher.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipeline.config import Point, build
from pipeline.errors import PipelineError, SettingError
from pipeline.storage.sweep_files import Plan, read_plan
from pipeline.storage.uses import USES
from pipeline.sweep import job, process
from pipeline.sweep.explain import explain
from pipeline.sweep.finish import Means
from pipeline.sweep.nulls import Scale
from pipeline.sweep.prepare import Request, prepare

PLANNED: list[tuple[Path, Means]] = []  # this process's sweep, for whoever finishes it


class PlanFirst(Callback):
    """Plans in the parent process, before any launcher starts a job and before any folder is made."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Composes, builds and checks every point; SystemExit with one line if anything is wrong."""
        _or_exit(lambda: _plan_sweep(config))

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """The same for a single run: a sweep of one."""
        folder = Path(config.hydra.run.dir).absolute()
        overrides = tuple(_given(config))
        _or_exit(lambda: plan_points([(overrides, build(config))], config, folder, multirun=False))


def _or_exit(plan: Callable[[], object]) -> None:
    try:
        plan()
    except PipelineError as error:
        process.warn(str(error))
        raise SystemExit(error.exit_code) from error
    except (HydraException, OmegaConfBaseException) as error:
        process.warn(explain(error))
        raise SystemExit(2) from error
    except Exception as error:  # Hydra would swallow it and start the jobs without a plan
        traceback.print_exc()
        raise SystemExit(1) from error


def task(cfg: DictConfig) -> None:
    """One Hydra job of a planned sweep or run; it never raises."""
    hydra = HydraConfig.get()
    multirun = hydra.mode == RunMode.MULTIRUN
    folder = Path(hydra.sweep.dir if multirun else hydra.run.dir).absolute()
    number = int(hydra.job.num) if multirun else 0
    point, plan = build(cfg), read_plan(folder)
    job.perform(point, plan.jobs[number], folder / str(number), cfg.cache_dir, measures=plan.measures)
    job.mirror(point, folder, number)


def plan_points(
    points: Sequence[tuple[tuple[str, ...], Point]], cfg: DictConfig, folder: Path, *, multirun: bool
) -> Plan:
    """Prepares the folder of a sweep of these points."""
    baseline = OmegaConf.to_container(cfg.baseline) if OmegaConf.is_config(cfg.baseline) else cfg.baseline
    request = Request(
        folder=folder,
        arguments=tuple(sys.argv[1:]),
        multirun=multirun,
        baseline=baseline,
        cache_dir=cfg.cache_dir,
        resume=cfg.resume is not None,
    )
    plan = prepare(points, request)
    first = points[0][1]
    scale = Scale(first, cfg.cache_dir) if cfg.nulls else None
    ledger = Path(cfg.output_dir).expanduser() / USES
    means = Means(first.stats, first.tracking, process.load(first.source), scale=scale, ledger=ledger)
    PLANNED[:] = [(folder, means)]
    return plan


def _plan_sweep(config: DictConfig) -> None:
    overrides = _points(config)
    points = []
    for number, changes in enumerate(overrides):
        composed = _compose(config, changes)
        try:
            points.append((tuple(changes), build(composed)))
        except PipelineError as error:
            varied = [item for item in changes if any(item not in other for other in overrides)]
            where = f"job {number} ({' '.join(varied)}): " if varied else ""
            raise type(error)(f"{where}{error}") from error
    cfg = _compose(config, overrides[0])
    if int(cfg.n_jobs) < 1:
        raise SettingError(f"n_jobs={cfg.n_jobs}: jobs at the same time, expected 1 or more")
    if int(cfg.n_jobs) > 1:
        # Two threaded jobs on two cores are slower than two single-threaded ones; children inherit this.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ["RAG_SWEEP_JOBS_BESIDE"] = str(min(int(cfg.n_jobs), len(points)) - 1)
    plan_points(points, cfg, Path(config.hydra.sweep.dir).absolute(), multirun=True)


def _points(config: DictConfig) -> list[list[str]]:
    """The overrides of every job, in order, exactly as Hydra's own sweeper will make them."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    arguments = _given(config)
    params = config.hydra.sweeper.params or {}
    arguments = [*(f"{key}={value}" for key, value in params.items()), *arguments]
    parsed = OverridesParser.create(config_loader=_loader()).parse_overrides(arguments)
    batches = BasicSweeper.split_arguments(parsed, None)
    return [list(point) for batch in batches for point in batch]


def _given(config: DictConfig) -> list[str]:
    """The overrides as they were written: `${chunk_size}` in one of them is that of each job, not of the first."""
    given = OmegaConf.to_container(config.hydra.overrides.task, resolve=False)
    return [str(item) for item in given or ()]


def _compose(config: DictConfig, overrides: Sequence[str]) -> DictConfig:
    return _loader().load_sweep_config(config, list(overrides))


def _loader() -> Any:
    hydra = GlobalHydra.instance().hydra
    if hydra is None:
        raise RuntimeError("a sweep is planned inside Hydra's main")
    return hydra.config_loader
