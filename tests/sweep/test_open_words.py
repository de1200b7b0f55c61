"""What a comparison that nobody judged to the end says of its sign."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.records import Interval
from pipeline.sweep.open_judgements import _pooled
from tests.stats.test_judging import COMPARISON


def open_by(tipping: float | None) -> str:
    wide, wider = Interval(-0.1, 0.3), Interval(-0.2, 0.4)
    return _pooled(replace(COMPARISON, bounds=wide, bounds_sampled=wider, tipping=tipping))


@pytest.mark.parametrize("tipping", [None, 1.2, -1.5])
def test_a_rate_that_cannot_be_is_no_turning_point(tipping):
    assert "it is 0 where" not in open_by(tipping) and "could be -0.100 to +0.300" in open_by(tipping)


def test_the_rate_that_turns_the_sign_is_told():
    said = open_by(-0.25)
    assert said.endswith("it is 0 where the unjudged hits of b are relevant 25 points less often than those of a")
