"""Measures that tell judged hits (grade 0 and above) from pooled (any other listed grade) and unlisted ones."""

from __future__ import annotations

import numpy as np

from pipeline.metrics.blocks import UNLISTED
from pipeline.metrics.gains import share
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import Ranked
from pipeline.records import Floats, Longs

_EPSILON = 0.00001  # trec_eval's INFAP_EPSILON


def judged_share(view: Ranked, measure: Measure) -> Floats:
    """Judged hits among the first k, divided by min(k, retrieved); NaN where nothing came back."""
    k = measure.cutoff or view.width
    judged = np.count_nonzero(view.grades[:, :k] >= 0, axis=1)
    seen = np.minimum(view.retrieved, k)
    return np.where(seen > 0, share(judged, seen), np.nan)


def bpref(view: Ranked, measure: Measure) -> Floats:
    """Mean over R relevant documents of 1 - min(n, R) / min(N, R), where retrieved; 0 for those that are not.

    n judged non-relevant hits stand above it, N are judged non-relevant in all; 1 where n is 0
    (Buckley and Voorhees 2004, as trec_eval).
    """
    level = measure.integer("rel", 1)
    relevant = view.relevant(level)
    above = np.cumsum((view.grades >= 0) & ~relevant, axis=1)
    total = view.total(level)
    bad = np.count_nonzero((view.judged >= 0) & (view.judged < level), axis=1)
    worst = np.minimum(bad, total)[:, None]
    lost = share(np.minimum(above, total[:, None]), np.broadcast_to(worst, above.shape))
    return share(np.where(relevant, 1.0 - lost, 0.0).sum(axis=1), total)


def inferred_ap(view: Ranked, measure: Measure) -> Floats:
    """Average precision as expected from a judged sample of the pool (Yilmaz and Aslam 2006, as trec_eval)."""
    level = measure.integer("rel", 1)
    relevant = view.relevant(level)
    hits = view.hits(level) - relevant  # relevant ones above
    bad = np.cumsum((view.grades >= 0) & ~relevant, axis=1)
    pooled: Longs = np.cumsum(view.grades > UNLISTED, axis=1) - relevant  # pooled ones above
    above = np.arange(view.width, dtype=np.float64)
    rate = (hits + _EPSILON) / (hits + bad + 2 * _EPSILON)
    value = (1.0 + pooled * rate) / (above + 1.0)
    value[:, 0] = 1.0
    return share(np.where(relevant, value, 0.0).sum(axis=1), view.total(level))


def rbp_residual(view: Ranked, measure: Measure) -> Floats:
    """What RBP could still gain: the weights of unjudged hits and of all ranks behind the last one looked at."""
    p = measure.number("p", 0.8)
    grades = view.grades[:, : measure.cutoff]
    looked = np.minimum(view.retrieved, grades.shape[1])
    rank = np.arange(grades.shape[1])
    unjudged = (grades < 0) & (rank < looked[:, None])
    return unjudged @ ((1.0 - p) * p**rank) + p**looked
