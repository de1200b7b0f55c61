"""Control charts: what they say, and how often they are right."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.citations.baselines import Batch, ChartSettings
from pipeline.citations.charts import judge
from tests.citations.batches import batch, shares

SETTINGS = ChartSettings()


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


def test_one_direction_alone_is_bad():
    batches = [shares(200, 40)] * 5 + [shares(200, 2)]
    assert judge("x", "high", batches, SETTINGS).alarms == ()
    assert judge("x", "low", batches, SETTINGS).alarms[0].charts == ("shewhart", "ewma", "cusum")


def test_a_slow_drift_is_found_by_the_charts_that_remember():
    # 10 % of 300, then 12.7, 13.3, 14.0, 14.3 %: no batch by itself is 3 standard errors (1.78 points) away
    batches = [shares(300, 30)] * 20 + [shares(300, hits) for hits in (38, 40, 42, 43)]
    first = judge("x", "high", batches, ChartSettings(baseline=20)).alarms[0]
    assert "ewma" in first.charts
    assert "shewhart" not in first.charts


def test_an_alarm_says_since_when():
    batches = [shares(200, 20)] * 8 + [shares(200, 32), shares(200, 60)]
    found = judge("x", "high", batches, SETTINGS).alarms
    assert (found[-1].batch, found[-1].since) == (9, 8)


def test_what_was_worse_for_a_batch_and_is_over_is_no_since():
    # one batch of 15 %, four of 5 %: both charts that remember are back where they began; then 30 %
    batches = [shares(200, 20)] * 8 + [shares(200, 30)] + [shares(200, 10)] * 4 + [shares(200, 60)]
    (alarm,) = judge("x", "high", batches, SETTINGS).alarms
    assert (alarm.batch, alarm.since) == (13, 13)


def test_a_single_slip_after_a_flawless_baseline_is_no_alarm():
    flawless = [Batch(12, 12.0, 12.0)] * 5
    assert judge("x", "low", [*flawless, batch([1] * 11 + [0.5])], ChartSettings(minimum=6)).alarms == ()


def validities(rng, mean, count):
    """Answers of 1 to 6 citations that are right together: intra-answer correlation 0.3."""
    room = 0.7 / 0.3
    cited = rng.integers(1, 7, count)
    return rng.binomial(cited, rng.beta(mean * room, (1 - mean) * room, count)) / cited


def nothings(rng, mean, count):
    return (rng.random(count) < mean).astype(float)


def runs(draw, bad, before, after, *, count=250, scatter=0.0, baseline=5):
    """Share of runs that find a change within 3 batches of 200, and of 20 calm batches that alarm."""
    rng = np.random.default_rng(7)
    settings = ChartSettings(baseline=baseline)

    def drawn(level, batches):
        levels = np.clip(level + scatter * rng.standard_normal(batches), 0.01, 0.99)
        return [batch(draw(rng, one, 200)) for one in levels]

    found = alarms = 0
    for _ in range(count):
        calm = drawn(before, baseline + 20)
        alarms += len(judge("x", bad, calm, settings).alarms)
        found += bool(judge("x", bad, [*calm[:baseline], *drawn(after, 3)], settings).alarms)
    return found / count, alarms / (20 * count)


@pytest.mark.parametrize(
    ("draw", "bad", "before", "after"),
    [
        (validities, "low", 0.9, 0.8),
        (validities, "low", 0.5, 0.4),
        (nothings, "high", 0.05, 0.15),
        (nothings, "high", 0.3, 0.4),  # with limits of 2.9, 2.7 and 3.5 standard errors 88 % were found
    ],
)
def test_ten_points_are_found_within_three_batches_and_false_alarms_are_rare(draw, bad, before, after):
    found, false = runs(draw, bad, before, after)
    assert found >= 0.95
    assert false <= 0.012  # 1 in 100, and two standard errors of this simulation


def test_a_level_that_wanders_by_two_points_alarms_as_rarely():
    # judged by what the answers explain alone, 6 in 100 of these batches alarmed
    found, false = runs(validities, "low", 0.9, 0.8, scatter=0.02)
    assert found >= 0.95
    assert false <= 0.012  # 1 in 100, and two standard errors of this simulation


def test_alarms_are_as_frequent_as_set_where_the_level_stands_still():
    # answers of 0.5 vary so much that no wandering is believed: what is left is the rate that was asked for
    _, false = runs(nothings, "high", 0.5, 0.6)
    assert 0.005 <= false <= 0.0125
