"""Latency as a user would wait for it: seeded queries, one at a time, encoding included, warm."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline import ranking
from pipeline.protocols import Clock, Retriever
from pipeline.records import Floats, Scalar, Stop

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


def answering(retriever: Retriever, indexes: Sequence[Any], stop: Stop) -> Callable[[str], object]:
    """The whole way from the text of one query to its document ranking, over indexes that stand."""

    def answer(text: str) -> object:
        runs = [
            leg.search(index, [text], None if leg.embedder is None else leg.embedder.encode_fresh(text), stop)
            for leg, index in zip(retriever.legs, indexes, strict=True)
        ]
        return ranking.fold(retriever.fuse(runs, stop.doc), stop.doc)

    return answer


def circumstances(clock: Clock) -> dict[str, Scalar]:
    """What a latency must be read with."""
    return {
        "date": clock.now(),
        "machine": platform.machine(),
        "processors": os.cpu_count() or 0,
        "threads": os.environ.get("OMP_NUM_THREADS", "default"),
        "jobs_beside": int(os.environ.get(BESIDE, "0")),
    }
