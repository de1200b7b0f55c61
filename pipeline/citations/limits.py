"""Three charts with one height: p-chart, EWMA (Roberts 1959), CUSUM (Page 1954); they alarm together as often as asked.

    shewhart   z > 3 h
    ewma       s = 0.3 z + 0.7 s, above 2.3 h of its standard deviations
    cusum      s = max(0, s + z - 1), above 2 h

Their proportions are fixed: among the tried ones they find a lasting change of 2.5 to 3 standard errors soonest. The
height h is what a simulation of series in control finds: batch means that are normal around one level, the level itself
and the scatter estimated from the same number of baseline batches. An alarm starts EWMA and CUSUM again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from pipeline.records import Floats

Chart: TypeAlias = Literal["shewhart", "ewma", "cusum"]
CHARTS: tuple[Chart, ...] = ("shewhart", "ewma", "cusum")
SHEWHART, EWMA, CUSUM = 3.0, 2.3, 2.0  # limits at height 1
WEIGHT = 0.3  # of the newest batch in the EWMA
ALLOWANCE = 1.0  # of the CUSUM, in standard errors
BELIEF = 12.0  # what is believed of the scatter beforehand counts as so many further batches
_RUNS, _BATCHES, _SEED = 4000, 25, 20020
_HALVINGS = 12
_FLAT = 4.0  # expected scatter from which on the height does not change


class Memory(NamedTuple):
    """What EWMA and CUSUM remember, of one series or of many."""

    ewma: Floats
    kept: Floats  # 0.7 ** batches: what is left of the start
    cusum: Floats


def started(series: int = 1) -> Memory:
    """Charts that saw nothing yet."""
    return Memory(np.zeros(series), np.ones(series), np.zeros(series))


def moved(memory: Memory, z: Floats, rho: float) -> tuple[Memory, Floats]:
    """One batch further: what is remembered, and how high each chart stands (3 x series; above the height alarms).

    `rho` is the share of the baseline's error in the variance of z, which all batches have in common.
    """
    ewma = WEIGHT * z + (1 - WEIGHT) * memory.ewma
    kept = (1 - WEIGHT) * memory.kept
    variance = (1 - rho) * WEIGHT / (2 - WEIGHT) * (1 - kept**2) + rho * (1 - kept) ** 2
    cusum = np.maximum(0.0, memory.cusum + z - ALLOWANCE)
    return Memory(ewma, kept, cusum), np.stack([z / SHEWHART, ewma / (EWMA * np.sqrt(variance)), cusum / CUSUM])


def scatter(squares: Floats | float, batches: int, expected: float) -> Floats:
    """sigma_z (Laney 2002): how much wider batches scatter than their answers explain; never below 1.

    `squares`: of the baseline's z, summed. Five batches say little, so they are weighed against what is expected.
    """
    variance = (BELIEF * expected + squares) / (BELIEF + batches - 1)
    found: Floats = np.sqrt(np.maximum(1.0, variance))
    return found


def height(batches: int, expected: float, share: float) -> float:
    """The height at which a series in control alarms in this share of its first 25 batches.

    batches: of the baseline; expected: variance of the batch means over what their answers explain, >= 1.
    """
    return _height(batches, round(min(max(expected, 1.0), _FLAT), 1), share)


@lru_cache(maxsize=256)
def _height(batches: int, expected: float, share: float) -> float:
    rng = np.random.default_rng(_SEED)
    baseline = np.sqrt(expected) * rng.standard_normal((batches, _RUNS))
    later = np.sqrt(expected) * rng.standard_normal((_BATCHES, _RUNS))
    sigma = scatter(((baseline - baseline.mean(axis=0)) ** 2).sum(axis=0), batches, expected)
    z = (later - baseline.mean(axis=0)) / (np.sqrt(1 + 1 / batches) * sigma)
    low, high = 0.3, 4.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _alarms(z, middle, 1 / (1 + batches)) > share else (low, middle)
    return (low + high) / 2


def _alarms(z: Floats, height: float, rho: float) -> float:
    """Share of batches that alarm; z: batches x series."""
    memory = started(z.shape[1])
    alarms = 0
    for row in z:
        memory, standing = moved(memory, row, rho)
        calm = standing.max(axis=0) <= height
        alarms += int((~calm).sum())
        memory = Memory(memory.ewma * calm, np.where(calm, memory.kept, 1.0), memory.cusum * calm)
    return alarms / z.size
