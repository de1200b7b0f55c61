"""Latency as a user would wait for it: seeded queries, one at a time, encoding included, warm."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.protocols import Clock
from pipeline.records import Floats, Scalar

WARM_UP = 3  # queries answered before the clock counts: first calls load code and fill caches
BESIDE = "RAG_SWEEP_JOBS_BESIDE"  # how many other jobs the launcher runs at the same time


class Probe(NamedTuple):
    """Milliseconds of each probed query, and the circumstances they were taken in."""

    milliseconds: Floats
    machine: Mapping[str, Scalar]


def probe(answer: Callable[[str], object], queries: Sequence[str], count: int, seed: int, clock: Clock) -> Probe:
    """Times `answer` on `count` queries drawn by `seed` without replacement (all of them if there are fewer)."""
    chosen = np.random.default_rng([seed, 0x1A7E]).permutation(len(queries))[:count]
    for position in chosen[:WARM_UP]:
        answer(queries[position])
    times = np.zeros(len(chosen))
    for row, position in enumerate(chosen):
        before = clock.seconds()
        answer(queries[position])
        times[row] = (clock.seconds() - before) * 1000
    return Probe(times, circumstances(clock))


def circumstances(clock: Clock) -> dict[str, Scalar]:
    """What a latency must be read with."""
    return {
        "date": clock.now(),
        "machine": platform.machine(),
        "processors": os.cpu_count() or 0,
        "threads": os.environ.get("OMP_NUM_THREADS", "default"),
        "jobs_beside": int(os.environ.get(BESIDE, "0")),
    }
