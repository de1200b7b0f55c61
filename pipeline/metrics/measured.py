"""Everything that is measured of one experiment: values, curves, side facts, and what its contexts hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.budget import budgets
from pipeline.metrics.case import Case, Options
from pipeline.metrics.catalogue import FAMILIES, TIES
from pipeline.metrics.curves import curves
from pipeline.metrics.held import Held, held
from pipeline.metrics.measure import Measure
from pipeline.metrics.names import parse
from pipeline.metrics.recency import leaks
from pipeline.metrics.scoring import evaluate, summary
from pipeline.metrics.silence import silence
from pipeline.metrics.ties import tie_range
from pipeline.records import Bools, ScoreTable


class Measured(NamedTuple):
    """`facts`: filled (share of the largest budget), later_hits and answer_auroc where they have a meaning."""

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
    answerable: Bools | None,
) -> Measured:
    """All of it; `budget` = context tokens within which a thing counts as found, `depth` = where curves end.

    `answerable`: which questions have an answer, None = all or not known.
    """
    facts: dict[str, float] = {}
    run = case.documents
    grown = dict(curves(case, depth, options))
    if run is not None and case.dates is not None and case.as_of is not None:
        facts["later_hits"] = float(leaks(run, case.dates, case.as_of).sum())
    if run is not None and answerable is not None:
        told = silence(run, answerable, case.weight)
        facts |= {} if np.isnan(told.area) else {"answer_auroc": told.area}
        grown |= {"error_by_coverage": told.error} if told.error else {}
    largest = max(budgets(measures), default=0)
    if largest:
        filled = f"Filled@{largest}tok"
        facts["filled"] = summary(evaluate([parse(filled)], case, options), filled, case.weight).mean
    return Measured(evaluate(measures, case, options), grown, facts, held(case, budget))


def check_ties(ties: str) -> None:
    """SettingError for a way to treat equal scores that there is not."""
    if ties not in ("trec", "range"):
        raise SettingError(f"ties={ties}: expected trec or range")


def tie_facts(measures: Sequence[Measure], case: Case, options: Options) -> Mapping[str, float]:
    """`ties/nDCG@10/low`, `…/high`: means over the worst and best orders of equal scores; `…/queries`: how many differ.

    Measures without such a range, and those that look at contexts, have none.
    """
    ranged = [m for m in measures if m.counted == "ranks" and TIES in FAMILIES[m.name, m.counted].relations]
    found = tie_range(ranged, case, options)
    facts: dict[str, float] = {}
    for measure in map(str, ranged):
        ends = {end: summary(table, measure, case.weight) for end, table in (("low", found.low), ("high", found.high))}
        facts |= {f"ties/{measure}/{end}": value.mean for end, value in ends.items() if value.n}
        facts[f"ties/{measure}/queries"] = float(found.touched[measure])
    return facts
