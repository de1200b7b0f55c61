"""Speed of the statistics of a sweep against scipy and ranx, a pair at a time.

    OMP_NUM_THREADS=1 python benchmarks/stats.py

24 experiments, 300 queries, 6 measures, 10,000 resamples: all 276 pairs. Peers are timed on a few pairs and scaled.
Times are of the processor, the least of a few rounds, so that other work on the machine counts little.
"""

from __future__ import annotations

import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from itertools import combinations

import numpy as np

from pipeline.records import ScoreTable
from pipeline.stats import StatsOptions, standing
from pipeline.stats.bootstrap import percentile_ends
from pipeline.stats.pairing import Pairs, pair_up
from pipeline.stats.resampling import FlipTest
from pipeline.stats.tables import on_grid

EXPERIMENTS, QUERIES, MEASURES, RESAMPLES = 24, 300, 6, 10_000


def values() -> np.ndarray:
    rng = np.random.default_rng(11)
    base = rng.beta(2, 2, (MEASURES, 1, QUERIES))
    return np.clip(base + rng.normal(0, 0.15, (MEASURES, EXPERIMENTS, QUERIES)), 0, 1)


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    found = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


def report(what: str, ours: float, peer: float, goal: float) -> None:
    print(f"{what}: {ours:.2f} s, peer {peer:.1f} s, {peer / ours:,.0f} x (goal {goal:,.0f} x)")


def main() -> None:
    from scipy import stats

    cube = values()
    left, right = np.array(list(combinations(range(EXPERIMENTS), 2))).T
    many: list[Pairs] = [pair_up(on_grid(rows), left, right) for rows in cube]
    options = StatsOptions(resamples=RESAMPLES)

    def bootstrap() -> object:
        return percentile_ends(many, 0, options)

    def flips() -> object:
        return FlipTest(many[0], 0, RESAMPLES).plain_p()

    def scipys() -> None:
        difference = cube[0, 0] - cube[0, 1]
        stats.bootstrap((difference,), np.mean, n_resamples=RESAMPLES, method="percentile", batch=100, rng=1)

    pairs = left.size * MEASURES
    report("bootstrap, 276 pairs x 6 measures", seconds(bootstrap), seconds(scipys) * pairs, 100)
    print(f"its memory: {megabytes(bootstrap):.0f} MB (goal 100)")
    if importlib.util.find_spec("ranx") is None:
        print("sign flips: ranx is not installed (pip install ranx); nothing to compare with")
    else:
        report("sign flips, 276 pairs x 1 measure", seconds(flips), seconds(ranxs, 2) * left.size, 500)
    print(f"sign flips, 276 pairs x 1 measure: {seconds(flips):.2f} s, {megabytes(flips):.0f} MB")

    ids, names = tuple(f"q{i:03d}" for i in range(QUERIES)), tuple("abcdef")
    tables = {f"e{i:02d}": ScoreTable(names, ids, cube[:, i]) for i in range(EXPERIMENTS)}

    def whole() -> object:
        return standing(tables, baseline="e00", primary="a", seed=0)

    print(f"whole standing: {seconds(whole):.2f} s, {megabytes(whole):.0f} MB (goal 2 s after imports)")


def ranxs() -> None:
    """The Fisher test of ranx on one pair, by its function of arrays: per-query scores in, p out."""
    from ranx.statistical_tests import fisher_randomization_test

    cube = values()
    fisher_randomization_test(cube[0, 0], cube[0, 1], n_permutations=RESAMPLES, max_p=0.05, random_seed=1)


if __name__ == "__main__":
    main()
