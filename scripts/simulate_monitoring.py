"""How often the control charts find a drop, and how often they alarm for nothing.

    python scripts/simulate_monitoring.py --runs 1000

Every run draws its own baseline of 5 batches. Answers cite 1 to 6 documents; citations of an answer are valid together:
a beta-binomial of intra-answer correlation 0.3. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pipeline.citations.charts import Bad, Batch, ChartSettings, judge

Draw = Callable[[np.random.Generator, float, int], np.ndarray]
CORRELATION = 0.3


def validity(rng: np.random.Generator, mean: float, count: int) -> np.ndarray:
    """Share of valid citations of each answer."""
    room = (1 - CORRELATION) / CORRELATION
    cited = rng.integers(1, 7, count)
    return rng.binomial(cited, rng.beta(mean * room, (1 - mean) * room, count)) / cited


def share(rng: np.random.Generator, mean: float, count: int) -> np.ndarray:
    """Whether each answer cites nothing."""
    return (rng.random(count) < mean).astype(float)


def batch(values: np.ndarray) -> Batch:
    return Batch(len(values), float(values.sum()), float((values**2).sum()))


class Case(NamedTuple):
    """A change of the level of a series."""

    name: str
    draw: Draw
    bad: Bad
    before: float
    after: float
    size: int = 200  # answers a batch
    scatter: float = 0.0  # standard deviation of the level from batch to batch


def simulate(case: Case, runs: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Share of runs that find the change within 3 batches, false alarms a batch over 20 batches, runs with any."""

    def batches(level: float, count: int) -> list[Batch]:
        levels = np.clip(level + case.scatter * rng.standard_normal(count), 0.01, 0.99)
        return [batch(case.draw(rng, float(one), case.size)) for one in levels]

    settings = ChartSettings()
    found = alarms = loud = 0
    for _ in range(runs):
        calm = batches(case.before, 25)
        quiet = judge("calm", case.bad, calm, settings).alarms
        alarms += len(quiet)
        loud += bool(quiet)
        found += bool(judge("changed", case.bad, [*calm[:5], *batches(case.after, 3)], settings).alarms)
    return found / runs, alarms / (20 * runs), loud / runs


CASES = (
    Case("validity 0.95 to 0.85", validity, "low", 0.95, 0.85),
    Case("validity 0.90 to 0.80", validity, "low", 0.90, 0.80),
    Case("validity 0.80 to 0.70", validity, "low", 0.80, 0.70),
    Case("validity 0.70 to 0.60", validity, "low", 0.70, 0.60),
    Case("cites nothing 0.02 to 0.12", share, "high", 0.02, 0.12),
    Case("cites nothing 0.05 to 0.15", share, "high", 0.05, 0.15),
    Case("cites nothing 0.10 to 0.20", share, "high", 0.10, 0.20),
    Case("cites nothing 0.30 to 0.40", share, "high", 0.30, 0.40),
    Case("validity 0.90 to 0.85", validity, "low", 0.90, 0.85),
    Case("validity 0.90 to 0.80, batches of 50", validity, "low", 0.90, 0.80, 50),
    Case("validity 0.90 to 0.80, batches scatter by 0.02", validity, "low", 0.90, 0.80, 200, 0.02),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| change | found within 3 batches | false alarms a batch | runs of 20 batches with a false alarm |")
    print("|---|---|---|---|")
    for case in CASES:
        found, false, loud = simulate(case, options.runs, np.random.default_rng(options.seed))
        print(f"| {case.name} | {found:.1%} | {false:.2%} | {loud:.1%} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
