"""Batches of answers for the tests of charts and their baselines."""

from __future__ import annotations

import numpy as np

from pipeline.citations.baselines import Batch


def shares(count, hits):
    """`hits` of `count` answers are 1, the others 0."""
    return Batch(count, float(hits), float(hits))


def batch(values):
    """Answers with these values."""
    values = np.asarray(values, float)
    return Batch(len(values), float(values.sum()), float((values**2).sum()))
