"""Measures of one experiment, query by query, under a named policy; and their summary over queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.blocks import blocks
from pipeline.metrics.case import Case, Options
from pipeline.metrics.catalogue import BUDGETED, FAMILIES, RANKED
from pipeline.metrics.contexts import fill
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import rank_block
from pipeline.metrics.recency import age_block
from pipeline.records import Bools, Floats, Longs, Qrels, ScoreTable


class Summary(NamedTuple):
    """One measure over the queries where it is defined; all NaN where there are none."""

    mean: float
    median: float
    p10: float
    p25: float
    p75: float
    p90: float
    n: int


def needs(measure: Measure) -> frozenset[str]:
    """What a case must hold for `measure`: of "documents", "context", "spans", "dates"."""
    family = FAMILIES[measure.name, measure.counted]
    if measure.counted == "ranks":
        return frozenset({"documents", "dates"} if family.dated else {"documents"})
    return frozenset({"context", "spans"} if family.domain == "spans" else {"context"})


def evaluate(measures: Sequence[Measure], case: Case, options: Options | None = None) -> ScoreTable:
    """Every measure for every query; NaN = undefined, with the reasons counted.

    SettingError where the case lacks what a measure needs; DataError where a ranking names a document twice.
    """
    options = options or Options()
    _check(measures, case)
    values = np.full((len(measures), len(case.query_ids)), np.nan)
    _fill_ranked(values, measures, case, options)
    _fill_budgeted(values, measures, case)
    undefined: dict[str, dict[str, int]] = {}
    left_out: dict[tuple[str, int, str, bool], list[tuple[Bools, str]]] = {}  # equal for many measures
    for row, measure in enumerate(measures):
        family = FAMILIES[measure.name, measure.counted]
        kind = (family.domain, measure.integer("rel", 1), measure.counted, family.dated)
        if kind not in left_out:
            left_out[kind] = list(_left_out(measure, case, options))
        counts: dict[str, int] = {}
        for mask, reason in _undefined(measure, case, options, left_out[kind]):
            values[row, mask] = np.nan
            counts[reason] = int(mask.sum())
        if own := int(np.isnan(values[row]).sum()) - sum(counts.values()):
            counts[family.nan_reason] = own
        if options.policy == "seed":
            values[row] = np.nan_to_num(values[row], nan=0.0)
        undefined[str(measure)] = counts
    return ScoreTable(tuple(map(str, measures)), case.query_ids, values, undefined)


def summary(table: ScoreTable, measure: Measure | str, weight: Floats | None = None) -> Summary:
    """Mean and percentiles (linear interpolation) over the queries where the measure is defined.

    `weight`: traffic share of every query, above 0; a percentile is then the least value that so much of the traffic
    does not exceed.
    """
    row = table.values[table.measures.index(str(measure))]
    defined = ~np.isnan(row)
    values = row[defined]
    if not len(values):
        return Summary(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, 0)
    own = None if weight is None or (weight == weight[0]).all() else weight[defined]
    low, quarter, median, three, high = (float(v) for v in _percentiles(values, np.array((10, 25, 50, 75, 90)), own))
    mean = float(values.mean() if own is None else np.average(values, weights=own))
    return Summary(mean, median, low, quarter, three, high, len(values))


def _percentiles(values: Floats, shares: Floats, weight: Floats | None) -> Floats:
    """Linear between order statistics; with weights the inverse of their distribution, a value that occurs."""
    if weight is None:
        found: Floats = np.percentile(values, shares)
        return found
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order]) / weight.sum()
    occurring: Floats = values[order][np.searchsorted(reached, shares / 100 - 1e-12).clip(max=values.size - 1)]
    return occurring


def _check(measures: Sequence[Measure], case: Case) -> None:
    have = {
        "documents": case.documents is not None,
        "context": case.context is not None and case.tokens is not None,
        "spans": case.spans is not None,
        "dates": case.dates is not None and case.as_of is not None,
    }
    for measure in measures:
        missing = sorted(part for part in needs(measure) if not have[part])
        if missing:
            raise SettingError(f"measure {measure} needs {' and '.join(missing)}, which this experiment does not have")
    if len(set(map(str, measures))) != len(measures):
        raise SettingError(f"a measure is asked for twice: {', '.join(map(str, measures))}")
    if len(case.qrels.indptr) != len(case.query_ids) + 1:
        raise SettingError(f"judgements cover {len(case.qrels.indptr) - 1} queries, the case {len(case.query_ids)}")


def _fill_ranked(values: Floats, measures: Sequence[Measure], case: Case, options: Options) -> None:
    """Writes the rows of the measures that look at the ranking."""
    families = {family.name: family for family in RANKED}
    wanted = [(row, families[m.name], m) for row, m in enumerate(measures) if m.counted == "ranks"]
    if not wanted or case.documents is None:
        return
    for rows in blocks(np.diff(case.qrels.indptr), case.documents.items.shape[1]):
        view = rank_block(
            case.documents, case.qrels, rows,
            negatives_judged=options.negative_grades == "nonrelevant", signed=options.policy == "seed",
        )  # fmt: skip
        if any(family.dated for _, family, _ in wanted):
            view = replace(view, ages=age_block(case, rows, options))
        for row, family, measure in wanted:
            values[row, rows] = family.compute(view, measure)


def _fill_budgeted(values: Floats, measures: Sequence[Measure], case: Case) -> None:
    """Writes the rows of the measures that look at the context."""
    families = {family.name: family for family in BUDGETED}
    wanted = [(row, families[m.name], m) for row, m in enumerate(measures) if m.counted == "tokens"]
    if not wanted or case.context is None or case.tokens is None:
        return
    for rows in blocks(np.diff(case.qrels.indptr), case.context.doc.shape[1]):
        view = fill(case.context, case.qrels, case.tokens, rows, case.spans)
        for row, family, measure in wanted:
            values[row, rows] = family.compute(view, measure)


def _undefined(
    measure: Measure, case: Case, options: Options, left_out: list[tuple[Bools, str]]
) -> list[tuple[Bools, str]]:
    """Disjoint sets of queries where the measure has no meaning, with the reason."""
    family = FAMILIES[measure.name, measure.counted]
    everything = np.ones(len(case.query_ids), bool)
    if case.qrels.judgements == "positives_only" and (family.pool != "any" or measure.flag("judged_only")):
        return [(everything, "only positives are listed")]
    if family.pool == "sampled" and options.policy == "pipeline" and not (case.qrels.grades < 0).any():
        return [(everything, "the pool is not known: no document has grade -1")]
    return left_out


def _left_out(measure: Measure, case: Case, options: Options) -> Iterator[tuple[Bools, str]]:
    """Disjoint sets of queries that the policy leaves out, none empty; the first reason that fits counts."""
    left = np.ones(len(case.query_ids), bool)
    for mask, reason in _special(measure, case, options):
        if (left & mask).any():
            yield left & mask, reason
            left &= ~mask


def _special(measure: Measure, case: Case, options: Options) -> Iterator[tuple[Bools, str]]:
    """Queries that count otherwise under the policy."""
    family = FAMILIES[measure.name, measure.counted]
    if options.policy == "seed" or family.domain in {"spans", "any"}:
        return
    yield np.diff(case.qrels.indptr) == 0, "no judgement"
    if options.policy == "trec":
        yield ~_retrieved(measure, case), "nothing retrieved"
    if options.policy == "pipeline" and family.domain == "relevant":
        yield _relevant(case.qrels, measure.integer("rel", 1)) == 0, "no relevant document"
    if family.dated and case.as_of is not None:
        yield np.isnat(case.as_of), "no as_of date"


def _retrieved(measure: Measure, case: Case) -> Bools:
    """(queries,): whether the query has a hit."""
    if measure.counted == "ranks" and case.documents is not None:
        hit: Bools = np.any(case.documents.items >= 0, axis=1)
        return hit
    if case.context is not None:
        filled: Bools = np.any(case.context.doc >= 0, axis=1)
        return filled
    return np.zeros(len(case.query_ids), bool)


def _relevant(qrels: Qrels, level: int) -> Longs:
    """(queries,): documents with a grade of at least `level`."""
    running = np.zeros(len(qrels.grades) + 1, np.int64)
    np.cumsum(qrels.grades >= level, out=running[1:])
    return running[qrels.indptr[1:]] - running[qrels.indptr[:-1]]
