"""How often the control charts find a change, and how often they alarm for nothing.

    python scripts/simulate_monitoring.py --runs 1000

Every run draws its own baseline. Answers cite 1 to 6 documents; citations of an answer are valid together: a
beta-binomial of intra-answer correlation 0.3. Prints two Markdown tables: the goal (95 % found, at most 1 % of batches
with a false alarm; what misses it carries a "(!)"), and what lies beyond it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pipeline.citations.baselines import Bad, Batch, ChartSettings
from pipeline.citations.charts import judge

Draw = Callable[[np.random.Generator, float, int], np.ndarray]
CORRELATION = 0.3
QUIET = 20  # batches after the baseline in which an alarm is false
LATER = 10  # of them, before a change that comes late
WITHIN = 3  # batches in which a change is to be found
GOAL_FOUND, GOAL_FALSE = 0.95, 0.01


def validity(rng: np.random.Generator, mean: float, count: int) -> np.ndarray:
    """Share of valid citations of each answer."""
    room = (1 - CORRELATION) / CORRELATION
    cited = rng.integers(1, 7, count)
    return rng.binomial(cited, rng.beta(mean * room, (1 - mean) * room, count)) / cited


def share(rng: np.random.Generator, mean: float, count: int) -> np.ndarray:
    """Whether each answer cites nothing, or cannot be read."""
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
    baseline: int = 5  # batches


class Found(NamedTuple):
    """Four shares."""

    soon: float  # of runs that find a change right after the baseline
    late: float  # of runs that find one after ten normal batches
    false: float  # of normal batches that alarm
    loud: float  # of runs with such an alarm


def simulate(case: Case, runs: int, rng: np.random.Generator, wander: float) -> Found:
    """Many series, each with its own baseline."""

    def batches(level: float, count: int) -> list[Batch]:
        levels = level + case.scatter * rng.standard_normal(count)
        low, high = (0.01, 0.99) if case.scatter else (0.0, 1.0)
        return [batch(case.draw(rng, float(one), case.size)) for one in np.clip(levels, low, high)]

    def alarms(series: list[Batch], since: int) -> int:
        return sum(one.batch >= since for one in judge("simulated", case.bad, series, settings).alarms)

    settings = ChartSettings(baseline=case.baseline, wander=wander)
    soon = late = false = loud = 0
    for _ in range(runs):
        calm, changed = batches(case.before, case.baseline + QUIET), batches(case.after, WITHIN)
        wrong = alarms(calm, 0)
        false += wrong
        loud += wrong > 0
        soon += alarms([*calm[: case.baseline], *changed], 0) > 0
        until = case.baseline + LATER
        late += alarms([*calm[:until], *changed], until) > 0
    return Found(soon / runs, late / runs, false / (QUIET * runs), loud / runs)


GOAL = (
    Case("validity 0.95 to 0.85", validity, "low", 0.95, 0.85),
    Case("validity 0.90 to 0.80", validity, "low", 0.90, 0.80),
    Case("validity 0.80 to 0.70", validity, "low", 0.80, 0.70),
    Case("validity 0.70 to 0.60", validity, "low", 0.70, 0.60),
    Case("validity 0.50 to 0.40", validity, "low", 0.50, 0.40),
    Case("cites nothing 0.02 to 0.12", share, "high", 0.02, 0.12),
    Case("cites nothing 0.05 to 0.15", share, "high", 0.05, 0.15),
    Case("cites nothing 0.10 to 0.20", share, "high", 0.10, 0.20),
    Case("cites nothing 0.20 to 0.30", share, "high", 0.20, 0.30),
    Case("cites nothing 0.30 to 0.40", share, "high", 0.30, 0.40),
    Case("cites nothing 0.40 to 0.50", share, "high", 0.40, 0.50),
    Case("cites nothing 0.50 to 0.60", share, "high", 0.50, 0.60),
    Case("format cannot be read 0.00 to 0.10", share, "high", 0.00, 0.10),
    Case("format cannot be read 0.02 to 0.12", share, "high", 0.02, 0.12),
)
BEYOND = (
    Case("validity 0.90 to 0.80, baseline of 10", validity, "low", 0.90, 0.80, baseline=10),
    Case("cites nothing 0.40 to 0.50, baseline of 10", share, "high", 0.40, 0.50, baseline=10),
    Case("validity 0.90 to 0.80, batches of 500", validity, "low", 0.90, 0.80, 500),
    Case("cites nothing 0.40 to 0.50, batches of 500", share, "high", 0.40, 0.50, 500),
    Case("validity 0.90 to 0.80, batches of 100", validity, "low", 0.90, 0.80, 100),
    Case("cites nothing 0.40 to 0.50, batches of 100", share, "high", 0.40, 0.50, 100),
    Case("validity 0.90 to 0.80, batches of 50", validity, "low", 0.90, 0.80, 50),
    Case("validity 0.90 to 0.85", validity, "low", 0.90, 0.85),
    Case("validity 0.90 to 0.80, level scatters by 0.02", validity, "low", 0.90, 0.80, scatter=0.02),
    Case("validity 0.90 to 0.80, level scatters by 0.03", validity, "low", 0.90, 0.80, scatter=0.03),
    Case("cites nothing 0.05 to 0.15, level scatters by 0.02", share, "high", 0.05, 0.15, scatter=0.02),
    Case("cites nothing 0.30 to 0.40, level scatters by 0.02", share, "high", 0.30, 0.40, scatter=0.02),
    Case(
        "cites nothing 0.30 to 0.40, level scatters by 0.02, baseline of 20",
        share,
        "high",
        0.30,
        0.40,
        scatter=0.02,
        baseline=20,
    ),
)


def line(name: str, found: Found) -> str:
    """A row of the table; a figure that misses the goal is marked."""
    soon = f"{found.soon:.1%}" + " (!)" * (found.soon < GOAL_FOUND)
    false = f"{found.false:.2%}" + " (!)" * (found.false > GOAL_FALSE)
    return f"| {name} | {soon} | {found.late:.1%} | {false} | {found.loud:.1%} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2028)
    parser.add_argument("--wander", type=float, default=ChartSettings().wander)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    options = parser.parse_args()
    for title, cases in (("the goal", GOAL), ("beyond the goal", BEYOND)):
        print(
            f"\n| {title} | found within {WITHIN} batches | after {LATER} normal ones | false alarms a batch"
            f" | runs of {QUIET} batches with a false alarm |\n|---|---|---|---|---|"
        )
        for place, case in enumerate(cases):
            rng = np.random.default_rng([options.seed, len(title), place])
            if options.only in case.name:
                print(line(case.name, simulate(case, options.runs, rng, options.wander)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
