"""A real sweep in a real local MLflow store: flat runs, comparable params, allowed names, one comparison run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pipeline import compare
from tests.whole import common, run, sweep_folder, write_collection

ALLOWED = re.compile(r"[\w\-. :/]+")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One tracked sweep with twins, in its own folder."""
    place = tmp_path_factory.mktemp("tracked")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for name in ("MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME"):
            patch.delenv(name, raising=False)
        arguments = [item for item in common(write_collection(place / "kitchen")) if item != "tracking=none"]
        axes = ("-m", "retriever=bm25,hybrid", "embedding.model=wordllama_64,wordllama_256", "chunk_size=16")
        assert run(*arguments, *axes) == 0
        assert compare.main([sweep_folder().name, "--sync"]) == 0  # a second copy changes nothing
    return place


@pytest.fixture(scope="module")
def store(sweep: Path) -> object:
    from mlflow import MlflowClient

    return MlflowClient(f"sqlite:///{sweep}/outputs/mlflow.db")


def runs(store: object, role: str) -> list[object]:
    experiment = store.get_experiment_by_name("rag-sweep/kitchen")  # type: ignore[attr-defined]
    return list(store.search_runs([experiment.experiment_id], f"tags.role = '{role}'"))  # type: ignore[attr-defined]


def test_one_flat_run_a_distinct_experiment_and_one_comparison(sweep: Path, store: object) -> None:
    found = runs(store, "job")
    assert sorted(item.info.run_name for item in found) == [
        "bm25-16",
        "hybrid-wordllama_256-16",
        "hybrid-wordllama_64-16",
    ]
    assert {item.info.status for item in found} == {"FINISHED"}
    assert not any("mlflow.parentRunId" in item.data.tags for item in found)
    assert len(runs(store, "comparison")) == 1


def test_every_run_has_every_param_and_numbers_are_plain(store: object) -> None:
    found = [item.data.params for item in runs(store, "job")]
    assert len({frozenset(params) for params in found}) == 1
    by_name = {params["retriever"] + params["embedding"]: params for params in found}
    assert by_name["bm25none"]["chunk_size"] == "16"
    assert by_name["bm25none"]["embedding"] == "none"


def test_metric_names_are_allowed_and_at_most_a_dozen_stand_in_the_main_group(store: object) -> None:
    for item in runs(store, "job"):
        names = set(item.data.metrics)
        assert all(ALLOWED.fullmatch(name) for name in names)
        assert {"ndcg_at_10", "ci_low", "ci_high"} <= names
        assert len([name for name in names if "/" not in name]) <= 12


def test_the_mean_in_the_store_is_the_mean_of_the_scores_on_disk(sweep: Path, store: object) -> None:
    import csv

    folder = sweep_folder(sweep / "outputs")
    with (folder / "leaderboard.csv").open(newline="") as stream:
        board = {row["name"]: float(row["nDCG@10"]) for row in csv.DictReader(stream)}
    logged = {item.info.run_name: item.data.metrics["ndcg_at_10"] for item in runs(store, "job")}
    assert logged == pytest.approx(board, abs=1e-6)


def test_curves_have_the_cutoff_as_step(store: object) -> None:
    item = runs(store, "job")[0]
    steps = [point.step for point in store.get_metric_history(item.info.run_id, "curve/ndcg")]  # type: ignore[attr-defined]
    assert steps == [1, 2, 3, 5, 10, 20, 50, 100]


def test_the_sweep_is_tagged_and_its_view_is_saved_once(sweep: Path, store: object) -> None:
    short = sweep_folder(sweep / "outputs").name.rpartition("-")[2]
    assert {item.data.tags["sweep_id"] for item in runs(store, "job")} == {short}
    experiment = store.get_experiment_by_name("rag-sweep/kitchen")  # type: ignore[attr-defined]
    views = {name: value for name, value in experiment.tags.items() if name.startswith("mlflow.sharedViewState.")}
    assert list(views) == [f"mlflow.sharedViewState.sweep-{short}"]
    state = json.loads(json.loads(views[f"mlflow.sharedViewState.sweep-{short}"])["state"])
    assert short in state["searchFilter"]


def test_every_page_stands_in_a_file_also_the_one_that_needs_no_saved_view(sweep: Path) -> None:
    folder = sweep_folder(sweep / "outputs")
    pages = dict(line.split(": ", 1) for line in (folder / "mlflow.txt").read_text().splitlines())
    assert list(pages) == ["charts", "table", "comparison", "by filter alone, if a saved view does not open"]
    assert "compareRunsMode=CHART" in pages["charts"] and "viewStateShareKey=" in pages["table"]
    assert "searchFilter=tags.sweep_id" in pages["by filter alone, if a saved view does not open"]


def test_a_store_that_cannot_be_reached_stops_the_sweep_before_its_first_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A tracking error after forty minutes of work lost the work.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    place = write_collection(tmp_path / "kitchen")
    arguments = [item for item in common(place, "retriever=bm25") if item != "tracking=none"]
    assert run(*arguments, "tracking.patience=5") == 3
    said = capsys.readouterr().err
    assert "http://127.0.0.1:9" in said and "Traceback" not in said
    assert not Path("outputs/runs").exists()
