"""What is said beside a verdict: where p and interval disagree, and skewed differences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.records import Comparison, Interval
from pipeline.stats import StatsOptions
from pipeline.stats.judging import Evidence, judge

OPTIONS = StatsOptions()
COMPARISON = Comparison(
    measure="m",
    baseline="a",
    treatment="b",
    queries=100,
    difference=0.1,
    t_interval=Interval(0.05, 0.15),
    bootstrap_interval=Interval(0.05, 0.15, method="percentile"),
    simultaneous_interval=Interval(0.02, 0.18, method="simultaneous"),
    p=0.001,
    p_corrected=0.01,
    correction="max_t",
    wins=40,
    ties=40,
    losses=20,
    verdict="",
    detectable=None,
    queries_needed=None,
)
EVIDENCE = Evidence(0.025, 99.0, 2.8, 2.5, 5, units=100, clustered=False, skew=0.0, left_out=0)


def note(c: Comparison = COMPARISON, e: Evidence = EVIDENCE) -> str:
    return judge(c, e, OPTIONS).note


def test_where_all_agree_nothing_is_said() -> None:
    assert note() == ""


@pytest.mark.parametrize(
    "change, said",
    [
        # p counts alone and not among five; the simultaneous interval agrees with the corrected p
        (
            {"p_corrected": 0.09, "simultaneous_interval": Interval(-0.01, 0.21), "p": 0.03},
            "p = 0.030 alone, 0.090 among 5 comparisons: not settled",
        ),
        # the simultaneous interval holds 0 although the corrected p settles it, and the other way round
        (
            {"simultaneous_interval": Interval(-0.001, 0.2)},
            "simultaneous interval and corrected p disagree: the corrected p decides",
        ),
        (
            {
                "p": 0.2,
                "p_corrected": 0.3,
                "t_interval": Interval(-0.05, 0.25),
                "bootstrap_interval": Interval(-0.1, 0.3),
            },
            "simultaneous interval and corrected p disagree: the corrected p decides",
        ),
        # the plain interval holds 0, p is 0.001
        ({"t_interval": Interval(-0.01, 0.2)}, "t interval and sign-flip p (0.001) disagree: the p decides"),
    ],
)
def test_a_disagreement_of_p_and_interval_is_said_in_its_line(change, said: str) -> None:
    assert note(replace(COMPARISON, **change)) == said


@pytest.mark.parametrize(
    "skew, differing, clusters, said",
    [
        # 0.3 x sqrt(100) = 3: the bound is passed above it, on either side
        (3.1, 100, 0, "differences are skewed (+3.1): p and intervals are approximate, stats.interval=bca"),
        (-3.1, 100, 0, "differences are skewed (-3.1): p and intervals are approximate, stats.interval=bca"),
        (2.9, 100, 0, "differences are skewed (+2.9): stats.interval=bca or studentised fits better"),
        (0.9, 100, 0, ""),
        # 0.3 x sqrt(9) = 0.9: approximate before a better interval is advised
        (0.95, 9, 0, "differences are skewed (+0.9): p and intervals are approximate"),
        # 100 queries that differ in 25 clusters: 0.3 x sqrt(25) = 1.5
        (1.6, 100, 25, "differences are skewed (+1.6): p and intervals are approximate, stats.interval=bca"),
    ],
)
def test_skewed_differences_are_said_to_be(skew: float, differing: int, clusters: int, said: str) -> None:
    c = replace(COMPARISON, wins=differing, ties=0, losses=0)
    e = replace(EVIDENCE, skew=skew, clustered=bool(clusters), units=clusters or 100, degrees=(clusters or 100) - 1.0)
    assert said in note(c, e) and bool(said) == ("skewed" in note(c, e))
    assert ("approximate" in said) == ("approximate" in note(c, e))


def test_a_better_interval_that_is_there_is_not_advised() -> None:
    found = note(replace(COMPARISON, interval=Interval(0.05, 0.15, method="bca")), replace(EVIDENCE, skew=2.0))
    assert found == ""
