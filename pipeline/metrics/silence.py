"""What one experiment's first scores say about questions without an answer: how well they part, and at which price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pipeline.metrics.abstention import auroc, coverage_error, threshold, top_scores
from pipeline.records import Bools, Run

MOST_ERROR = 0.2  # share of answered questions that may have no answer
STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)  # per cent of the questions answered


class Silence(NamedTuple):
    """`facts`: answer_auroc over all questions; answer_threshold, answer_coverage and answer_error of the threshold.

    The threshold is the one with the largest coverage at MOST_ERROR among the questions `select`; its coverage and
    error are those on the others. A fact without a meaning is left out. `error`: per cent answered -> error, over all.
    """

    facts: Mapping[str, float]
    error: Mapping[int, float]


def silence(run: Run, answerable: Bools, select: Bools) -> Silence:
    """How well the score of the first hit tells answerable questions from others."""
    scores = top_scores(run)
    area = auroc(scores, answerable)
    if np.isnan(area):
        return Silence({}, {})
    facts = {"answer_auroc": area}
    limit = threshold(scores[select], answerable[select], MOST_ERROR)
    if np.isfinite(limit) and (~select).any():
        answered = scores[~select] >= limit
        facts |= {"answer_threshold": limit, "answer_coverage": float(answered.mean())}
        if answered.any():
            facts["answer_error"] = float((~answerable[~select][answered]).mean())
    curve = coverage_error(scores, answerable)
    reached = [(step, np.flatnonzero(curve.coverage >= step / 100 - 1e-12)) for step in STEPS]
    return Silence(facts, {step: float(curve.error[at[0]]) for step, at in reached if len(at)})
