"""The sweep that never ran, shared with the tests of reports."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

_PATH = Path(__file__).parents[1] / "report" / "fake.py"


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    spec = importlib.util.spec_from_file_location("report_fake", _PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["report_fake"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def no_exported_store(monkeypatch):
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME", "MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID"):
        monkeypatch.delenv(name, raising=False)
