"""The sweep that never ran, and the one of the design's drawing with numbers set by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from pipeline.records import Comparison, Interval, JobRecord, Standing, SweepRecord

_SPEC = importlib.util.spec_from_file_location("report_fake", Path(__file__).with_name("fake.py"))


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    module = importlib.util.module_from_spec(_SPEC)
    sys.modules["report_fake"] = module
    _SPEC.loader.exec_module(module)
    return module


def job(number: int, cells: tuple[str, str, int], read: float, ms: float) -> JobRecord:
    retriever, embedding, size = cells
    name = f"{retriever}-{size}" if embedding == "none" else f"{retriever}-{embedding}-{size}"
    settings = {"retriever": retriever, "embedding": embedding, "chunk_size": size}
    facts = {"read_share": read, "p50_ms": ms}
    return JobRecord(number, name, "done", "", None, str(number), settings, (), facts, None, "")


def compared(treatment: str, difference: float, ends: tuple[float, float], counts: tuple[int, int, int], p: float):
    interval, joint = Interval(*ends), Interval(ends[0] - 0.008, ends[1] + 0.008)
    verdict = "better" if p < 0.05 else "cannot tell"
    return Comparison("nDCG@10", "bm25-512", treatment, 212, difference, interval, interval, joint, p / 2, p, "Holm",
                      *counts, verdict, None, None)  # fmt: skip


@pytest.fixture
def drawn() -> tuple[SweepRecord, Standing]:
    """Five experiments of which three are tied, and one that failed."""
    jobs = (
        job(0, ("bm25", "none", 512), float("nan"), 2.2),
        job(1, ("dense", "bge-m3", 512), 1.0, 58.0),
        job(2, ("hybrid", "bge-m3", 512), 0.9999, 61.0),
        job(3, ("hybrid", "minilm", 256), 1.0, 14.4),
        job(4, ("hybrid", "minilm", 512), 0.519, 13.6),
        JobRecord(5, "hybrid-bge-m3-1024", "failed", "out of memory: embedding.batch_size=8", None, "5",
                  {"retriever": "hybrid", "embedding": "bge-m3", "chunk_size": 1024}, (), {}, None, ""),
    )  # fmt: skip
    values = {"bm25-512": (0.524, 0.618), "dense-bge-m3-512": (0.561, 0.655), "hybrid-bge-m3-512": (0.598, 0.690),
              "hybrid-minilm-256": (0.604, 0.733), "hybrid-minilm-512": (0.612, 0.701)}  # fmt: skip
    means = {name: {"nDCG@10": first, "R@2048tok": second} for name, (first, second) in values.items()}
    intervals = {name: {"nDCG@10": Interval(first - 0.041, first + 0.04)} for name, (first, _) in values.items()}
    defined = {name: {"nDCG@10": 212, "R@2048tok": 212} for name in values}
    comparisons = (
        compared("hybrid-minilm-512", 0.088, (0.051, 0.126), (96, 81, 35), 0.001),
        compared("dense-bge-m3-512", 0.037, (-0.006, 0.080), (88, 62, 62), 0.210),
    )
    tied = ("hybrid-minilm-512", "hybrid-minilm-256", "hybrid-bge-m3-512")
    dataset = {"name": "kb-support", "documents": 3412, "queries": 212, "judged": 212, "judgements": "pooled"}
    sweep = SweepRecord("a1f3", "outputs/sweeps/1130-1412-a1f3", "", "", dataset, (), "bm25-512", "nDCG@10",
                        ("nDCG@10", "R@2048tok", "AP"), jobs, 1, 161.0)  # fmt: skip
    return sweep, Standing("nDCG@10", "bm25-512", tied[0], tied, comparisons, means, intervals, defined)
