from __future__ import annotations

import json
import socket
from dataclasses import replace

import pytest

from pipeline.tracking.links import answers, links, public, view_tag
from pipeline.tracking.uri import is_local, redact
from pipeline.tracking.view import charts, colour, columns, further


def saved(sweep):
    return json.loads(view_tag(sweep.id, columns(sweep), "ndcg_at_10", charts(sweep), 1_796_000_000_000))


def test_the_saved_view_has_the_form_that_mlflow_opens(fake):
    tag = saved(fake.sweep())
    assert set(tag) == {"name", "createdAt", "updatedAt", "state"}
    assert tag["name"] == "Sweep a1f3"
    state = json.loads(tag["state"])  # a string inside: that is what the page reads
    assert state["searchFilter"] == "tags.sweep_id = 'a1f3' and tags.role = 'job'"
    assert (state["orderByKey"], state["orderByAsc"]) == ("metrics.`ndcg_at_10`", False)
    assert state["columnOrder"] == ["attributes.`Run Name`", "runDateAndNestInfo", *state["selectedColumns"]]
    assert state["selectedColumns"] == [
        "tags.`verdict`", "tags.`vs_baseline`", "params.`retriever`", "params.`embedding`", "params.`chunk_size`",
        "metrics.`ndcg_at_10`", "metrics.`ci_low`", "metrics.`ci_high`", "metrics.`recall_at_2048tok`",
        "metrics.`read_share`", "metrics.`p50_ms`", "metrics.`difference`", "metrics.`p_corrected`", "params.`dataset`",
    ]  # fmt: skip
    assert state["runsHiddenMode"] == "SHOW_ALL"
    assert state["isAccordionReordered"] is True


def test_every_chart_lies_in_a_section_that_is_shown(fake):
    state = json.loads(saved(fake.sweep())["state"])
    shown = {section["uuid"] for section in state["compareRunSections"] if section["display"]}
    assert {chart["metricSectionId"] for chart in state["compareRunCharts"]} == shown
    assert len({chart["uuid"] for chart in state["compareRunCharts"]}) == len(state["compareRunCharts"])


def test_the_saved_view_fits_into_an_experiment_tag(fake):
    sweep = fake.sweep()
    many = {f"setting.{'x' * 60}{n}": n for n in range(200)}
    jobs = tuple(
        replace(job, settings={**job.settings, **{k: v + job.number for k, v in many.items()}}) for job in sweep.jobs
    )
    tag = view_tag("a1f3", columns(replace(sweep, jobs=jobs)), "ndcg_at_10", charts(replace(sweep, jobs=jobs)), 0)
    assert len(tag) < 20_000


def test_only_settings_that_the_three_do_not_tell_get_a_column_of_their_own(fake):
    sweep = fake.sweep()
    assert further(sweep) == []  # fusion and k1 differ, but only because the retriever does
    other = replace(sweep.jobs[4], number=9, settings={**sweep.jobs[4].settings, "fusion.k": 10})
    assert further(replace(sweep, jobs=(*sweep.jobs, other))) == ["fusion.k"]


def test_one_colour_for_each_retriever_and_grey_for_what_failed(fake):
    sweep = fake.sweep()
    colours = [colour(job, sweep) for job in sweep.jobs if job.state != "twin"]
    assert colours[2] == colours[3] == colours[4]
    assert len(set(colours)) == 4


def test_links_carry_nothing_that_would_switch_the_view_off():
    made = links("http://127.0.0.1:5000", "3", "a1f3", "r" * 32)
    assert made.short == "http://127.0.0.1:5000/#/experiments/3/runs?viewStateShareKey=sweep-a1f3"
    for address in (made.chart, made.table, made.short):
        assert "/runs?" in address
        assert not any(word in address for word in ("searchFilter", "orderBy", "startTime", "lifecycleFilter"))
    assert "searchFilter=tags.sweep_id%20%3D%20%27a1f3%27" in made.plain


def test_printed_links_fit_80_columns_and_say_when_nothing_answers():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = f"http://127.0.0.1:{free.getsockname()[1]}"  # bound, not listening: nobody answers
        lines = links(server, "123", "a1f3", "r" * 32).lines()
        assert "bash scripts/ui.sh" in lines[0]
        assert max(len(line) for line in lines) <= 78
        free.listen()
        assert answers(server)
        assert len(links(server, "3", "a1f3", "r" * 32).lines()) == 2


@pytest.mark.parametrize(
    "uri, shown",
    [
        ("postgresql://me:p@ss/w:rd@db/x", "postgresql://me:***@db/x"),
        ("https://token@host/api", "https://***@host/api"),
        ("https://host/x?a=1&access_token=abc&b=2", "https://host/x?a=1&access_token=***&b=2"),
        ("sqlite:///outputs/mlflow.db", "sqlite:///outputs/mlflow.db"),
        ("http://127.0.0.1:5000/#/experiments/3", "http://127.0.0.1:5000/#/experiments/3"),
    ],
)
def test_secrets_in_addresses_are_not_shown(uri, shown):
    assert redact(uri) == shown


def test_the_address_of_a_server_has_no_password():
    assert public("https://me:secret@host:8080/base/") == "https://host:8080/base"


@pytest.mark.parametrize("uri, local", [("sqlite:///x.db", True), ("http://localhost:5000", True),
                                        ("http://127.0.0.1:1", True), ("https://mlflow.example.org", False),
                                        ("postgresql://db/x", False), ("databricks", False)])  # fmt: skip
def test_only_files_and_loopback_are_local(uri, local):
    assert is_local(uri) is local
