"""From paired differences to `Comparison` records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.records import Bools, Comparison, Floats, Interval
from pipeline.stats.binary import score_interval
from pipeline.stats.bootstrap import bca_ends, percentile_ends, studentised_ends
from pipeline.stats.families import Family, benjamini_hochberg
from pipeline.stats.intervals import Moments, around, moments, t_interval
from pipeline.stats.judging import Evidence, judge
from pipeline.stats.pairing import Pairs, pair_up
from pipeline.stats.resampling import FlipTest
from pipeline.stats.sweep import Sweep


@dataclass(frozen=True, eq=False)
class Named:
    """Pairs (treatment, baseline) of a sweep on one measure."""

    measure: str
    names: tuple[tuple[str, str], ...]
    pairs: Pairs

    @classmethod
    def of(cls, sweep: Sweep, measure: str, names: Sequence[tuple[str, str]], only: Bools | None = None) -> Named:
        """The differences treatment - baseline, on all queries or on `only` some."""
        place = {name: i for i, name in enumerate(sweep.aligned.names)}
        left, right = (np.array([place[pair[side]] for pair in names], np.int64) for side in (0, 1))
        values = sweep.of(measure)
        values = values if only is None else np.where(only, values, np.nan)
        return cls(measure, tuple(names), pair_up(values, left, right, sweep.units, sweep.weights))


def judged(sweep: Sweep, named: Named, tests: Family, size: int) -> tuple[Comparison, ...]:
    """Members of a family of `size` comparisons: corrected p, simultaneous interval, verdict, reach and note."""
    found = moments(named.pairs)
    skews = skewness(named.pairs)
    rows = []
    for i, plain in enumerate(_described(sweep, [named], [tests.p])):
        evidence = Evidence(
            error=float(found.error[i]),
            degrees=float(found.degrees[i]),
            critical=float(tests.critical[i]),
            critical_margin=float(tests.critical_margin[i]),
            family=size,
            units=int(found.units[i]),
            clustered=sweep.units is not None,
            skew=float(skews[i]),
            left_out=int(named.pairs.left_out[i]),
        )
        corrected = replace(
            plain,
            p_corrected=float(tests.corrected[i]),
            correction=sweep.options.correction,
            simultaneous_interval=_simultaneous(plain, evidence, sweep.options.level),
        )
        rows.append(judge(corrected, evidence, sweep.options))
    return tuple(rows)


def described(sweep: Sweep, many: Sequence[Named]) -> tuple[Comparison, ...]:
    """Measures that decide nothing: no verdict; pairs without a common query are left out."""
    tests = [FlipTest(named.pairs, sweep.seed, sweep.options.resamples).plain_p() for named in many]
    rows = [c for c in _described(sweep, many, tests) if c.queries]
    if sweep.options.describe == "bh" and rows:
        corrected = benjamini_hochberg(np.array([c.p for c in rows]))
        rows = [replace(c, p_corrected=float(p), correction="bh") for c, p in zip(rows, corrected, strict=True)]
    return tuple(rows)


def _described(sweep: Sweep, many: Sequence[Named], p: Sequence[Floats]) -> list[Comparison]:
    ends = percentile_ends([named.pairs for named in many], sweep.seed, sweep.options)
    rows = []
    for named, end, values in zip(many, ends, p, strict=True):
        found, leading = moments(named.pairs), _leading(sweep, named)
        for i in range(len(named.names)):
            plain = _plain(sweep, named, i, found, (end[i], float(values[i])))
            rows.append(replace(plain, interval=leading[i]))
    return rows


def _leading(sweep: Sweep, named: Named) -> list[Interval | None]:
    """The leading interval of every pair where it is not t: as set, else the score interval of a 0/1 measure.

    The score interval counts queries, so it cannot weigh them: with weights t leads there too.
    """
    pairs, options = named.pairs, sweep.options
    if options.interval != "t" and pairs.units:
        ends_of = bca_ends if options.interval == "bca" else studentised_ends
        ends = ends_of(pairs, sweep.seed, options)
        return [Interval(float(low), float(high), options.level, options.interval) for low, high in ends]
    values = sweep.of(named.measure)
    if sweep.units is None and not pairs.weighted and np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        rows = zip(pairs.wins, pairs.losses, pairs.queries, strict=True)
        return [score_interval(int(w), int(k), int(n), options.level) for w, k, n in rows]
    return [None] * len(named.names)


def _plain(sweep: Sweep, named: Named, i: int, found: Moments, resampled: tuple[Floats, float]) -> Comparison:
    (low, high), p = resampled
    pairs, level = named.pairs, sweep.options.level
    return Comparison(
        measure=named.measure,
        baseline=named.names[i][1],
        treatment=named.names[i][0],
        queries=int(pairs.queries[i]),
        difference=float(found.mean[i]),
        t_interval=t_interval(found, i, level, "weighted t" if pairs.weighted else "t"),
        bootstrap_interval=Interval(float(low), float(high), level, "percentile"),
        simultaneous_interval=None,
        p=p,
        p_corrected=None,
        correction="none",
        wins=int(pairs.wins[i]),
        ties=int(pairs.ties[i]),
        losses=int(pairs.losses[i]),
        verdict="",
        detectable=None,
        queries_needed=None,
    )


def _simultaneous(c: Comparison, e: Evidence, level: float) -> Interval | None:
    """None where there are too few units for one."""
    if not np.isfinite(e.critical) or np.isnan(e.error):
        return None
    return around(c.difference, e.error, e.critical, level, "simultaneous")


def skewness(pairs: Pairs) -> Floats:
    """Skewness of the units' differences, one a pair; 0 without spread. With weights: of weight x residual."""
    differences = pairs.of(pairs.sums)
    middle = differences.mean(axis=1, keepdims=True)
    centred = differences - (pairs.counts * moments(pairs).mean[:, None] if pairs.weighted else middle)
    spread = np.sqrt((centred**2).mean(axis=1))
    return np.where(spread > 0, (centred**3).mean(axis=1) / np.where(spread > 0, spread, 1.0) ** 3, 0.0)
