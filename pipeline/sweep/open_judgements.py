"""What nobody judged: how far it could move the differences, and the shortest list of judgements that settles them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline import metrics
from pipeline.citations import of_answers
from pipeline.datasets.judge_sheet import JudgeRow, asks_for, write_judge_sheet
from pipeline.metrics import extremes, unjudged
from pipeline.records import Comparison, Dataset, Interval, Qrels, Run, Standing, SweepRecord
from pipeline.report.text import signed
from pipeline.storage.rankings import read_rankings
from pipeline.sweep.slices import leading_pair
from pipeline.sweep.unjudged import ROWS, SHEET, best_chunks

OPEN = "sign not determined by the judgements"
SAMPLED = "all outcomes and sampling"


class Opened(NamedTuple):
    """The standing with bounds in its comparisons, and what to say."""

    standing: Standing
    cautions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Gap:
    """What a difference is bounded with: the measure, the judgements, the rankings of all ranked experiments."""

    measure: metrics.Measure
    runs: Mapping[str, Run]
    dataset: Dataset
    level: float

    @property
    def highest(self) -> int:
        """The highest grade that a document can have."""
        grades = self.dataset.qrels.grades.tolist()
        return int(max([1, self.measure.integer("rel", 1), *self.dataset.grade_meanings, *grades]))

    def pair(self, c: Comparison) -> tuple[metrics.Measure, Run, Run, Qrels, int]:
        """The arguments of every function of `metrics.unjudged`."""
        return self.measure, self.runs[c.treatment], self.runs[c.baseline], self.dataset.qrels, self.highest


def open_judgements(
    sweep: SweepRecord, standing: Standing, sheet: Path, dataset: Dataset, level: float, *, write: bool
) -> Opened:
    """Bounds of every difference on the primary measure over all ways the unjudged could turn out.

    `sheet`: the file for the documents to judge first; `write`: whether to write it.

    Where judgements are complete, and for measures that have no bounds, nothing changes. Where only positives are
    listed nearly every pair of bounds holds 0, so there they are no verdict: what would turn the sign is told instead.
    """
    if of_answers(standing.primary):  # of citations: no unjudged document has a rank there
        return Opened(standing, ())
    measure = metrics.parse(standing.primary)
    pair = leading_pair(standing)
    if dataset.qrels.judgements == "complete" or not _has_bounds(measure) or pair is None:
        return Opened(standing, ())
    folders = {job.name: Path(job.folder) for job in sweep.jobs if job.state == "done" and job.name in standing.means}
    gap = _Gap(measure, read_rankings(folders, dataset, measure.cutoff), dataset, level)
    comparisons = tuple(_bounded(c, gap) if c.measure == standing.primary else c for c in standing.comparisons)
    leading = next(c for c in comparisons if c.measure == standing.primary and c.treatment == pair[0])
    said = _said(sweep, leading, gap, sheet, write=write) if _is_open(leading, gap) else ()
    return Opened(replace(standing, comparisons=comparisons), said)


def _has_bounds(measure: metrics.Measure) -> bool:
    if measure.counted != "ranks" or measure.flag("judged_only"):
        return False
    return measure.name in extremes.UPPER and (measure.cutoff is not None or not measure.name.startswith("nDCG"))


def _is_open(c: Comparison, gap: _Gap) -> bool:
    """Whether judging hits could turn the sign."""
    holds_none = c.bounds is not None and c.bounds.low <= 0 <= c.bounds.high and c.bounds.low < c.bounds.high
    return holds_none and _anything_to_judge(gap.measure, (gap.runs[c.treatment], gap.runs[c.baseline]), gap.dataset)


def _bounded(c: Comparison, gap: _Gap) -> Comparison:
    found = unjudged.difference_bounds(*gap.pair(c))
    if np.count_nonzero(~np.isnan(found.low)) < 2:
        return c
    wide = unjudged.widened(found, gap.level, gap.dataset.queries.weight)
    tipping = np.nan
    if gap.measure.name in extremes.ADDITIVE:
        tipping = float(unjudged.tipping_point(*gap.pair(c), gap.dataset.queries.weight))
    bounded = replace(
        c,
        bounds=Interval(float(wide.low), float(wide.high), 1.0, "all outcomes" if found.exact.all() else "bracket"),
        bounds_sampled=Interval(float(wide.low_sampled), float(wide.high_sampled), gap.level, SAMPLED),
        tipping=None if np.isnan(tipping) else tipping,
    )
    if gap.dataset.qrels.judgements != "pooled" or not _is_open(bounded, gap):
        return bounded
    return replace(bounded, note="; ".join(filter(None, (c.note, OPEN))))


def _anything_to_judge(measure: metrics.Measure, runs: Sequence[Run], dataset: Dataset) -> bool:
    """Whether either ranking holds an unjudged document where the measure looks.

    If not, only documents that neither found could still move the difference: no judging of hits settles that.
    """
    qrels = dataset.qrels
    for row in np.flatnonzero(np.diff(qrels.indptr)):
        judged = qrels.docs[qrels.indptr[row] : qrels.indptr[row + 1]]
        seen = np.concatenate([run.items[row, : measure.cutoff] for run in runs])
        if not np.isin(seen[seen >= 0], judged).all():
            return True
    return False


def _said(sweep: SweepRecord, c: Comparison, gap: _Gap, path: Path, *, write: bool) -> tuple[str, ...]:
    """The sentence about the leading comparison, and on the list that settles it where the measure has one.

    A list that is not to be written is spoken of where it stands there already.
    """
    pooled = gap.dataset.qrels.judgements == "pooled"
    said = _pooled(c) if pooled else _positives(c)
    if not said or gap.measure.name not in extremes.ADDITIVE:
        return tuple(filter(None, (said,)))
    sheet = unjudged.shortest_list(*gap.pair(c), gap.dataset.queries.weight)
    if not sheet.expected:  # no number is known to settle it: all that is open is listed
        sheet = sheet._replace(expected=None)
    count = min(len(sheet.doc) if sheet.expected is None else sheet.expected, ROWS)
    rows = list(islice(_rows(sweep, gap, sheet, (c.treatment, c.baseline)), count))
    if write:
        write_judge_sheet(path, rows)
    elif not asks_for(path, rows):
        return (said,)
    if not pooled:
        return (f"{said}; {SHEET}: {count} to judge first",)
    settles = "though not even all are expected to settle it" if sheet.expected is None else "expected to settle it"
    return (f"{said}; {SHEET} lists the {count} to judge first, {settles}",)


def _pooled(c: Comparison) -> str:
    """What the difference could be, and what would turn its sign."""
    if c.bounds is None or c.bounds_sampled is None:
        return ""
    said = (
        f"{OPEN}: {c.measure} of {c.treatment} less {c.baseline} could be {signed(c.bounds.low)} to"
        f" {signed(c.bounds.high)} once all is judged ({signed(c.bounds_sampled.low)} to"
        f" {signed(c.bounds_sampled.high)} with sampling error)"
    )
    if c.tipping is None or abs(c.tipping) > 1:  # no rate lies so far from another
        return said
    rarer = "less" if c.tipping < 0 else "more"
    return (
        f"{said}; it is 0 where the unjudged hits of {c.treatment} are relevant {abs(c.tipping) * 100:.0f} points"
        f" {rarer} often than those of {c.baseline}"
    )


def _positives(c: Comparison) -> str:
    """What would turn the sign where only positives are listed; "" where that is not known, or no rate would."""
    if not c.tipping or abs(c.tipping) > 1:
        return ""
    leads, other = (c.treatment, c.baseline) if c.tipping < 0 else (c.baseline, c.treatment)
    points = abs(c.tipping) * 100
    return (
        f"only positives are listed: {leads} leads unless what only {other} found is relevant"
        f" {points:.{0 if points >= 10 else 1}f} points more often than its own finds"
    )


def _rows(sweep: SweepRecord, gap: _Gap, sheet: unjudged.Sheet, names: tuple[str, str]) -> Iterator[JudgeRow]:
    """The rows of the sheet, with the best chunk of the two experiments as excerpt."""
    dataset, runs = gap.dataset, {name: gap.runs[name] for name in names}
    chunks = best_chunks(job for job in sweep.jobs if job.name in names)
    known = [*dataset.corpus.ids, *dataset.qrels.missing, *gap.runs[names[0]].foreign]
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
