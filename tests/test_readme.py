"""The commands of the README run, on small data where the README's own would take minutes.

Blocks that call scripts/ set an environment up; CI runs them as they stand.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import compare
from tests.conftest import ROOT
from tests.whole import QUESTIONS, TEXTS, run, sweep_folder, write_collection

BLOCKS = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
LINES = [line.partition("  #")[0].strip() for block in BLOCKS for line in block.splitlines() if line.strip()]
RUNS = [line for line in LINES if line.startswith("python -m pipeline.run")]
VERBS = [line for line in LINES if re.match(r"python -m pipeline\.(citations|monitor)", line)]
SCRIPTS = [line for line in LINES if line.startswith("bash scripts/")]
CSV = re.search(r"```csv\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_collection(tmp_path / "FOLDER")
    for name, text in TEXTS.items():
        path = tmp_path / "docs" / "account" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\n{text}\n")
    rows = [f'"{text}",account/{next(iter(found))}.md' for text, found in QUESTIONS.values()]
    (tmp_path / "questions.csv").write_text("question,relevant\n" + "\n".join(rows) + "\n")
    (tmp_path / "prod.trec").write_text("".join(f"{q} Q0 {d} 1 1.0 t\n" for q, (_, f) in QUESTIONS.items() for d in f))
    return tmp_path


def test_every_line_of_a_block_is_a_command_that_some_test_runs() -> None:
    others = [line for line in LINES if line not in RUNS + SCRIPTS + VERBS]
    assert all(line.startswith(("python -m pipeline.compare", "export MLFLOW_TRACKING_URI=")) for line in others)
    assert len(RUNS) >= 3 and len(VERBS) >= 3


@pytest.mark.parametrize("line", VERBS)
def test_the_command_over_answers_runs(place: Path, line: str) -> None:
    answers = ROOT / "pipeline" / "datasets" / "python_topics_data" / "answers.jsonl"
    (place / "answers.jsonl").write_bytes(answers.read_bytes())
    done = subprocess.run([sys.executable, *shlex.split(line)[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "96" in done.stdout or "83 answers" in done.stdout


@pytest.mark.parametrize("line", RUNS)
def test_the_command_runs(place: Path, line: str) -> None:
    # No hub and no second model folder here; and the help texts take minutes to embed.
    line = line.replace("minilm,wordllama_256,BAAI/bge-m3,./my-model", "wordllama_64,wordllama_256")
    arguments = shlex.split(line)[3:]
    if not any(item.startswith("dataset=") for item in arguments):
        arguments += ["dataset=beir", "dataset.path=FOLDER"]
    if "embedding.model" not in line:
        arguments += ["embedding=wordllama_64"]
    assert run(*arguments, "tracking=none", "probes=0") == 0


def test_the_comparison_command_runs(place: Path) -> None:
    for size in (16, 32):
        run("-m", "dataset=beir", "dataset.path=FOLDER", "retriever=bm25", f"chunk_size={size}", "tracking=none")
    ids = [path.name.rpartition("-")[2] for path in Path("outputs/sweeps").iterdir()]
    assert compare.main(ids) == 0


def test_the_csv_of_the_readme_is_read_as_it_says(place: Path) -> None:
    assert CSV is not None
    (place / "docs" / "account" / "password.md").write_text(
        "# Passwords\n\nTo reset your password, open the settings.\n"
    )
    (place / "docs" / "plans.md").write_text(
        "Single sign-on is part of the Business and Enterprise plans. Ask sales.\n"
    )
    (place / "questions.csv").write_text(CSV.group(1))
    assert (
        run("dataset=files", "dataset.path=docs", "dataset.queries=questions.csv", "retriever=bm25", "tracking=none")
        == 0
    )
    header = (sweep_folder(kind="runs") / "0" / "scores.csv").read_text().splitlines()[0]
    assert "Rspan@2048tok" in header, "the quoted passage is kept as evidence"


@pytest.mark.parametrize("line", SCRIPTS)
def test_the_scripts_exist(line: str) -> None:
    assert (ROOT / shlex.split(line)[1]).is_file()


@pytest.mark.parametrize(
    "link", re.findall(r"\]\(((?:docs|CONTRIBUTING|CHANGELOG)[^)]*)\)", (ROOT / "README.md").read_text("utf-8"))
)
def test_the_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).is_file()
