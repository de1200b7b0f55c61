"""Control charts: values by hand, and how often they are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import betabinom, t

from pipeline.citations.charts import Batch, ChartSettings, distance, estimate, judge
from pipeline.errors import SettingError

SETTINGS = ChartSettings()


def shares(count, hits):
    return Batch(count, float(hits), float(hits))


def batch(values):
    values = np.asarray(values, float)
    return Batch(len(values), float(values.sum()), float((values**2).sum()))


def test_the_baseline_is_estimated_from_its_batches():
    found = estimate([shares(100, hits) for hits in (10, 12, 8, 11, 9, 90)], SETTINGS)
    assert (found.count, found.mean, found.batches) == (500, 0.1, (0, 1, 2, 3, 4))


def test_batches_that_are_too_small_are_no_baseline_and_not_judged():
    batches = [shares(100, 10)] * 4 + [shares(5, 5), shares(100, 10), shares(19, 19), shares(100, 10)]
    found = judge("x", "high", batches, SETTINGS)
    assert found.baseline.batches == (0, 1, 2, 3, 5)
    assert [point.state for point in found.points[5:]] == ["baseline", "too few", "normal"]
    assert found.alarms == ()


def test_without_a_full_baseline_nothing_is_judged():
    found = judge("x", "high", [shares(100, 10)] * 4, SETTINGS)
    assert (found.baseline, found.alarms) == (None, ())


def test_the_baseline_can_begin_later():
    batches = [shares(100, 60)] * 3 + [shares(100, 10)] * 6
    assert judge("x", "high", batches, SETTINGS, first=3).baseline.mean == pytest.approx(0.1)


def test_a_share_is_far_as_the_beta_binomial_says():
    # 500 baseline answers, 50 hits; 40 of 200 in the batch: mid-p from scipy's own distribution
    base = estimate([shares(100, 10)] * 5, SETTINGS)
    law = betabinom(200, 50.5, 450.5)
    tail = law.sf(40) + 0.5 * law.pmf(40)
    z = distance(shares(200, 40), base, "high")
    assert z == pytest.approx(-_normal(tail), abs=1e-6)
    assert distance(shares(200, 40), base, "low") == pytest.approx(-z, abs=1e-6)


def test_a_mean_is_far_as_student_says():
    rng = np.random.default_rng(1)
    base_batches = [batch(rng.beta(4, 1, 100)) for _ in range(5)]
    base = estimate(base_batches, SETTINGS)
    later = batch(rng.beta(2, 1, 80))
    worse = (base.mean - later.mean) / (base.deviation * math.sqrt(1 / 80 + 1 / 500))
    assert distance(later, base, "low") == pytest.approx(-_normal(t.sf(worse, 495)), abs=1e-6)


def _normal(p):
    from scipy.special import ndtri

    return float(ndtri(p))


def test_laney_widens_the_limits_where_batches_scatter():
    even = estimate([shares(400, hits) for hits in (40, 42, 38, 41, 39)], SETTINGS)
    uneven = estimate([shares(400, hits) for hits in (20, 70, 25, 65, 30)], SETTINGS)
    assert even.laney == 1.0
    # z by hand: mean 210/2000 = .105, spread of answers about .3066/20 = .01533; means .05 .175 .0625 .1625 .075
    z = np.array([0.05, 0.175, 0.0625, 0.1625, 0.075]) / 0.01524
    assert uneven.laney == pytest.approx(np.abs(np.diff(z)).mean() / 1.128, rel=0.03)


def test_one_direction_alone_is_bad():
    batches = [shares(200, 40)] * 5 + [shares(200, 2)]
    assert judge("x", "high", batches, SETTINGS).alarms == ()
    assert judge("x", "low", batches, SETTINGS).alarms[0].charts == ("shewhart", "ewma", "cusum")


def test_a_slow_drift_is_found_by_the_charts_that_remember():
    # 10 % of 300, then 12.7, 13.3, 14.0, 14.3 %: no batch by itself is 2.9 standard errors (1.77 points) away
    batches = [shares(300, 30)] * 20 + [shares(300, hits) for hits in (38, 40, 42, 43)]
    first = judge("x", "high", batches, ChartSettings(baseline=20)).alarms[0]
    assert "ewma" in first.charts
    assert "shewhart" not in first.charts


def test_an_alarm_says_since_when():
    batches = [shares(200, 20)] * 8 + [shares(200, 32), shares(200, 60)]
    found = judge("x", "high", batches, SETTINGS).alarms
    assert (found[-1].batch, found[-1].since) == (9, 8)


def test_a_single_slip_after_a_flawless_baseline_is_no_alarm():
    flawless = [Batch(12, 12.0, 12.0)] * 5
    assert judge("x", "low", [*flawless, batch([1] * 11 + [0.5])], ChartSettings(minimum=6)).alarms == ()


@pytest.mark.parametrize("setting", [{"baseline": 1}, {"minimum": 1}, {"ewma_weight": 0.0}, {"shewhart": 0.0}])
def test_settings_that_make_no_sense_are_named(setting):
    with pytest.raises(SettingError, match=next(iter(setting))):
        ChartSettings(**setting)


def validities(rng, mean, count):
    """Answers of 1 to 6 citations that are right together: intra-answer correlation 0.3."""
    room = 0.7 / 0.3
    cited = rng.integers(1, 7, count)
    return rng.binomial(cited, rng.beta(mean * room, (1 - mean) * room, count)) / cited


def nothings(rng, mean, count):
    return (rng.random(count) < mean).astype(float)


@pytest.mark.parametrize(
    ("draw", "bad", "before", "after"), [(validities, "low", 0.9, 0.8), (nothings, "high", 0.05, 0.15)]
)
def test_ten_points_are_found_within_three_batches_and_false_alarms_are_rare(draw, bad, before, after):
    rng = np.random.default_rng(7)
    found = alarms = 0
    for _ in range(150):
        calm = [batch(draw(rng, before, 200)) for _ in range(20)]
        alarms += len(judge("x", bad, calm, SETTINGS).alarms)
        changed = [batch(draw(rng, after, 200)) for _ in range(3)]
        found += bool(judge("x", bad, [*calm[:5], *changed], SETTINGS).alarms)
    assert found / 150 >= 0.95
    assert alarms / (150 * 15) <= 0.01
