"""What one experiment's first scores say about questions without an answer: how well they part, and at which price.

`weights` (queries,): how much each question counts, as traffic does; None = all alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pipeline.metrics.abstention import auroc, coverage_error, threshold, top_scores
from pipeline.records import Bools, Floats, Longs, Run

MOST_ERROR = 0.2  # share of answered questions that may have no answer
STEPS = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)  # per cent of the questions answered


class Silence(NamedTuple):
    """`area`: AUROC over all questions, NaN without both kinds. `error`: per cent answered -> error, over all."""

    area: float
    error: Mapping[int, float]


def silence(run: Run, answerable: Bools, weights: Floats | None = None) -> Silence:
    """How well the score of the first hit tells answerable questions from others."""
    scores = top_scores(run)
    area = auroc(scores, answerable, weights)
    if np.isnan(area):
        return Silence(area, {})
    curve = coverage_error(scores, answerable, weights)
    reached = [(step, np.flatnonzero(curve.coverage >= step / 100 - 1e-12)) for step in STEPS]
    return Silence(area, {step: float(curve.error[at[0]]) for step, at in reached if len(at)})


def held_out(run: Run, answerable: Bools, select: Bools, weights: Floats | None = None) -> dict[str, float]:
    """The threshold with the largest coverage at MOST_ERROR among the questions `select`, judged by the others.

    answer_threshold, answer_coverage, answer_error, and on how many questions it was chosen and measured. Empty where
    no threshold keeps the error, or a part is missing; a fact without a meaning is left out.
    """
    scores = top_scores(run)
    counted = np.ones(len(scores)) if weights is None else weights
    limit = threshold(scores[select], answerable[select], MOST_ERROR, counted[select])
    if not np.isfinite(limit) or not counted[~select].any():
        return {}
    answered: Bools = scores[~select] >= limit
    return _facts(limit, answered, answerable[~select], counted[~select], int(select.sum()))


def cross_validated(run: Run, answerable: Bools, fold: Longs, weights: Floats | None = None) -> dict[str, float]:
    """As `held_out`, with the threshold chosen on all questions, and each judged by that of the other folds."""
    scores = top_scores(run)
    counted = np.ones(len(scores)) if weights is None else weights
    limit = threshold(scores, answerable, MOST_ERROR, counted)
    if not np.isfinite(limit):
        return {}
    limits: Floats = np.full(len(scores), np.inf)
    for part in np.unique(fold):
        others = fold != part
        limits[~others] = threshold(scores[others], answerable[others], MOST_ERROR, counted[others])
    return _facts(limit, scores >= limits, answerable, counted, len(scores))


def _facts(limit: float, answered: Bools, answerable: Bools, counted: Floats, chosen_on: int) -> dict[str, float]:
    facts = {"answer_threshold": limit, "answer_coverage": float(counted[answered].sum() / counted.sum())}
    if counted[answered].any():
        facts["answer_error"] = float(counted[answered & ~answerable].sum() / counted[answered].sum())
    return facts | {"answer_chosen_on": float(chosen_on), "answer_measured_on": float(len(answered))}
