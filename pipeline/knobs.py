"""The top-level knobs of conf/config.yaml: their names and types, and where that folder is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore


@dataclass
class Knobs:
    """Names and types of the top-level knobs; their values and meanings stand in conf/config.yaml alone."""

    dataset: Any = None
    chunker: Any = None
    embedding: Any = None
    fusion: Any = None
    bm25: Any = None
    dense: Any = None
    retriever: Any = None
    context: Any = None
    decay: Any = None
    stats: Any = None
    tracking: Any = None
    citations: Any = None
    answers: Any = None
    chunk_size: int = 0
    chunk_overlap: int = 0
    depth: int = 0
    measures: list[str] = field(default_factory=list)
    budgets: list[int] = field(default_factory=list)
    budget_tokenizer: str = ""
    primary: str = ""
    policy: str = ""
    negative_grades: str = ""
    ties: str = ""
    as_of: str | None = None
    half_life: float | None = None
    later: str = ""
    undated: str = ""
    baseline: Any = None
    nulls: bool = False
    split: str = ""
    probes: int = 0
    seed: int = 0
    n_jobs: int = 1
    output_dir: str = ""
    cache_dir: str = ""
    strict: bool = False
    offline: str = "auto"
    resume: str | None = None


def configuration() -> str:
    """The folder of conf/: inside the package when installed from a wheel, beside it in a checkout."""
    here = Path(__file__).resolve().parent
    return str(here / "conf" if (here / "conf").is_dir() else here.parent / "conf")


ConfigStore.instance().store(name="knobs", node=Knobs)
