"""The floors hold, files are small, and one library has one home."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

FILES = sorted((ROOT / "pipeline").rglob("*.py"))
HOMES = {  # distribution's import name -> where it may be imported, also inside functions
    "mlflow": ("tracking/",),
    "hydra": ("config.py", "knobs.py", "run.py", "sweep/"),
    "omegaconf": ("config.py", "run.py", "sweep/"),
    "faiss": ("retrieval/dense.py",),
    "bm25s": ("retrieval/",),
    "rank_bm25": ("retrieval/",),
    "sentence_transformers": ("embedding/",),
    "torch": ("embedding/", "retrieval/dense.py"),
    "matplotlib": ("report/",),
    "pickle": (),
    "joblib": ("sweep/",),  # what its workers raise when they die; extras alone bring it
}


# Everything that flows stands on one page, on purpose.
LONGEST = {"records.py": 420}


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_imports_go_downward_only() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_in_its_home_alone(library: str) -> None:
    homes = HOMES[library]
    strangers = [
        str(path.relative_to(ROOT / "pipeline"))
        for path in FILES
        if library in imported(path) and not str(path.relative_to(ROOT / "pipeline")).startswith(homes)
    ]
    assert strangers == []


def test_files_are_small_enough_to_read_at_a_sitting() -> None:
    assert {
        path.name: n for path in FILES if (n := len(path.read_text("utf-8").splitlines())) > LONGEST.get(path.name, 300)
    } == {}


def test_nothing_sorts_by_score_but_the_ranking() -> None:
    """A second tie rule once gave MRR 1.0 and nDCG 0 for one run."""
    rule = ("argsort", "argpartition")
    # embedding sorts texts by length and by hash; metrics and stats sort grades and values, never a ranking.
    places = ("ranking.py", "retrieval/", "metrics/", "stats/", "embedding/")
    outside = [
        str(path.relative_to(ROOT / "pipeline"))
        for path in FILES
        if any(word in path.read_text("utf-8") for word in rule)
        and not str(path.relative_to(ROOT / "pipeline")).startswith(places)
    ]
    assert outside == []
