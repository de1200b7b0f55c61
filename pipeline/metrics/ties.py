"""What equal scores leave open: the smallest and the largest value over all orders of tied hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.blocks import blocks
from pipeline.metrics.case import Case, Options
from pipeline.metrics.catalogue import FAMILIES, TIES
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import rank_block
from pipeline.metrics.scoring import evaluate
from pipeline.records import Qrels, Run, ScoreTable


@dataclass(frozen=True, eq=False)
class TieRange:
    """Per query the smallest and the largest value, and per measure how many queries have the two apart."""

    low: ScoreTable
    high: ScoreTable
    touched: Mapping[str, int]


def tie_range(measures: Sequence[Measure], case: Case, options: Options | None = None) -> TieRange:
    """The range of every measure over the orders of hits with exactly equal scores.

    Tied hits are put in order of their grades, once best first and once worst first; the catalogue says for which
    measures these two are the extremes, and SettingError names one for which they are not. Hits that a tie pushed
    out of the list are not in the run and not considered.
    """
    options = options or Options()
    for measure in measures:
        if TIES not in FAMILIES[measure.name, measure.counted].relations:
            raise SettingError(f"measure {measure} has no range over ties; ask for it with ties: trec")
    if case.documents is None:
        raise SettingError("a range over ties needs document rankings, which this experiment does not have")
    orders = [_reordered(case.documents, case.qrels, sign) for sign in (-1, 1)]
    tables = [evaluate(measures, replace(case, documents=run), options) for run in orders]
    low = np.minimum(tables[0].values, tables[1].values)
    high = np.maximum(tables[0].values, tables[1].values)
    touched = {str(measure): int(np.sum(high[row] > low[row])) for row, measure in enumerate(measures)}
    return TieRange(replace(tables[0], values=low), replace(tables[1], values=high), touched)


def _reordered(run: Run, qrels: Qrels, sign: int) -> Run:
    """The run with tied hits by grade: ascending for sign 1, descending for -1."""
    if not run.items.shape[1]:
        return run
    items = run.items.copy()
    for rows in blocks(np.diff(qrels.indptr), run.items.shape[1]):
        view = rank_block(run, qrels, rows, signed=True)
        scores = run.scores[rows]
        fresh = np.ones(scores.shape, np.int64)
        fresh[:, 1:] = scores[:, 1:] != scores[:, :-1]
        order = np.lexsort((sign * view.grades.astype(np.int64), np.cumsum(fresh, axis=1)), axis=1)
        items[rows] = np.take_along_axis(run.items[rows], order, axis=1)
    return replace(run, items=items)
