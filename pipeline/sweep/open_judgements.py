"""What nobody judged: how far it could move the differences, and the shortest list of judgements that settles them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline import metrics
from pipeline.citations import of_answers
from pipeline.datasets.judge_sheet import JudgeRow, write_judge_sheet
from pipeline.metrics import extremes, unjudged
from pipeline.records import Comparison, Dataset, Interval, Qrels, Run, Standing, SweepRecord
from pipeline.report.text import signed
from pipeline.storage.job_files import read_documents
from pipeline.sweep.slices import leading_pair
from pipeline.sweep.unjudged import ROWS, SHEET, best_chunks

OPEN = "sign not determined by the judgements"
ADDITIVE = frozenset({"P", "DCG", "DCG_exp", "nDCG", "nDCG_exp"})  # measures whose documents add up


class Opened(NamedTuple):
    """The standing with bounds in its comparisons, and what to say."""

    standing: Standing
    cautions: tuple[str, ...]


def open_judgements(
    sweep: SweepRecord, standing: Standing, sheet: Path | None, dataset: Dataset, level: float
) -> Opened:
    """Bounds of every difference on the primary measure over all ways the unjudged could turn out.

    `sheet` is the file for the documents to judge first, None = do not write it.

    Only where judgements are pooled, and for measures that have bounds; otherwise nothing changes.
    """
    if of_answers(standing.primary):  # of citations: no unjudged document has a rank there
        return Opened(standing, ())
    measure = metrics.parse(standing.primary)
    pair = leading_pair(standing)
    if dataset.qrels.judgements != "pooled" or not _has_bounds(measure) or pair is None:
        return Opened(standing, ())
    runs = _runs(sweep, standing, dataset)
    comparisons = tuple(
        _bounded(c, measure, runs, dataset, level) if c.measure == standing.primary else c for c in standing.comparisons
    )
    leading = next(c for c in comparisons if c.measure == standing.primary and c.treatment == pair[0])
    said = _said(sweep, leading, measure, runs, (sheet, dataset)) if OPEN in leading.note else ()
    return Opened(replace(standing, comparisons=comparisons), said)


def _has_bounds(measure: metrics.Measure) -> bool:
    return measure.name in extremes.UPPER and measure.counted == "ranks" and not measure.flag("judged_only")


def _is_open(c: Comparison) -> bool:
    return c.bounds is not None and c.bounds.low <= 0 <= c.bounds.high and c.bounds.low < c.bounds.high


def _bounded(
    c: Comparison, measure: metrics.Measure, runs: Mapping[str, Run], dataset: Dataset, level: float
) -> Comparison:
    found = unjudged.difference_bounds(measure, runs[c.treatment], runs[c.baseline], dataset.qrels)
    if np.count_nonzero(~np.isnan(found.low)) < 2:
        return c
    wide = unjudged.widened(found, level)
    tipping = None
    if measure.name in ADDITIVE:
        value = unjudged.tipping_point(measure, runs[c.treatment], runs[c.baseline], dataset.qrels)
        tipping = None if np.isnan(value) else float(value)
    bounded = replace(
        c,
        bounds=Interval(float(wide.low), float(wide.high), 1.0, "all outcomes" if found.exact.all() else "bracket"),
        bounds_sampled=Interval(float(wide.low_sampled), float(wide.high_sampled), level, "all outcomes and sampling"),
        tipping=tipping,
    )
    if not _is_open(bounded) or not _anything_to_judge(measure, (runs[c.treatment], runs[c.baseline]), dataset.qrels):
        return bounded
    return replace(bounded, note="; ".join(filter(None, (c.note, OPEN))))


def _anything_to_judge(measure: metrics.Measure, runs: Sequence[Run], qrels: Qrels) -> bool:
    """Whether either ranking holds an unjudged document where the measure looks.

    If not, only documents that neither found could still move the difference: no judging of hits settles that.
    """
    for row in np.flatnonzero(np.diff(qrels.indptr)):
        judged = qrels.docs[qrels.indptr[row] : qrels.indptr[row + 1]]
        seen = np.concatenate([run.items[row, : measure.cutoff] for run in runs])
        if not np.isin(seen[seen >= 0], judged).all():
            return True
    return False


def _said(
    sweep: SweepRecord,
    c: Comparison,
    measure: metrics.Measure,
    runs: Mapping[str, Run],
    place: tuple[Path | None, Dataset],
) -> tuple[str, ...]:
    """The sentence about the leading comparison; writes the list that settles it where the measure has one."""
    if c.bounds is None or c.bounds_sampled is None:
        return ()
    said = (
        f"{OPEN}: {c.measure} of {c.treatment} less {c.baseline} could be {signed(c.bounds.low)} to"
        f" {signed(c.bounds.high)} once all is judged ({signed(c.bounds_sampled.low)} to"
        f" {signed(c.bounds_sampled.high)} with sampling error)"
    )
    if c.tipping is not None:
        rarer = "less" if c.tipping < 0 else "more"
        said += (
            f"; it is 0 where the unjudged hits of {c.treatment} are relevant {abs(c.tipping) * 100:.0f} points {rarer}"
            f" often than those of {c.baseline}"
        )
    if measure.name not in ADDITIVE:
        return (said,)
    path, dataset = place
    names = (c.treatment, c.baseline)
    sheet = unjudged.shortest_list(measure, runs[c.treatment], runs[c.baseline], dataset.qrels)
    if not sheet.expected:  # no number is known to settle it: all that is open is listed
        sheet = sheet._replace(expected=None)
    count = len(sheet.doc) if sheet.expected is None else sheet.expected
    rows = _rows(sweep, dataset, sheet, {name: runs[name] for name in names})
    if path is not None:
        write_judge_sheet(path, islice(rows, min(count, ROWS)))
    settles = "though not even all are expected to settle it" if sheet.expected is None else "expected to settle it"
    return (f"{said}; {SHEET} lists the {min(count, ROWS)} to judge first, {settles}",)


def _rows(sweep: SweepRecord, dataset: Dataset, sheet: unjudged.Sheet, runs: Mapping[str, Run]) -> Iterator[JudgeRow]:
    chunks = best_chunks(sweep)
    known = [*dataset.corpus.ids, *dataset.qrels.missing, *next(iter(runs.values())).foreign]
    for row, doc in zip(sheet.query.tolist(), sheet.doc.tolist(), strict=True):
        query, inside = dataset.queries.ids[row], doc < len(dataset.corpus.ids)
        start, end = chunks.get((query, known[doc]), (0, None))
        yield JudgeRow(
            query_id=query,
            question=dataset.queries.texts[row],
            doc_id=known[doc],
            title=dataset.corpus.titles[doc] if inside else "",
            excerpt=dataset.corpus.texts[doc][start:end] if inside else "",
            found_by=" ".join(name for name, run in runs.items() if doc in run.items[row]),
        )


def _runs(sweep: SweepRecord, standing: Standing, dataset: Dataset) -> dict[str, Run]:
    """The document rankings of all ranked experiments; a document outside the dataset has one position in all."""
    folders = {job.name: Path(job.folder) for job in sweep.jobs if job.state == "done" and job.name in standing.means}
    runs = {name: read_documents(folder, dataset) for name, folder in folders.items()}
    known = len(dataset.corpus.ids) + len(dataset.qrels.missing)
    foreign = tuple(sorted({doc for run in runs.values() for doc in run.foreign}))
    place = {doc: known + position for position, doc in enumerate(foreign)}
    return {name: _placed(run, known, place, foreign) for name, run in runs.items()}


def _placed(run: Run, known: int, place: Mapping[str, int], foreign: tuple[str, ...]) -> Run:
    if not run.foreign:
        return replace(run, foreign=foreign)
    moved = np.array([place[doc] for doc in run.foreign], np.int32)
    items = np.where(run.items >= known, moved[np.maximum(run.items - known, 0)], run.items)
    return replace(run, items=items.astype(np.int32), foreign=foreign)
