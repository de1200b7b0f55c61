"""A whole sweep: shared by content against every point recomputed, cold against warm; CPU seconds and peak memory.

    python benchmarks/sweep.py                      3 retrievers x 2 models x 4 chunk sizes on python_topics
    python benchmarks/sweep.py --models wordllama_64,wordllama_256 --sizes 256,512

Each run is a process of its own; the operating system's accounting of the finished process is what is printed.
Machines are noisy: quote the ratios.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

RETRIEVERS = ("bm25", "dense", "hybrid")


class Cost(NamedTuple):
    """What one or several processes took."""

    cpu: float
    wall: float
    peak_mb: float


def run(place: Path, *arguments: str) -> Cost:
    """One `python -m pipeline.run` in `place`."""
    before = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.run", *arguments, "tracking=none"],
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(arguments)}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - before, usage.ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="minilm,wordllama_256")
    parser.add_argument("--sizes", default="256,512,1024,2048")
    parser.add_argument("--dataset", nargs="*", default=[], help="dataset=beir dataset.path=…; default python_topics")
    options = parser.parse_args()
    axes = [f"retriever={','.join(RETRIEVERS)}", f"embedding.model={options.models}", f"chunk_size={options.sizes}"]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        cold = run(place, "-m", *axes, *options.dataset)
        warm = run(place, "-m", *axes, *options.dataset)
        alone = []
        points = itertools.product(RETRIEVERS, options.models.split(","), options.sizes.split(","))
        for number, (retriever, model, size) in enumerate(points):
            knobs = [f"retriever={retriever}", f"embedding.model={model}", f"chunk_size={size}"]
            alone.append(run(place, *knobs, *options.dataset, f"cache_dir=cache-{number}"))
    plain = Cost(sum(c.cpu for c in alone), sum(c.wall for c in alone), max(c.peak_mb for c in alone))
    print(f"{'':34}{'CPU s':>8}{'wall s':>8}{'peak MB':>9}{'CPU ratio':>11}")
    for label, cost in (
        ("the sweep, empty cache", cold),
        ("the same sweep again", warm),
        (f"its {len(alone)} points, each recomputed", plain),
    ):
        print(f"{label:34}{cost.cpu:8.1f}{cost.wall:8.1f}{cost.peak_mb:9.0f}{cost.cpu / cold.cpu:11.2f}")


if __name__ == "__main__":
    main()
