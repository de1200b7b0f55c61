"""Whether the score of the first hit tells when to stay silent: questions without an answer in the corpus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.records import Bools, Floats, Run


class Coverage(NamedTuple):
    """What happens when only questions with a score of at least `threshold` are answered; thresholds descending."""

    threshold: Floats
    coverage: Floats  # answered / all
    error: Floats  # answered although they should not be, or answered wrong / answered


def top_scores(run: Run) -> Floats:
    """(queries,): score of the first hit, minus infinity where nothing was retrieved."""
    if not run.items.shape[1]:
        return np.full(len(run.items), -np.inf)
    return np.where(run.items[:, 0] >= 0, run.scores[:, 0], -np.inf)


def auroc(scores: Floats, answerable: Bools) -> float:
    """Chance that an answerable question scores above an unanswerable one, equal scores counting half.

    NaN where one of the two kinds is missing (Mann and Whitney 1947: U / (n1 * n2)).
    """
    yes, no = int(answerable.sum()), int((~answerable).sum())
    if not yes or not no:
        return float("nan")
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2.0
    return float((mean_rank[place[answerable]].sum() - yes * (yes + 1) / 2.0) / (yes * no))


def coverage_error(scores: Floats, right: Bools) -> Coverage:
    """The curve over all thresholds that make a difference; `right`: answering this question is right."""
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(scores) else np.zeros(0, np.int64)
    answered = last + 1.0
    wrong = np.cumsum(~right[order])[last] if len(scores) else np.zeros(0)
    return Coverage(ordered[last], answered / max(len(scores), 1), wrong / answered)


def threshold(scores: Floats, right: Bools, most_error: float) -> float:
    """The threshold with the largest coverage among those whose error is at most `most_error`; infinity if none.

    To be chosen on other questions than those it is judged by.
    """
    if not 0.0 <= most_error <= 1.0:
        raise SettingError(f"most_error is a share in [0, 1]; got {most_error}")
    curve = coverage_error(scores, right)
    kept = np.flatnonzero(curve.error <= most_error)
    return float(curve.threshold[kept[-1]]) if len(kept) else float("inf")
