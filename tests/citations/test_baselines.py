"""What is normal, and how far a batch is from it: values by hand and from scipy's own distributions."""

from __future__ import annotations

import math

import pytest
from scipy.special import ndtri
from scipy.stats import betabinom

from pipeline.citations.baselines import Batch, ChartSettings, distance, estimate, limit_of
from pipeline.errors import SettingError
from tests.citations.batches import batch, shares

SETTINGS = ChartSettings()
STILL = ChartSettings(wander=0.0)


def test_the_baseline_is_estimated_from_its_batches():
    found = estimate([shares(100, hits) for hits in (10, 12, 8, 11, 9, 90)], SETTINGS)
    assert (found.count, found.mean, found.batches) == (500, 0.1, (0, 1, 2, 3, 4))


def test_a_share_is_far_as_the_beta_binomial_says():
    # 500 baseline answers, 50 hits; 40 of 200 in the batch: mid-p from scipy's own distribution
    base = estimate([shares(100, 10)] * 5, STILL)
    law = betabinom(200, 50.5, 450.5)
    z = -ndtri(law.sf(40) + 0.5 * law.pmf(40))
    assert distance(shares(200, 40), base, "high") == pytest.approx(z, abs=1e-6)
    assert distance(shares(200, 40), base, "low") == pytest.approx(-z, abs=1e-6)


def test_a_value_between_0_and_1_counts_as_the_zeros_and_ones_that_vary_like_it():
    # half of the answers 0.5, half 1: mean 0.75, variance 0.0625; 0.75 * 0.25 / 0.0625 = 3 zeros and ones an answer
    base = estimate([batch([0.5, 1.0] * 50)] * 5, STILL)
    assert base.worth == pytest.approx(3)
    # 80 answers, 56 of them 0.5: mean 0.65, that is 0.35 * 240 = 84 wrong of 240, after 375 of 1500
    law = betabinom(240, 375.5, 1125.5)
    z = -ndtri(law.sf(84) + 0.5 * law.pmf(84))
    assert distance(batch([0.5] * 56 + [1.0] * 24), base, "low") == pytest.approx(z, abs=1e-6)


def test_between_whole_counts_the_tail_is_linear():
    # mean 0.6505 of 80: 83.88 wrong of 240
    base = estimate([batch([0.5, 1.0] * 50)] * 5, STILL)
    law = betabinom(240, 375.5, 1125.5)
    at = [law.sf(k) + 0.5 * law.pmf(k) for k in (83, 84)]
    later = Batch(80, 80 * 0.6505, 80 * 0.6505**2)
    assert distance(later, base, "low") == pytest.approx(-ndtri(0.12 * at[0] + 0.88 * at[1]), abs=1e-6)


def test_batches_that_scatter_widen_the_limits_as_far_as_five_batches_can_tell():
    # mean 210/2000 = 0.105, variance (210.5/2001)(1790.5/2001) = 0.09413; squares of z:
    # 400 (0.055^2 + 0.07^2 + 0.0425^2 + 0.0575^2 + 0.03^2) / 0.09413 = 59.2; with 12 batches of no scatter: 71.2 / 16
    uneven = estimate([shares(400, hits) for hits in (20, 70, 25, 65, 30)], STILL)
    assert uneven.laney == pytest.approx(math.sqrt(71.2 / 16), rel=0.002)
    even = estimate([shares(400, hits) for hits in (40, 42, 38, 41, 39)], STILL)
    assert even.laney == 1.0


@pytest.mark.parametrize(
    ("hits", "size", "expected"),
    [
        # the level wanders by 0.02: 1 + 0.0004 / (0.1 * 0.9 / 400) = 2.78
        (40, 400, 2.78),
        # near 0 by half of the level: 1 + 0.025^2 / (0.05 * 0.95 / 2000), more than 0.02 allows: 17.8; at 0.01: 1 +
        # 0.005^2 * 4000 / (0.01 * 0.99) = 11.1
        (100, 2000, 17.8),
        (40, 4000, 11.1),
        # 0.3 * 0.7 / 200 leaves 0.1/3 squared minus it: 1 + (0.001111 - 0.00105) / 0.00105 = 1.058
        (60, 200, 1.058),
        # 0.25 / 100 is more than 0.1/3 squared: none
        (50, 100, 1.0),
    ],
)
def test_what_is_expected_beforehand_leaves_ten_points_to_be_found(hits, size, expected):
    # batches that do not scatter at all: sigma_z^2 = 12 of 16 parts of what is expected, never below 1
    found = estimate([shares(size, hits)] * 5, SETTINGS)
    assert found.laney**2 == pytest.approx(max(1.0, 12 / 16 * expected), rel=0.01)


def test_many_batches_outweigh_what_was_expected():
    calm = [shares(400, 40 + step) for step in (-6, 6, 0, 5, -5, 2, -2, 6, -6, 0) * 4]
    few, many = (estimate(calm, ChartSettings(baseline=count)) for count in (5, 40))
    assert few.laney > 1.4
    assert many.laney < 1.2


@pytest.mark.parametrize(("hits", "bad", "worse"), [(1, "high", 1), (10, "high", 1), (90, "low", -1), (0, "high", 1)])
def test_the_limit_is_where_a_batch_begins_to_alarm_by_itself(hits, bad, worse):
    # the line of the normal approximation lay below 30 % and 22 % of small batches that were no alarm
    base = estimate([shares(100, hits)] * 5, SETTINGS)
    edge = round(60 * limit_of(60, base, bad))
    assert distance(shares(60, edge), base, bad) > 3 * base.height
    assert distance(shares(60, edge - worse), base, bad) <= 3 * base.height


def test_a_batch_too_small_to_alarm_by_itself_has_no_limit():
    base = estimate([shares(100, 90)] * 5, SETTINGS)
    assert math.isnan(limit_of(5, base, "high"))
    assert math.isnan(limit_of(0, base, "high"))


def test_a_flawless_baseline_still_varies():
    base = estimate([shares(100, 0)] * 5, SETTINGS)
    assert base.deviation == pytest.approx(math.sqrt(0.5 / 501), rel=0.001)
    assert distance(shares(100, 0), base, "high") < 0.5
    assert distance(shares(100, 10), base, "high") > 4


@pytest.mark.parametrize(
    "setting", [{"baseline": 1}, {"minimum": 1}, {"false_alarms": 0.0}, {"false_alarms": 0.5}, {"wander": -0.1}]
)
def test_settings_that_make_no_sense_are_named(setting):
    with pytest.raises(SettingError, match=next(iter(setting))):
        ChartSettings(**setting)
