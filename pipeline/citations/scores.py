"""Reports of many answers: one score table, and a summary that says over how many every mean is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.citations.report import AnswerReport
from pipeline.records import Floats, Interval, ScoreTable

BESIDE = ("cited_support", "judged_support")  # measures of answers that are none of citations
OF_ANSWERS = "answer_"  # how measures that came with the answers are named
_SPOKE = ("cited", "uncited", "format broken")


def _cites_nothing(one: AnswerReport) -> float:
    return float(one.total_citations == 0) if one.state in _SPOKE else math.nan


def _abstained(one: AnswerReport) -> float:
    return float(one.state == "abstained") if one.state not in ("missing", "empty") else math.nan


MEASURES: Mapping[str, Callable[[AnswerReport], float]] = {
    "citation_validity": lambda one: one.citation_validity,
    "cites_nothing": _cites_nothing,
    "context_coverage": lambda one: one.context_coverage,
    "relevant_context_coverage": lambda one: one.relevant_context_coverage,
    "sentence_coverage": lambda one: one.sentence_coverage,
    "cited_relevance": lambda one: one.cited_relevance,
    "cited_recall": lambda one: one.cited_recall,
    "duplicate_citations": lambda one: one.duplicate_share,
    "citation_position": lambda one: one.citation_position,
    "cited_rank": lambda one: one.cited_rank,
    "abstained": _abstained,
    "citation_faithfulness": lambda one: one.faithfulness if one.state not in ("missing", "empty") else math.nan,
    "citation_coverage": lambda one: (
        one.coverage if one.context_docs and one.state not in ("missing", "empty") else math.nan
    ),
}
"""Measure -> its value for one answer. The last two are the textbook's, over the answers the textbook takes."""


def of_answers(measure: str) -> bool:
    """Whether a measure is of answers, and not of rankings or contexts."""
    return measure in MEASURES or measure in BESIDE or measure.startswith(OF_ANSWERS)


_MICRO: Mapping[str, Callable[[AnswerReport], tuple[int, int]]] = {
    "citation_validity": lambda one: (one.valid_citations, one.total_citations),
    "context_coverage": lambda one: (one.cited_docs, one.context_docs) if one.state in _SPOKE else (0, 0),
}


@dataclass(frozen=True)
class Mean:
    """A mean over the answers where the measure is defined."""

    macro: float  # of the answers' values; NaN = defined nowhere
    micro: float  # of the citations (or documents) themselves; NaN = not a share of them
    interval: Interval  # of the macro mean, by bootstrap over answers
    defined: int  # answers the mean is over
    undefined: Mapping[str, int]  # reason -> answers


@dataclass(frozen=True)
class CitationSummary:
    """Many answers at once."""

    answers: int
    means: Mapping[str, Mean]  # by measure
    states: Mapping[str, int]  # cited, uncited, format broken, abstained, empty, missing -> answers
    formats: Mapping[str, int]  # format -> citations
    resolutions: Mapping[str, int]  # valid, fuzzy, ambiguous, invalid -> citations
    uncited_share: float  # answers that cite nothing, of those that answer


def score_table(query_ids: Sequence[str], reports: Sequence[AnswerReport]) -> ScoreTable:
    """Measure x answer, in the common currency; NaN = undefined, with the reasons counted."""
    values = np.array([[measure(one) for one in reports] for measure in MEASURES.values()], np.float64)
    values = values.reshape(len(MEASURES), len(reports))
    undefined = {
        name: reasons for name, row in zip(MEASURES, values, strict=True) if (reasons := _reasons(name, row, reports))
    }
    return ScoreTable(tuple(MEASURES), tuple(query_ids), values, undefined)


def summary(
    reports: Sequence[AnswerReport],
    rng: np.random.Generator,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    table: ScoreTable | None = None,
) -> CitationSummary:
    """Means with intervals, and counts of everything that is not a number.

    `table`: their score table where it holds more than citations, one column a report.
    """
    if table is None:
        table = score_table([str(i) for i in range(len(reports))], reports)
    states: Counter[str] = Counter(one.state for one in reports)
    occurrences = [one for report in reports for one in report.occurrences]
    nothing = table.values[table.measures.index("cites_nothing")]
    return CitationSummary(
        answers=len(reports),
        means={
            name: Mean(
                macro=_mean(row),
                micro=_micro(name, reports),
                interval=bootstrap_mean(row, rng, resamples=resamples, level=level),
                defined=int((~np.isnan(row)).sum()),
                undefined=table.undefined.get(name, {}),
            )
            for name, row in zip(table.measures, table.values, strict=True)
        },
        states=dict(states),
        formats=dict(Counter(one.format for one in occurrences)),
        resolutions=dict(Counter(one.resolution for one in occurrences)),
        uncited_share=_mean(nothing),
    )


def bootstrap_mean(values: Floats, rng: np.random.Generator, *, resamples: int = 2000, level: float = 0.95) -> Interval:
    """Percentile interval of the mean over resampled answers; (-inf, inf) with fewer than two."""
    defined = values[~np.isnan(values)]
    if defined.size < 2:
        return Interval(-math.inf, math.inf, level, "percentile")
    block = max(1, 2_000_000 // defined.size)
    means: list[Floats] = []
    for start in range(0, resamples, block):
        drawn = rng.integers(0, defined.size, (min(block, resamples - start), defined.size))
        means.append(defined[drawn].mean(axis=1))
    low, high = np.quantile(np.concatenate(means), (0.5 - level / 2, 0.5 + level / 2))
    return Interval(float(low), float(high), level, "percentile")


def _micro(name: str, reports: Sequence[AnswerReport]) -> float:
    if name not in _MICRO:
        return math.nan
    parts = [_MICRO[name](one) for one in reports]
    whole = sum(part[1] for part in parts)
    return sum(part[0] for part in parts) / whole if whole else math.nan


def _mean(row: Floats) -> float:
    defined = row[~np.isnan(row)]
    return float(defined.mean()) if defined.size else math.nan


def _reasons(name: str, row: Floats, reports: Sequence[AnswerReport]) -> dict[str, int]:
    return dict(Counter(_reason(name, one) for value, one in zip(row, reports, strict=True) if math.isnan(value)))


def _reason(name: str, one: AnswerReport) -> str:
    """Why the measure is undefined for this answer."""
    if one.state == "missing":
        return "no answer"
    if one.state in ("empty", "abstained"):
        return {"empty": "empty answer", "abstained": "abstained"}[one.state]
    if name in ("context_coverage", "citation_coverage") and not one.context_docs:
        return "no context"
    if name in ("relevant_context_coverage", "cited_recall"):
        return "no relevant document" if name == "cited_recall" else "no relevant document in the context"
    if name == "cited_relevance":
        return "no judged document cited"
    return "no citation"
