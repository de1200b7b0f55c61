"""The budget measures: each one function of `Filled`, shape (n,), at a budget of context tokens."""

from __future__ import annotations

import numpy as np

from pipeline.metrics.contexts import Evidence, Filled, covered
from pipeline.metrics.gains import share
from pipeline.metrics.measure import Measure
from pipeline.records import Floats


def document_recall(view: Filled, measure: Measure) -> Floats:
    """Relevant documents with at least one token in the context / relevant documents."""
    relevant = view.grades >= measure.integer("rel", 1)
    found = relevant & (view.reach < (measure.cutoff or 0))
    return share(np.count_nonzero(found, axis=1), np.count_nonzero(relevant, axis=1))


def _best(evidence: Evidence, values: Floats) -> Floats:
    """(groups,): the largest value among the alternatives of each group."""
    best = np.full(len(evidence.group_row), -np.inf)
    np.maximum.at(best, evidence.group, values)
    return best


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
    length = (evidence.end - evidence.start).astype(np.float64)
    inside = covered(evidence, view.pieces(measure.cutoff or 0)).astype(np.float64)
    weight = -_best(evidence, -length)
    gained = np.bincount(evidence.group_row, weights=weight * _best(evidence, inside / length), minlength=rows)
    whole = np.bincount(evidence.group_row, weights=weight, minlength=rows)
    return np.where(whole > 0, share(gained, whole), np.nan)
