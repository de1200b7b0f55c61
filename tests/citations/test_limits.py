"""Limits of the charts: by their definitions, and a simulation that shares nothing with the one that set them."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.citations.limits import height, moved, scatter, started


def test_the_first_batch_stands_by_hand():
    # z = 2.76: 2.76/3; EWMA 0.3 z over 0.3 = z, 2.76/2.3; CUSUM (2.76 - 1)/2
    _, standing = moved(started(), np.array([2.76]), 1 / 6)
    assert standing[:, 0] == pytest.approx([0.92, 1.2, 0.88])


def test_charts_that_remember_follow_their_definitions():
    rng = np.random.default_rng(3)
    z, rho = rng.standard_normal(12), 0.2
    memory = started()
    for count in range(1, len(z) + 1):
        memory, standing = moved(memory, z[count - 1 : count], rho)
        weights = 0.3 * 0.7 ** np.arange(count)[::-1]
        # batches share the error of the baseline: the same correlation between any two of them
        correlations = np.full((count, count), rho) + (1 - rho) * np.eye(count)
        ewma = weights @ z[:count] / np.sqrt(weights @ correlations @ weights)
        cusum = max(0.0, *(z[start:count].sum() - (count - start) for start in range(count)))
        assert standing[1:, 0] == pytest.approx([ewma / 2.3, cusum / 2.0])


def test_batches_never_scatter_less_than_their_answers_explain():
    # (12 * 1.5 + 14) / 16 = 2; (12 * 1 + 0) / 16 < 1
    assert scatter(14.0, 5, 1.5) == pytest.approx(np.sqrt(2))
    assert scatter(0.0, 5, 1.0) == 1.0


@pytest.mark.parametrize(
    ("batches", "variance", "share"), [(5, 1.0, 0.0085), (5, 2.5, 0.0085), (3, 1.5, 0.0085), (20, 1.0, 0.02)]
)
def test_series_in_control_alarm_as_rarely_as_asked(batches, variance, share):
    rng = np.random.default_rng(99)
    limit, rho = height(batches, variance, share), 1 / (1 + batches)
    x = rng.normal(0.7, np.sqrt(variance), (3000, batches + 25))
    normal = x[:, :batches].mean(axis=1)
    sigma = np.sqrt(
        np.maximum(1, (12 * variance + (batches - 1) * x[:, :batches].var(axis=1, ddof=1)) / (batches + 11))
    )
    z = (x[:, batches:] - normal[:, None]) / np.sqrt(1 + 1 / batches) / sigma[:, None]
    alarms = 0
    ewma, cusum, age = np.zeros(3000), np.zeros(3000), np.zeros(3000)
    for row in z.T:
        age += 1
        ewma, cusum = 0.3 * row + 0.7 * ewma, np.maximum(0, cusum + row - 1)
        own = 0.09 * (1 - 0.49**age) / (1 - 0.49)  # sum of the squared weights
        spread = np.sqrt((1 - rho) * own + rho * (1 - 0.7**age) ** 2)
        loud = (row > 3 * limit) | (ewma > 2.3 * limit * spread) | (cusum > 2 * limit)
        alarms += loud.sum()
        ewma[loud], cusum[loud], age[loud] = 0, 0, 0
    assert alarms / z.size == pytest.approx(share, rel=0.12)


def test_rarer_alarms_need_higher_limits():
    heights = [height(5, 1.0, share) for share in (0.05, 0.01, 0.002)]
    assert heights == sorted(heights)
    assert heights[0] < 0.8 * heights[-1]
