"""Whether the score of the first hit tells when to stay silent: questions without an answer in the corpus.

`weights` (queries,): how much each question counts, as traffic does; None = all alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.records import Bools, Floats, Run


class Coverage(NamedTuple):
    """What happens when only questions with a score of at least `threshold` are answered; thresholds descending."""

    threshold: Floats
    coverage: Floats  # answered / all, by weight
    error: Floats  # answered although they should not be, or answered wrong / answered


def top_scores(run: Run) -> Floats:
    """(queries,): score of the first hit, minus infinity where nothing was retrieved."""
    if not run.items.shape[1]:
        return np.full(len(run.items), -np.inf)
    return np.where(run.items[:, 0] >= 0, run.scores[:, 0], -np.inf)


def auroc(scores: Floats, answerable: Bools, weights: Floats | None = None) -> float:
    """Chance that an answerable question scores above an unanswerable one, equal scores counting half.

    NaN where one of the two kinds is missing (Mann and Whitney 1947: U / (n1 * n2)).
    """
    counted = _counted(scores, weights)
    levels, place = np.unique(scores, return_inverse=True)
    yes, no = (np.bincount(place, counted * kind, len(levels)) for kind in (answerable, ~answerable))
    pairs = yes.sum() * no.sum()
    if not pairs:
        return float("nan")
    below = np.cumsum(no) - no
    return float((yes * (below + no / 2.0)).sum() / pairs)


def coverage_error(scores: Floats, right: Bools, weights: Floats | None = None) -> Coverage:
    """The curve over all thresholds that make a difference; `right`: answering this question is right."""
    counted = _counted(scores, weights)
    some = counted > 0  # a question that does not count makes no threshold
    scores, right, counted = scores[some], right[some], counted[some]
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(scores) else np.zeros(0, np.int64)
    answered = np.cumsum(counted[order])[last]
    wrong = np.cumsum(counted[order] * ~right[order])[last]
    return Coverage(ordered[last], answered / counted.sum() if len(scores) else answered, wrong / answered)


def threshold(scores: Floats, right: Bools, most_error: float, weights: Floats | None = None) -> float:
    """The threshold with the largest coverage among those whose error is at most `most_error`; infinity if none.

    To be chosen on other questions than those it is judged by.
    """
    if not 0.0 <= most_error <= 1.0:
        raise SettingError(f"most_error is a share in [0, 1]; got {most_error}")
    curve = coverage_error(scores, right, weights)
    kept = np.flatnonzero(curve.error <= most_error)
    return float(curve.threshold[kept[-1]]) if len(kept) else float("inf")


def _counted(scores: Floats, weights: Floats | None) -> Floats:
    return np.ones(len(scores)) if weights is None else weights
