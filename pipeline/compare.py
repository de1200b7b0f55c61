"""python -m pipeline.compare FOLDER [FOLDER ...]: finished sweeps and single runs side by side, from their files.

A folder is given by its short id (a1f3), its name or its path. Different datasets or query sets are refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import ComparisonError, EnvironmentFault, PipelineError
from pipeline.records import JobRecord, SweepRecord
from pipeline.report.terminal import render_end
from pipeline.storage.sweep_files import find_sweep, read_plan, read_sweep

if TYPE_CHECKING:
    from pipeline.sweep.finish import Means
    from pipeline.tracking.mirroring import Mirror

# Settings that say what a value means: one for all that are compared.
ONE_ALONE = ("policy", "as_of", "negative_grades", "later", "undated", "budget_tokenizer")
GONE = "the dataset is gone or changed since: slices and unjudged documents are not looked at again"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _compare(options)
    except PipelineError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline.compare", description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="short id, folder name or path of a sweep or run")
    parser.add_argument("--baseline", metavar="NAME", help="the experiment that the others are compared with")
    parser.add_argument("--primary", metavar="MEASURE", help="the measure that the verdict rests on")
    parser.add_argument("--split", metavar="KIND", help="none, holdout (choose and confirm) or kfold; as in the sweep")
    parser.add_argument("--stratify", metavar="COLUMN", help="query column to split by, each label alike")
    parser.add_argument("--output-dir", type=Path, default=Path("outputs"), help="where ids are looked for")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the tables and pictures there, too")
    parser.add_argument("--sync", action="store_true", help="send what the tracking store lacks (one sweep at a time)")
    return parser


def _compare(options: argparse.Namespace) -> int:
    from pipeline.sweep.again import dataset_if_same
    from pipeline.sweep.finish import conclude, finish, show, write

    folders = [find_sweep(options.output_dir, name) for name in options.folders]
    if options.sync:
        tracking = _tracking(options.output_dir, _only(folders))
        dataset = dataset_if_same(folders[0], read_plan(folders[0]).dataset["digest"])
        return finish(folders[0], replace(_means(options, folders[0]), tracking=tracking, dataset=dataset))
    sweep = merged([read_sweep(folder) for folder in folders])
    if options.primary:
        sweep = replace(sweep, primary=_measure(options.primary, sweep))
    if options.baseline:
        sweep = replace(sweep, baseline=_experiment(options.baseline, sweep))
    dataset = dataset_if_same(folders[0], sweep.dataset["digest"])
    means = replace(_means(options, folders[0]), dataset=dataset, files=False)
    finding = conclude(sweep, folders[0], means)
    if dataset is None:
        finding = replace(finding, cautions=(*finding.cautions, GONE))
    view = show(finding)
    if options.write:
        try:
            options.write.mkdir(parents=True, exist_ok=True)
            write(options.write, view)
        except OSError as error:
            raise EnvironmentFault(f"{options.write}: cannot be written ({error.strerror}); choose another") from error
    sys.stdout.write(render_end(view))
    return 0


def _means(options: argparse.Namespace, folder: Path) -> Means:
    """The statistics that the sweep in `folder` was planned with, and the split that is asked for now."""
    from pipeline.stats import StatsOptions
    from pipeline.storage.uses import USES
    from pipeline.sweep.finish import Means

    planned = read_plan(folder).stats
    asked = {name: getattr(options, name) for name in ("split", "stratify") if getattr(options, name) is not None}
    kept = {item.name: planned[item.name] for item in fields(StatsOptions) if item.name in planned}
    return Means(StatsOptions(**{**kept, **asked}), ledger=options.output_dir / USES)


def _only(folders: Sequence[Path]) -> Path:
    if len(folders) != 1:
        raise ComparisonError("--sync takes one sweep at a time")
    return folders[0]


def _tracking(output_dir: Path, folder: Path) -> Mirror:
    """The local store below `output_dir`, unless MLFLOW_TRACKING_URI names another one."""
    from pipeline.tracking.mlflow_mirror import MlflowMirror

    mirror = MlflowMirror(uri=f"sqlite:///{output_dir}/mlflow.db", artifacts=f"{output_dir}/artifacts")
    mirror.check(str(read_sweep(folder).dataset["name"]))
    return mirror


def merged(sweeps: Sequence[SweepRecord]) -> SweepRecord:
    """One sweep of all their experiments; ComparisonError where they are not over the same data and measures."""
    first = sweeps[0]
    if len(sweeps) == 1:
        return first
    for other in sweeps[1:]:
        if other.dataset["digest"] != first.dataset["digest"]:
            raise ComparisonError(
                f"{first.id} is over {_described(first)} and {other.id} over {_described(other)}:"
                " results on different data cannot be compared"
            )
    for setting in ONE_ALONE:
        found = sorted(
            {str(job.settings.get(setting)) for sweep in sweeps for job in sweep.jobs if job.state == "done"}
        )
        if len(found) > 1:
            raise ComparisonError(f"{setting} differs ({', '.join(found)}): such results cannot be compared")
    jobs: dict[str, JobRecord] = {}
    taken: set[str] = set()
    for sweep in sweeps:
        for job in sweep.jobs:
            if job.state == "done" and job.key not in jobs:  # the same experiment in two sweeps is one experiment
                name = job.name if job.name not in taken else f"{job.name}@{sweep.id}"
                taken.add(name)
                jobs[job.key] = replace(job, name=name, number=len(jobs))
    shared = [measure for measure in first.measures if all(measure in sweep.measures for sweep in sweeps)]
    if first.primary not in shared:
        raise ComparisonError(
            f"{first.primary} was not measured in all of them; choose with --primary among {', '.join(shared)}"
        )
    reduced = tuple(_with_measures(job, shared) for job in jobs.values())
    return replace(
        first,
        id="+".join(sweep.id for sweep in sweeps),
        measures=tuple(shared),
        jobs=reduced,
        seconds=sum(sweep.seconds for sweep in sweeps),
    )


def _described(sweep: SweepRecord) -> str:
    data = sweep.dataset
    return f"{data['name']} ({data['documents']} documents, {data['queries']} queries, {str(data['digest'])[:8]})"


def _with_measures(job: JobRecord, measures: Sequence[str]) -> JobRecord:
    table = job.scores
    if table is None:
        return job
    rows = [table.measures.index(measure) for measure in measures]
    undefined = {measure: table.undefined[measure] for measure in measures if measure in table.undefined}
    return replace(job, scores=replace(table, measures=tuple(measures), values=table.values[rows], undefined=undefined))


def _measure(name: str, sweep: SweepRecord) -> str:
    from pipeline.metrics import parse

    measure = name if name in sweep.measures else str(parse(name))
    if measure not in sweep.measures:
        raise ComparisonError(f"--primary {name}: not measured; there are {', '.join(sweep.measures)}")
    return measure


def _experiment(name: str, sweep: SweepRecord) -> str:
    from pipeline.sweep.seeds import averaged

    names = [job.name for job in averaged(sweep).sweep.jobs if job.state == "done"]
    if name not in (*names, *(job.name for job in sweep.jobs if job.state == "done")):
        raise ComparisonError(f"--baseline {name}: no finished experiment of that name; there are {', '.join(names)}")
    return name


if __name__ == "__main__":
    sys.exit(main())
