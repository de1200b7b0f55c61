"""The split of a sweep's queries: who chooses, who confirms, what was tuned on which, and earlier uses of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline import stats
from pipeline.errors import SettingError
from pipeline.records import Dataset, ScoreTable, Standing, SweepRecord
from pipeline.storage.sweep_files import read_clusters, read_slices
from pipeline.storage.uses import uses_before
from pipeline.sweep.tuned import tuned, tuned_note

Columns = Mapping[str, Sequence[str]]
Place = tuple[Path, Path | None, Dataset | None]  # a sweep's folder, the count of uses among its results, its dataset


def strata(options: stats.StatsOptions, columns: Columns) -> Sequence[str] | None:
    """The labels of the column to stratify by. SettingError where the queries have no such column."""
    if not options.stratify:
        return None
    if options.stratify not in columns:
        known = ", ".join(columns) or "none"
        raise SettingError(f"stats.stratify={options.stratify}: the queries have no such column; there are {known}")
    return columns[options.stratify]


def split(
    standing: Standing,
    sweep: SweepRecord,
    tables: Mapping[str, ScoreTable],
    options: stats.StatsOptions,
    place: Place,
) -> Standing:
    """The standing with its confirmed or cross-validated gain, and what was tuned on which queries."""
    folder, results, dataset = place
    found, uses = standing, 0
    if options.split == "holdout" and results is not None:
        beside = "" if dataset is None else dataset.folder
        uses = uses_before(results, beside, _part(sweep), _question(sweep, options))
    if options.split != "none":
        dealing = stats.Dealing(sweep.seed, strata(options, read_slices(folder)), read_clusters(folder), uses)
        found = stats.after_choosing(standing, tables, dealing, options)
    rows = tuned(found, sweep.jobs)
    return replace(found, tuned=rows, notes=(*found.notes, *tuned_note(rows)))


def _part(sweep: SweepRecord) -> str:
    """Which queries confirm. Another share or other strata move some of them: that is no fresh part."""
    return f"dataset {sweep.dataset['digest']}, seed {sweep.seed}"


def _question(sweep: SweepRecord, options: stats.StatsOptions) -> str:
    """What is asked of the part. Dealt otherwise than by default it is another question: its answer is another."""
    asked = f"{sweep.id}: {sweep.primary} against {sweep.baseline}"
    plain = stats.StatsOptions()
    if (options.select_share, options.stratify) == (plain.select_share, plain.stratify):
        return asked
    return f"{asked}, {options.select_share:g} to choose on, stratified by {options.stratify or 'nothing'}"
