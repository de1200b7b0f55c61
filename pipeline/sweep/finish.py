"""The end of a sweep, from its files: who is better and how sure that is, in tables, in MLflow, on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline import stats
from pipeline.records import Dataset, ScoreTable, Standing, SweepRecord
from pipeline.report.files import write_report
from pipeline.report.tables import write_csv
from pipeline.report.terminal import EndView, render_end
from pipeline.storage.entries import write_text
from pipeline.storage.job_files import JobState, write_state
from pipeline.storage.sweep_files import from_here, handle, read_clusters, read_plan, read_slices, read_sweep
from pipeline.sweep import process
from pipeline.sweep.answer_links import answer_links
from pipeline.sweep.axes import explained
from pipeline.sweep.cautions import cautions
from pipeline.sweep.choosing import split
from pipeline.sweep.failures import failures
from pipeline.sweep.job import extras
from pipeline.sweep.nulls import Scale, null_rows
from pipeline.sweep.open_judgements import Opened, open_judgements
from pipeline.sweep.prepare import reused
from pipeline.sweep.seeds import averaged
from pipeline.sweep.silence import silence, thresholds
from pipeline.sweep.slices import contradictions, counted, has_values, slice_rows, turned
from pipeline.sweep.unjudged import SHEET, compare_without_judgements
from pipeline.tracking.mirroring import Mirror, mirror_sweep
from pipeline.tracking.none import NoMirror

VERDICT, SLICES, PAGES = "verdict.txt", "slices.csv", "mlflow.txt"


@dataclass(frozen=True)
class Means:
    """What finishing needs beyond the folder: how to test, where to copy to, what the queries say."""

    stats: stats.StatsOptions = field(default_factory=stats.StatsOptions)
    tracking: Mirror = field(default_factory=NoMirror)
    dataset: Dataset | None = None  # None: finished from the files alone, without texts
    scale: Scale | None = None  # None: no rows of chance and oracle are wanted
    files: bool = True  # False: a finished sweep is looked at again, and its tables stay as they are
    ledger: Path | None = None  # counts the uses of the queries kept to confirm; None: they are not counted

    @property
    def texts(self) -> Mapping[str, str]:
        """Query id -> text."""
        return (
            {} if self.dataset is None else dict(zip(self.dataset.queries.ids, self.dataset.queries.texts, strict=True))
        )


@dataclass(frozen=True, eq=False)
class Finding:
    """What the files say once all jobs have ended."""

    sweep: SweepRecord
    standing: Standing | None
    verdict: tuple[str, ...]
    cautions: tuple[str, ...]


def finish(folder: Path, means: Means) -> int:
    """Compares, writes, mirrors and prints; returns the exit code (0, 1 failed jobs, 4 tracking incomplete)."""
    close_dead_jobs(folder, "its process ended without a word")
    finding = conclude(read_sweep(folder), folder, means)
    view = replace(show(finding), next_commands=_next(finding), reused=reused(read_plan(folder)))
    # Without its dataset a sweep is told with less than its first end knew: what stands then stays.
    if means.dataset is not None or not (folder / VERDICT).is_file():
        write(folder, view)
    copied = mirror_sweep(
        means.tracking, finding.sweep, finding.standing, finding.verdict, lambda job: extras(job, means.texts)
    )
    if copied.links.every():
        write_text(folder / PAGES, "\n".join(copied.links.every()) + "\n")
        view = replace(view, links=(*copied.links.lines(), f"charts and a plain link: {PAGES} in the folder above"))
    if copied.fault is not None:
        again = f"send it later: python -m pipeline.compare {handle(folder)} --sync"
        view = replace(view, cautions=(*view.cautions, f"MLflow is incomplete: {copied.fault}; {again}"))
    process.say("\n" + render_end(view))
    if any(job.state not in ("done", "twin") for job in finding.sweep.jobs):
        return 1
    return 0 if copied.fault is None else copied.fault.exit_code


def show(finding: Finding) -> EndView:
    """What people see of a finding, before links and next commands."""
    shown = replace(finding.sweep, folder=str(from_here(Path(finding.sweep.folder))))
    return EndView(shown, finding.standing, finding.verdict, finding.cautions, failures=failures(finding.sweep))


def conclude(sweep: SweepRecord, folder: Path, means: Means) -> Finding:
    """Compares the jobs that are done; `folder` takes a judging sheet where there are no judgements."""
    sweep, of_seeds = averaged(sweep)
    scored = {job.name: job.scores for job in sweep.jobs if job.state == "done" and job.scores is not None}
    tables, of_origin = counted(scored, sweep, read_slices(folder))
    said, standing = list(of_origin), None
    if has_values(tables, sweep.primary):
        if sweep.baseline not in tables:
            lowest = next(iter(tables))
            said.append(f"the baseline {sweep.baseline} has no result; {lowest} stands in for it")
            sweep = replace(sweep, baseline=lowest)
        standing = stats.standing(
            tables,
            baseline=sweep.baseline,
            primary=sweep.primary,
            seed=sweep.seed,
            options=means.stats,
            clusters=read_clusters(folder),
        )
        standing = replace(standing, notes=(*of_seeds, *standing.notes))
        said += turned(standing)
        standing = _in_depth(standing, sweep, tables, folder, means)
        if means.dataset is not None:
            standing, looked = _look(sweep, standing, tables, (folder, means), of_seeds=bool(of_seeds))
            said += looked
        verdict = stats.verdict(standing, settings={job.name: job.settings for job in sweep.jobs})
        verdict = (*verdict, *silence(sweep, standing))
        if means.scale is not None and means.dataset is not None:
            verdict = (*verdict, *null_rows(means.scale, means.dataset, folder))
    else:
        sweep, verdict = compare_without_judgements(sweep, folder, means.dataset)
    return Finding(sweep, standing, verdict, (*said, *cautions(sweep, standing)))


def _in_depth(
    standing: Standing, sweep: SweepRecord, tables: Mapping[str, ScoreTable], folder: Path, means: Means
) -> Standing:
    """The standing with what the split, the axes and the answers say."""
    standing = split(standing, sweep, tables, means.stats, (folder, means.ledger, means.dataset))
    standing = explained(standing, sweep, tables, means.stats, read_clusters(folder))
    linked = answer_links(tables, standing, sweep.seed, means.stats, folder if means.files else None)
    return replace(standing, notes=(*standing.notes, *linked), tuned=(*standing.tuned, *thresholds(sweep.jobs)))


def _look(
    sweep: SweepRecord,
    standing: Standing,
    tables: Mapping[str, ScoreTable],
    place: tuple[Path, Means],
    *,
    of_seeds: bool,
) -> tuple[Standing, tuple[str, ...]]:
    """Slices and open judgements: their files, and what must be said of them.

    Means over seeds have no single ranking, so nothing is bounded for them.
    """
    folder, means = place
    dataset = means.dataset
    if dataset is None:
        return standing, ()
    every = {job.name: job.scores for job in sweep.jobs if job.name in standing.means and job.scores is not None}
    if means.files:
        write_csv(folder / SLICES, list(slice_rows(every, dataset, means.stats.level)))
    opened = Opened(standing, ())
    if not of_seeds:
        sheet, level = folder / SHEET, means.stats.level
        opened = open_judgements(sweep, standing, sheet, dataset, level, write=means.files)
    return opened.standing, (*opened.cautions, *contradictions(tables, dataset, standing, means.stats))


def write(folder: Path, view: EndView) -> None:
    """The tables, pictures and sentences of a finished sweep."""
    write_report(folder, view)
    said = [*view.verdict, *(f"CAUTION {line}" for line in view.cautions)]
    write_text(folder / VERDICT, "\n".join(said) + "\n")


def close_dead_jobs(folder: Path, reason: str) -> None:
    """A job that still says `running` when its sweep has ended belongs to a process that died: it was killed."""
    for job in read_sweep(folder).jobs:
        if job.state == "running":
            write_state(Path(job.folder), JobState("killed", reason))


def _next(finding: Finding) -> tuple[str, ...]:
    if finding.standing is None:
        return ()
    name, standing = handle(Path(finding.sweep.folder)), finding.standing
    commands = [f"python -m pipeline.show {name} --losses {standing.best}"]
    if standing.best != standing.baseline and len(standing.means) > 2:
        commands.append(f"python -m pipeline.compare {name} --baseline {standing.best}")
    return tuple(commands)
