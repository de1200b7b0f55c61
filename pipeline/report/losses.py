"""Queries to look at: those lost against the baseline and the worst ones, with what was found and what was missed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len

from pipeline.errors import SettingError
from pipeline.records import Dataset, Run, ScoreTable
from pipeline.report.text import WIDTH, clean, fit, fit_end, labelled, number, signed

FOUND = 3  # hits shown a query
MISSED = 5  # relevant documents shown a query


@dataclass(frozen=True, eq=False)
class Side:
    """One experiment: its name, its scores, its document ranking (a row a query of the dataset)."""

    name: str
    scores: ScoreTable
    documents: Run


@dataclass(frozen=True)
class _Query:
    row: int  # of the dataset
    value: float
    base: float  # NaN = no baseline, or undefined there

    @property
    def delta(self) -> float:
        return self.value - self.base


def losses(dataset: Dataset, side: Side, baseline: Side | None, measure: str, *, shown: int = 5) -> str:
    """At most `shown` lost and `shown` worst queries of `side`, greatest loss and lowest value first.

    Queries are aligned by id. A query that `measure` leaves undefined for `side` is left out. SettingError where the
    scores lack the measure.
    """
    queries = _queries(dataset, side, baseline, measure)
    lost = sorted((q for q in queries if q.delta < 0), key=lambda q: (q.delta, q.row))[:shown]
    rest = [q for q in queries if q not in lost]
    worst = sorted(rest, key=lambda q: (q.value, q.row))[:shown]
    lines = labelled("", _summary(queries, side, baseline, measure), 0)
    for word, chosen in (("LOST", lost), ("WORST", worst)):
        for query in chosen:
            lines += ["", *_query_lines(dataset, query, word, side, baseline)]
    return "\n".join(lines) + "\n"


def _queries(dataset: Dataset, side: Side, baseline: Side | None, measure: str) -> list[_Query]:
    ours = _values(side, measure)
    theirs = {} if baseline is None else _values(baseline, measure)
    rows = {query: row for row, query in enumerate(dataset.queries.ids)}
    unknown = next((query for query in ours if query not in rows), None)
    if unknown is not None:
        raise SettingError(
            f"query {unknown!r} of {side.name} is not in the dataset {dataset.name}; give the same dataset"
        )
    return [_Query(rows[q], value, theirs.get(q, math.nan)) for q, value in ours.items()]


def _values(side: Side, measure: str) -> dict[str, float]:
    if measure not in side.scores.measures:
        known = ", ".join(side.scores.measures)
        raise SettingError(f"{side.name} has no values of {measure}; it has {known}")
    row = side.scores.values[side.scores.measures.index(measure)]
    return {query: float(v) for query, v in zip(side.scores.query_ids, row, strict=True) if not math.isnan(v)}


def _summary(queries: Sequence[_Query], side: Side, baseline: Side | None, measure: str) -> str:
    if baseline is None:
        return f"{side.name} on {measure}: the worst of {len(queries):,} queries"
    deltas = [q.delta for q in queries if not math.isnan(q.delta)]
    won, lost = sum(d > 0 for d in deltas), sum(d < 0 for d in deltas)
    counts = f"{lost:,} lost, {won:,} won, {len(deltas) - won - lost:,} tied of {len(deltas):,} queries"
    return f"{side.name} against {baseline.name} on {measure}: {counts}"


def _query_lines(dataset: Dataset, query: _Query, word: str, side: Side, baseline: Side | None) -> list[str]:
    compared = "" if baseline is None or math.isnan(query.base) else f"  {baseline.name} {number(query.base)}"
    change = f"  {signed(query.delta)}" if compared else ""
    identity = fit(clean(dataset.queries.ids[query.row]), 24)
    head = fit(clean(f"{word:<6} {identity}  {number(query.value)}{compared}{change}"), WIDTH)
    grades = _grades(dataset, query.row)
    return [
        head,
        *labelled("  query", dataset.queries.texts[query.row]),
        *_found(dataset, side.documents, query.row, grades),
        *_missed(dataset, (side, baseline), query.row, grades),
    ]


def _grades(dataset: Dataset, row: int) -> dict[int, int]:
    start, end = dataset.qrels.indptr[row], dataset.qrels.indptr[row + 1]
    docs, grades = dataset.qrels.docs[start:end], dataset.qrels.grades[start:end]
    return {int(doc): int(grade) for doc, grade in zip(docs, grades, strict=True)}


def _found(dataset: Dataset, run: Run, row: int, grades: dict[int, int]) -> list[str]:
    """The first hits, each with its grade or `?` where nobody judged it."""
    hits = [int(item) for item in run.items[row] if item >= 0][:FOUND]
    if not hits:
        return ["  found  nothing"]
    lines = []
    for place, doc in enumerate(hits, 1):
        judged = f"grade {grades[doc]}" if doc in grades else "unjudged"
        start = f"{'  found' if place == 1 else '':<9}{place:>3}  {judged:<8}  "
        lines.append(start + _document(dataset, run, doc, WIDTH - cell_len(start)))
    return lines


def _missed(dataset: Dataset, sides: tuple[Side, Side | None], row: int, grades: dict[int, int]) -> list[str]:
    """Relevant documents that are not among the first hits: their rank here, and in the baseline."""
    side, baseline = sides
    shown = {int(item) for item in side.documents.items[row][:FOUND]}
    missed = sorted((d for d, grade in grades.items() if grade > 0 and d not in shown), key=lambda d: (-grades[d], d))
    lines = []
    for place, doc in enumerate(missed[:MISSED]):
        here = _rank(side.documents, row, doc)
        there = (
            "" if baseline is None else f" ({_rank(baseline.documents, row, doc)} in {fit(clean(baseline.name), 20)})"
        )
        start = f"{'' if place else '  missed':<9}{here}{there}  grade {grades[doc]}  "
        lines.append(start + _document(dataset, side.documents, doc, WIDTH - cell_len(start)))
    if len(missed) > MISSED:
        lines.append(f"{'':<9}and {len(missed) - MISSED:,} more")
    return lines


def _rank(run: Run, row: int, doc: int) -> str:
    at = np.flatnonzero(run.items[row] == doc)
    return f"rank {int(at[0]) + 1}" if len(at) else "not found"


def _document(dataset: Dataset, run: Run, doc: int, width: int) -> str:
    """Id and first words; a judged or retrieved document that the corpus lacks says so."""
    known, missing = len(dataset.corpus.ids), dataset.qrels.missing
    if doc >= known:
        names = (*missing, *run.foreign)
        outside = names[doc - known] if doc - known < len(names) else "?"
        return fit(f"{clean(outside)}  (not in the corpus)", width)
    words = clean(dataset.corpus.titles[doc] or dataset.corpus.texts[doc][:200])
    identity = fit(clean(dataset.corpus.ids[doc]), max(8, width // 2))
    room = width - cell_len(identity) - 2
    return identity if room < 8 else f"{identity}  {fit_end(words, room)}"
