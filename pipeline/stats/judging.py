"""From the numbers of one pair to its verdict, its reach (what so many queries can settle), and its note."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from pipeline.records import Comparison, Interval
from pipeline.stats.options import StatsOptions

SETTLED = ("better", "worse")
WITH_VERDICT = (*SETTLED, "equivalent", "cannot tell")
SKEW_SHARE = 0.3  # of the square root of the units that differ: beyond it sign flips raise more alarms
FEW_CLUSTERS = 20  # below this, cluster-robust results are approximate (Cameron, Gelbach & Miller 2008)


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on beside the comparison itself. `critical` values are on the scale of t."""

    error: float  # standard error of the difference
    degrees: float
    critical: float  # of the simultaneous interval at alpha
    critical_margin: float  # of the two one-sided tests against the margin
    family: int  # comparisons corrected for together
    units: int  # queries, or clusters of them where `clustered`
    clustered: bool
    skew: float  # of the differences
    left_out: int  # queries defined for one of the two only

    @property
    def clusters(self) -> int:
        """How many clusters of equal weight the standard error rests on: as many as there are without weights."""
        return int(self.degrees) + 1


def judge(c: Comparison, e: Evidence, options: StatsOptions) -> Comparison:
    """The comparison with verdict, reach and note; `c` has intervals, p and corrected p already."""
    said = verdict(c, e, options)
    reach = detectable(e, options)
    needed = None if said in (*SETTLED, "equivalent", "identical") else queries_needed(c, reach)
    notes = (*_disagreements(c, e, said, options), *_limits(c, e, said, options))
    return replace(c, verdict=said, detectable=reach, queries_needed=needed, note="; ".join(notes))


def verdict(c: Comparison, e: Evidence, options: StatsOptions) -> str:
    """One of better | worse | equivalent | cannot tell | identical | too few queries differ | too few clusters.

    better and worse: corrected p at most alpha. equivalent: not settled, and both one-sided tests against the margin
    reject, each at alpha over the family (two one-sided tests, Schuirmann 1987).
    """
    differing = c.wins + c.losses
    if c.queries and not differing:
        return "identical"
    if differing < options.minimum_differing:
        return "too few queries differ"
    if e.clustered and e.clusters < options.minimum_clusters:
        return "too few clusters"
    if c.p_corrected is not None and c.p_corrected <= options.alpha:
        return "better" if c.difference > 0 else "worse"
    if e.error > 0 and abs(c.difference) + e.critical_margin * e.error < options.margin:
        return "equivalent"
    return "cannot tell"


def detectable(e: Evidence, options: StatsOptions) -> float | None:
    """The smallest true difference that these queries settle with a chance of `power`, at the corrected level.

    (critical value + t quantile of power) x standard error; the observed difference plays no part. None where nothing
    is known of the spread.
    """
    if not np.isfinite(e.critical) or not e.error > 0:
        return None
    return float((e.critical + stdtrit(e.degrees, options.power)) * e.error)


def queries_needed(c: Comparison, reach: float | None) -> int | None:
    """Queries that settle the observed difference with a chance of `power`, were it the true one; None = no number."""
    if reach is None or c.difference == 0:
        return None
    return max(int(np.ceil(c.queries * (reach / c.difference) ** 2)), c.queries + 1)


def _disagreements(c: Comparison, e: Evidence, said: str, options: StatsOptions) -> list[str]:
    if said not in WITH_VERDICT or c.p_corrected is None:
        return []
    alpha, parts = options.alpha, []
    if c.p <= alpha < c.p_corrected:
        parts.append(f"p = {c.p:.3f} alone, {c.p_corrected:.3f} among {e.family} comparisons: not settled")
    shown = [c.t_interval, c.bootstrap_interval, *([c.interval] if c.interval else [])]
    if other := [interval.method for interval in shown if _clear(interval) != (c.p <= alpha)]:
        parts.append(f"{' and '.join(other)} interval and sign-flip p ({c.p:.3f}) disagree: the p decides")
    if c.simultaneous_interval is not None and _clear(c.simultaneous_interval) != (c.p_corrected <= alpha):
        parts.append("simultaneous interval and corrected p disagree: the corrected p decides")
    return parts


def _limits(c: Comparison, e: Evidence, said: str, options: StatsOptions) -> list[str]:
    parts = []
    if said in SETTLED and max(abs(c.t_interval.low), abs(c.t_interval.high)) < options.margin:
        parts.append(f"settled, yet smaller than the margin of {options.margin:g}")
    clusters = f"{e.units} clusters" + (f" count as {e.clusters}" if e.clusters < e.units else "")
    if said == "too few clusters":
        parts.append(f"{clusters}: for these documents only")
    elif e.clustered and e.clusters < FEW_CLUSTERS:
        parts.append(f"{clusters}: approximate")
    if e.left_out:
        parts.append(f"{e.left_out} queries left out: undefined for one of the two")
    return [*parts, *_skewed(c, e)]


def _skewed(c: Comparison, e: Evidence) -> list[str]:
    """Skewness of what is flipped and resampled: of the queries that differ, or of no more clusters than there are."""
    differing = min(c.wins + c.losses, e.clusters) if e.clustered else c.wins + c.losses
    said = []
    if abs(e.skew) > SKEW_SHARE * np.sqrt(max(differing, 1)):
        said.append("p and intervals are approximate")
    if abs(e.skew) > 1 and c.interval is None:
        said.append("stats.interval=bca or studentised fits better")
    return [f"differences are skewed ({e.skew:+.1f}): {', '.join(said)}"] if said else []


def _clear(interval: Interval) -> bool:
    """Whether the interval excludes 0."""
    return interval.low > 0 or interval.high < 0
