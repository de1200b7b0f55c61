"""python -m pipeline.show ID --losses NAME: the queries an experiment answers worst, and those it loses.

ID is a sweep or run (short id, folder name or path), NAME one of its experiments. Prints question, what was found, what
was missed and at which rank it stood instead.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import ComparisonError, PipelineError
from pipeline.records import Dataset, JobRecord, SweepRecord
from pipeline.storage.sweep_files import find_sweep, read_plan, read_slices, read_sweep

if TYPE_CHECKING:
    from pipeline.report.losses import Side


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        sys.stdout.write(_show(options))
    except PipelineError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline.show", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sweep", metavar="ID", help="short id, folder name or path of a sweep or run")
    parser.add_argument("--losses", metavar="NAME", help="the experiment to look into; default the best")
    parser.add_argument("--against", metavar="NAME", help="the experiment it is held against; default the baseline")
    parser.add_argument("--measure", metavar="MEASURE", help="default the primary measure of the sweep")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="queries of each kind (default 5)")
    parser.add_argument("--output-dir", type=Path, default=Path("outputs"), help="where ids are looked for")
    return parser


def _show(options: argparse.Namespace) -> str:
    from pipeline.report.losses import losses
    from pipeline.sweep.seeds import averaged

    folder = find_sweep(options.output_dir, options.sweep)
    found = read_sweep(folder)
    sweep = averaged(found).sweep  # seeds of one experiment go by one name: mean scores, documents of the first seed
    done = {job.name: job for job in sweep.jobs if job.state == "done"}
    if not done:
        raise ComparisonError(f"{sweep.id}: no job ended with a result")
    measure = _measure(options.measure, sweep)
    name = options.losses or _best(sweep, folder, measure)
    other = options.against or (sweep.baseline if sweep.baseline in done else "")
    done |= {job.name: job for job in found.jobs if job.state == "done" and job.name not in done}
    for wanted in filter(None, (name, other)):
        if wanted not in done:
            raise ComparisonError(f"{wanted}: no finished experiment of that name; there are {', '.join(done)}")
    dataset = _dataset(folder, sweep)
    baseline = _side(done[other], dataset) if other and other != name else None
    return losses(dataset, _side(done[name], dataset), baseline, measure, shown=options.top)


def _side(job: JobRecord, dataset: Dataset) -> Side:
    """An experiment as its files tell it: its scores and its document ranking."""
    from pipeline.report.losses import Side
    from pipeline.storage.job_files import read_documents

    if job.scores is None:
        raise ComparisonError(f"{job.name} has no scores")
    return Side(job.name, job.scores, read_documents(Path(job.folder), dataset))


def _measure(name: str | None, sweep: SweepRecord) -> str:
    from pipeline.metrics import parse

    wanted = sweep.primary if name is None else name
    measure = wanted if wanted in sweep.measures else str(parse(wanted))
    if measure not in sweep.measures:
        raise ComparisonError(f"--measure {name}: not measured; there are {', '.join(sweep.measures)}")
    return measure


def _best(sweep: SweepRecord, folder: Path, measure: str) -> str:
    """The experiment that leads the leaderboard, were it by `measure`."""
    from pipeline.stats.weights import mean_of
    from pipeline.sweep.slices import counted

    scored = {job.name: job.scores for job in sweep.jobs if job.state == "done" and job.scores is not None}
    tables = counted(scored, replace(sweep, primary=measure), read_slices(folder)).tables

    def mean(name: str) -> float:
        table = tables[name]
        found = mean_of(table.values[table.measures.index(measure)], table.weights)
        return -inf if isnan(found) else found

    return max(tables, key=mean)


def _dataset(folder: Path, sweep: SweepRecord) -> Dataset:
    """The dataset of the sweep, read again; refused if it is another one by now."""
    from pipeline.sweep.again import dataset_of

    dataset = dataset_of(read_plan(folder))
    if dataset.digests.whole != sweep.dataset["digest"]:
        raise ComparisonError(
            f"the dataset {sweep.dataset['name']} changed since {sweep.id} ran: its texts do not fit these results"
        )
    return dataset


if __name__ == "__main__":
    sys.exit(main())
