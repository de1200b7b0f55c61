"""One real sqlite store for the whole module: making it takes seconds."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.errors import EnvironmentFault, SettingError, TrackingFault
from pipeline.tracking.mirroring import mirror_sweep
from pipeline.tracking.mlflow_mirror import MlflowMirror
from pipeline.tracking.none import NoMirror
from pipeline.tracking.payload import Extras

VERDICT = ("Ship *hybrid* over bm25.", "256 or 512? Cannot tell (p < 0.1 & p > 0.05).")


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tracking")


@pytest.fixture(scope="module")
def mirror(root) -> MlflowMirror:
    return MlflowMirror(uri=f"sqlite:///{root}/outputs/mlflow.db", artifacts=f"{root}/artifacts")


def extras(job) -> Extras:
    texts = {} if job.scores is None else {query: f"text of {query}" for query in job.scores.query_ids}
    return Extras({"ndcg": {1: 0.4, 10: 0.5}}, texts, "0123abc")


@pytest.fixture(scope="module")
def mirrored(root, mirror, fake):
    """The fake sweep, mirrored: (sweep, standing, what came of it, the client)."""
    os.environ["MLFLOW_RUN_ID"] = "0" * 32  # exported by others: must swallow nothing
    sweep = fake.sweep(str(root / "sweeps" / "1130-1412-a1f3"))
    for job in sweep.jobs:
        Path(job.folder).mkdir(parents=True)
        (Path(job.folder) / "scores.csv").write_text("query,nDCG@10\n")
        (Path(job.folder) / "private.txt").write_text("not for a server")
    (Path(sweep.folder) / "report.md").write_text("# report\n")
    assert mirror.check("kb-support") == f"MLflow sqlite:///{root}/outputs/mlflow.db, experiment rag-sweep/kb-support"
    standing = fake.standing(sweep)
    result = mirror_sweep(mirror, sweep, standing, VERDICT, extras)
    del os.environ["MLFLOW_RUN_ID"]
    from mlflow import MlflowClient

    return sweep, standing, result, MlflowClient(mirror.uri)


def runs(client, role="job"):
    return {run.info.run_name: run for run in client.search_runs(["1"], f"tags.role = '{role}'")}


def test_one_flat_run_a_distinct_experiment_named_as_everywhere(mirrored):
    sweep, _, result, client = mirrored
    assert result.fault is None
    assert result.runs == 6
    assert set(runs(client)) == {job.name for job in sweep.jobs if job.state != "twin"}
    assert not any("mlflow.parentRunId" in run.data.tags for run in runs(client).values())


def test_a_run_carries_params_metrics_tags_dataset_and_files(mirrored, mirror):
    _, standing, _, client = mirrored
    run = runs(client)["hybrid-minilm-512"]
    data = run.data
    assert data.params["chunk_size"] == "512"
    assert data.metrics["ndcg_at_10"] == pytest.approx(standing.means["hybrid-minilm-512"]["nDCG@10"], abs=5e-5)
    assert data.metrics["ci_low"] == pytest.approx(standing.intervals["hybrid-minilm-512"]["nDCG@10"].low, abs=5e-5)
    assert data.tags["verdict"] == "tied"
    assert data.tags["mlflow.source.git.commit"] == "0123abc"
    assert [(m.step, m.value) for m in client.get_metric_history(run.info.run_id, "curve/ndcg")] == [
        (1, 0.4),
        (10, 0.5),
    ]
    dataset = run.inputs.dataset_inputs[0].dataset
    assert (dataset.name, len(dataset.digest) <= 36) == ("kb-support", True)
    files = {item.path for item in client.list_artifacts(run.info.run_id)}
    assert files == {"scores.csv", "per_query.json"}
    assert run.info.artifact_uri.startswith(Path(mirror.artifacts).resolve().as_uri())


def test_a_failed_job_is_a_failed_run_with_the_reason_as_note(mirrored):
    _, _, _, client = mirrored
    run = runs(client)["hybrid-bge-m3-1024"]
    assert run.info.status == "FAILED"
    assert "out of memory: embedding.batch_size=8" in run.data.tags["mlflow.note.content"]
    assert run.data.metrics == {}


def test_the_comparison_run_says_the_verdict_first(mirrored):
    _, _, result, client = mirrored
    (run,) = runs(client, "comparison").values()
    note = run.data.tags["mlflow.note.content"]
    assert note.startswith("**Ship \\*hybrid\\* over bm25.**  \n256 or 512?")
    assert "(p &lt; 0.1 &amp; p &gt; 0.05)" in note  # MLflow showed "p \\< 0.1" with its backslash
    assert "127.0.0.1" not in note
    assert run.data.tags["tuned_on"] == "all 212 queries"
    assert run.info.run_id in result.links.comparison
    files = {item.path for item in client.list_artifacts(run.info.run_id)}
    assert files == {"report.md", "comparisons.json", "per_query.json"}


def test_the_saved_view_is_a_tag_of_the_experiment(mirrored):
    _, _, _, client = mirrored
    tag = client.get_experiment("1").tags["mlflow.sharedViewState.sweep-a1f3"]
    assert json.loads(json.loads(tag)["state"])["orderByKey"] == "metrics.`ndcg_at_10`"


def test_mirroring_again_changes_no_count_and_repeats_no_value(mirrored, mirror):
    sweep, standing, _, client = mirrored
    before = {name: run.info.run_id for name, run in runs(client).items()}
    again = mirror_sweep(mirror, sweep, standing, VERDICT, extras)
    after = runs(client)
    assert again.runs == 6
    assert {name: run.info.run_id for name, run in after.items()} == before
    assert len(runs(client, "comparison")) == 1
    for run in after.values():
        for key in run.data.metrics:
            history = client.get_metric_history(run.info.run_id, key)
            assert len(history) == len({point.step for point in history}), key


def test_a_half_written_run_and_a_resumed_failure_are_replaced(mirrored, mirror, fake):
    sweep, _, _, client = mirrored
    other = replace(sweep, id="b2e4", folder=f"{sweep.folder}-b2e4")
    failed = other.jobs[6]
    first = mirror.mirror_job(failed, other)
    resumed = replace(failed, state="done", reason="", scores=fake.scores(0.5, 1))
    second = mirror.mirror_job(resumed, other)
    client.update_run(second, status="RUNNING")  # as a killed process leaves it
    third = mirror.mirror_job(resumed, other)
    assert len({first, second, third}) == 3
    found = client.search_runs(["1"], "tags.sweep_id = 'b2e4'")
    assert [(run.info.run_id, run.info.status) for run in found] == [(third, "FINISHED")]


def test_query_texts_go_along_only_where_they_may(mirrored, root, fake):
    sweep, _, _, client = mirrored
    one = replace(sweep, id="c3d5", folder=f"{sweep.folder}-c3d5")
    for texts, expected in (("auto", True), ("ids", False), ("full", True)):
        picky = MlflowMirror(f"sqlite:///{root}/outputs/mlflow.db", artifacts=f"{root}/artifacts", texts=texts)
        job = replace(one.jobs[0], key=texts)
        run_id = picky.mirror_job(job, one, extras(job))
        path = client.download_artifacts(run_id, "per_query.json")
        assert ("text of q005" in Path(path).read_text()) is expected


def test_twins_and_unfinished_jobs_make_no_run(mirror, fake):
    sweep = fake.sweep()
    assert mirror.mirror_job(sweep.jobs[5], sweep) == ""
    assert mirror.mirror_job(replace(sweep.jobs[0], state="running"), sweep) == ""


def test_exported_names_win_and_are_said(mirrored, root, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{root}/outputs/mlflow.db")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "team/one")
    said = MlflowMirror(uri="sqlite:////nowhere/x.db", artifacts=f"{root}/artifacts").check("kb-support")
    assert said.endswith("experiment team/one (from MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME)")


def test_a_deleted_experiment_is_named_with_the_way_back(mirrored, mirror):
    client = mirrored[3]
    gone = replace(mirror, experiment="gone")
    gone.check("x")
    client.delete_experiment(client.get_experiment_by_name("gone").experiment_id)
    with pytest.raises(EnvironmentFault, match="experiment gone was deleted; `mlflow experiments restore -x"):
        gone.check("x")


def one_line(error) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert "Traceback" not in text
    return text


def test_a_closed_port_is_one_line_in_bounded_time_without_the_password(monkeypatch, fake):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        away = MlflowMirror(uri=f"http://me:CANARY@127.0.0.1:{bound.getsockname()[1]}", patience=20)
        start = time.monotonic()
        with pytest.raises(EnvironmentFault) as error:
            away.check("kb")
        assert error.value.exit_code == 3
        with pytest.raises(TrackingFault) as late:
            away.mirror_job(fake.sweep().jobs[0], fake.sweep())
    assert time.monotonic() - start < 20
    assert late.value.exit_code == 4
    assert "tracking=none" in one_line(error)
    assert "the results are complete in outputs/sweeps/1130-1412-a1f3" in one_line(late)
    assert "CANARY" not in str(error.value) + str(late.value)


def test_a_server_that_never_answers_is_left_after_the_patience(fake):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        away = MlflowMirror(uri=f"http://127.0.0.1:{silent.getsockname()[1]}", patience=1.0)
        start = time.monotonic()
        sweep = fake.sweep()
        result = mirror_sweep(away, sweep, fake.standing(sweep), VERDICT, extras)
        assert time.monotonic() - start < 5  # one patience for the whole sweep, not one a job
    assert result.runs == 0
    assert "no answer in time" in str(result.fault)


def test_a_broken_store_is_named_with_the_way_out(tmp_path):
    (tmp_path / "mlflow.db").write_bytes(b"this is no database at all, " * 100)
    with pytest.raises(EnvironmentFault, match=r"move .*mlflow\.db away") as error:
        MlflowMirror(uri=f"sqlite:///{tmp_path}/mlflow.db", artifacts=str(tmp_path)).check("kb")
    one_line(error)


def test_half_made_tables_are_a_broken_store(tmp_path):
    with sqlite3.connect(tmp_path / "mlflow.db") as half:
        half.execute("create table metrics (x int)")
    with pytest.raises(EnvironmentFault, match=r"move .*mlflow\.db away") as error:
        MlflowMirror(uri=f"sqlite:///{tmp_path}/mlflow.db", artifacts=str(tmp_path)).check("kb")
    one_line(error)


def test_a_store_of_plain_folders_is_refused_with_what_works(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"use sqlite:///outputs/mlflow\.db or a server") as error:
        MlflowMirror(uri=f"file:{tmp_path}/mlruns").check("kb")
    one_line(error)


def test_many_threads_may_check_an_existing_store_at_once(mirrored, mirror):
    said, faults = [], []

    def check():
        try:
            said.append(replace(mirror, experiment="at-once").check("x"))
        except EnvironmentFault as fault:
            faults.append(fault)

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(said) == 4


@pytest.mark.parametrize("setting", [{"texts": "some"}, {"patience": 0}])
def test_settings_are_checked_at_once(setting):
    with pytest.raises(SettingError, match=next(iter(setting))):
        MlflowMirror(**setting)


def test_no_tracking_keeps_nothing(fake):
    sweep = fake.sweep()
    result = mirror_sweep(NoMirror(), sweep, None, (), extras)
    assert (result.runs, result.fault, result.links.lines(), NoMirror().check("x")) == (0, None, (), "")
