"""Shared by all tests: no network, no telemetry, one thread, and the real collections where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

for name, value in {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
}.items():
    os.environ.setdefault(name, value)

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def collections() -> Path:
    """The folder of real test collections, or a skip: users of a clone do not have it."""
    if not SHARED.is_dir():
        pytest.skip("the real test collections are not beside this checkout")
    return SHARED
