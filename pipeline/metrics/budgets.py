"""The budget measures: each one function of `Filled`, shape (n,), at a budget of B context tokens."""

from __future__ import annotations

import numpy as np

from pipeline.metrics.contexts import Evidence, Filled, Pieces, covered, disjoint, pairs
from pipeline.metrics.gains import share
from pipeline.metrics.measure import Measure
from pipeline.records import Bools, Floats, Longs


def _budget(measure: Measure) -> int:
    return measure.cutoff or 0


def _pieces(view: Filled, measure: Measure) -> Pieces:
    return view.pieces(_budget(measure), whole=measure.flag("whole"))


def document_recall(view: Filled, measure: Measure) -> Floats:
    """Relevant documents with at least one token in the context / relevant documents."""
    relevant = view.grades >= measure.integer("rel", 1)
    found = relevant & (view.reach < _budget(measure))
    return share(np.count_nonzero(found, axis=1), np.count_nonzero(relevant, axis=1))


def filled_share(view: Filled, measure: Measure) -> Floats:
    """Tokens of the context / B; below 1 where the run ends before the budget."""
    filled: Floats = view.used(_budget(measure)).sum(axis=1) / float(_budget(measure))
    return filled


def repeated_share(view: Filled, measure: Measure) -> Floats:
    """Tokens of the context that it already holds / tokens of the context; NaN where it is empty."""
    used = view.used(_budget(measure), whole=measure.flag("whole"))
    row, column = np.nonzero(used > 0)
    first = view.first[row, column]
    once = disjoint(row, np.zeros_like(row), first, first + used[row, column])
    distinct = np.bincount(once.row, weights=once.end - once.start, minlength=len(used))
    total = used.sum(axis=1)
    return np.where(total > 0, 1.0 - share(distinct, total), np.nan)


def _best(evidence: Evidence, values: Floats) -> Floats:
    """(groups,): the largest value among the alternatives of each group."""
    best = np.full(len(evidence.group_row), -np.inf)
    np.maximum.at(best, evidence.group, values)
    return best


def _shares(view: Filled, evidence: Evidence, measure: Measure) -> Floats:
    """(spans,): share of each span's characters in the context."""
    return covered(evidence, _pieces(view, measure)) / (evidence.end - evidence.start).astype(np.float64)


def span_recall(view: Filled, measure: Measure) -> Floats:
    """Sum over groups of length * best share covered / sum of lengths; NaN without evidence.

    The length of a group is that of its shortest alternative, the best share that of the alternative most covered:
    without alternatives this is evidence characters in the context / all evidence characters, and a longer context
    never lowers it.
    """
    rows = len(view.doc)
    if view.evidence is None:
        return np.full(rows, np.nan)
    evidence = view.evidence
    weight = -_best(evidence, (evidence.start - evidence.end).astype(np.float64))
    best = _best(evidence, _shares(view, evidence, measure))
    gained = np.bincount(evidence.group_row, weights=weight * best, minlength=rows)
    whole = np.bincount(evidence.group_row, weights=weight, minlength=rows)
    return np.where(whole > 0, share(gained, whole), np.nan)


def full_evidence(view: Filled, measure: Measure) -> Floats:
    """1 where the evidence is whole in the context, else 0; NaN without evidence.

    Whole: of every group one alternative; with `all` every span, alternatives too.
    """
    rows = len(view.doc)
    if view.evidence is None:
        return np.full(rows, np.nan)
    evidence = view.evidence
    whole: Bools = _shares(view, evidence, measure) >= 1.0
    if measure.flag("all"):
        lacking = np.bincount(evidence.row, weights=~whole, minlength=rows)
    else:
        lacking = np.bincount(evidence.group_row, weights=_best(evidence, whole.astype(np.float64)) < 1, minlength=rows)
    there = np.bincount(evidence.row, minlength=rows) > 0
    return np.where(there, (lacking == 0).astype(np.float64), np.nan)


def span_precision(view: Filled, measure: Measure) -> Floats:
    """Evidence characters in the context / characters of the context, each once; 0 for an empty context."""
    rows = len(view.doc)
    if view.evidence is None:
        return np.full(rows, np.nan)
    evidence, pieces = view.evidence, _pieces(view, measure)
    once = disjoint(evidence.row, evidence.doc, evidence.start, evidence.end)
    inside = np.bincount(once.row, weights=covered(once, pieces), minlength=rows)
    text = np.bincount(pieces.row, weights=pieces.end - pieces.start, minlength=rows)
    there = np.bincount(evidence.row, minlength=rows) > 0
    return np.where(there, share(inside, text), np.nan)


def reading_utility(view: Filled, measure: Measure) -> Floats:
    """U-measure: sum of 1 - (t - 1)/B over the context's evidence tokens, by the same with all evidence first.

    t counts context tokens from 1; a token gains where it occurs first. Of each group the alternative most covered is
    the evidence (then the shorter, then the first). After Sakai and Dou 2013, with tokens for units. NaN without
    evidence tokens.
    """
    rows, budget = len(view.doc), _budget(measure)
    if view.evidence is None:
        return np.full(rows, np.nan)
    evidence = _chosen(view, view.evidence, measure)
    first, behind = view.token_range(evidence.doc, evidence.start, evidence.end)
    needed = disjoint(evidence.row, evidence.doc, first, behind)
    row, at = _first_seen(view, needed, budget)
    gained = np.bincount(row, weights=1.0 - at / budget, minlength=rows)
    total = np.bincount(needed.row, weights=needed.end - needed.start, minlength=rows)
    count = np.minimum(total, budget)
    return np.where(total > 0, share(gained, count - count * (count - 1.0) / (2.0 * budget)), np.nan)


def _chosen(view: Filled, evidence: Evidence, measure: Measure) -> Pieces:
    """One alternative of each group."""
    order = np.lexsort((evidence.end - evidence.start, -_shares(view, evidence, measure), evidence.group))
    group = evidence.group[order]
    order = order[np.flatnonzero(np.diff(group, prepend=-1))]
    return Pieces(evidence.row[order], evidence.doc[order], evidence.start[order], evidence.end[order])


def _first_seen(view: Filled, needed: Pieces, budget: int) -> tuple[Longs, Longs]:
    """Query and place (from 0) in the context of every needed token in it; `needed` counts tokens, not characters."""
    used = view.used(budget)
    row, column = np.nonzero(used > 0)
    doc = view.doc[row, column].astype(np.int64)
    order = np.lexsort((doc, row))
    row, column, doc = row[order], column[order], doc[order]
    span, chunk = pairs(needed.row, needed.doc, row, doc)
    first = view.first[row, column][chunk]
    low = np.maximum(needed.start[span], first)
    counts = np.maximum(np.minimum(needed.end[span], first + used[row, column][chunk]) - low, 0)
    token = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    place = np.repeat(view.before[row, column][chunk] - first, counts) + token
    where = np.repeat(row[chunk], counts)
    order = np.lexsort((place, token, where))
    where, token, place = where[order], token[order], place[order]
    fresh = np.ones(len(where), bool)
    fresh[1:] = (where[1:] != where[:-1]) | (token[1:] != token[:-1])
    return where[fresh], place[fresh]
