"""Everything that is measured of one experiment: values, curves, side facts, and what its contexts hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pipeline.metrics.budget import budgets
from pipeline.metrics.case import Case, Options
from pipeline.metrics.curves import curves
from pipeline.metrics.held import Held, held
from pipeline.metrics.measure import Measure
from pipeline.metrics.names import parse
from pipeline.metrics.recency import leaks
from pipeline.metrics.scoring import evaluate, summary
from pipeline.metrics.silence import silence
from pipeline.records import Bools, ScoreTable


class Unanswerable(NamedTuple):
    """Which questions have an answer, and on which of them a threshold is chosen (the others judge it)."""

    answerable: Bools
    select: Bools


class Measured(NamedTuple):
    """`facts`: filled (share of the largest budget), later_hits and answer_… where they have a meaning."""

    table: ScoreTable
    curves: Mapping[str, Mapping[int, float]]  # word -> cutoff -> mean
    facts: Mapping[str, float]
    held: Held


def measured(
    measures: Sequence[Measure],
    case: Case,
    options: Options,
    *,
    budget: int,
    depth: int,
    unanswerable: Unanswerable | None,
) -> Measured:
    """All of it; `budget` = context tokens within which a thing counts as found, `depth` = where curves end."""
    facts: dict[str, float] = {}
    run = case.documents
    grown = dict(curves(case, depth, options))
    if run is not None and case.dates is not None and case.as_of is not None:
        facts["later_hits"] = float(leaks(run, case.dates, case.as_of).sum())
    if run is not None and unanswerable is not None:
        told = silence(run, *unanswerable)
        facts |= told.facts
        grown |= {"error_by_coverage": told.error} if told.error else {}
    largest = max(budgets(measures), default=0)
    if largest:
        facts["filled"] = summary(evaluate([parse(f"Filled@{largest}tok")], case, options), f"Filled@{largest}tok").mean
    return Measured(evaluate(measures, case, options), grown, facts, held(case, budget))
