from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest

from pipeline.metrics import parse, word
from pipeline.records import Interval
from pipeline.tracking.comparison import comparisons_table, losses_table
from pipeline.tracking.payload import (
    Extras,
    job_metrics,
    metric_name,
    params,
    per_query_table,
    safe_key,
    short,
    verdict_metrics,
    verdict_tags,
)

ALLOWED = re.compile(r"^[\w\-. :/]{1,250}$")


def test_metric_names_are_allowed_and_one_to_one(fake):
    names = [metric_name(measure) for measure in (*fake.MEASURES, "R@1024tok", "R@1000", "DCG@10", "DCG_exp@10")]
    assert len(set(names)) == len(names)
    assert all(ALLOWED.match(name) for name in names)
    assert metric_name("nDCG@10") == "ndcg_at_10" == word(parse("nDCG@10"))


def test_at_most_a_dozen_metrics_in_the_main_group(fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    values = job_metrics(sweep.jobs[3], sweep, Extras({"ndcg": {1: 0.4, 10: 0.5}}))
    values += verdict_metrics(sweep.jobs[3].name, standing)
    main = [value.key for value in values if "/" not in value.key]
    assert main == ["ndcg_at_10", "recall_at_2048tok", "read_share", "p50_ms", "queries",
                    "ci_low", "ci_high", "difference", "p_corrected"]  # fmt: skip
    assert {value.key.split("/")[0] for value in values if "/" in value.key} == {"detail", "curve"}
    assert [(v.value, v.step) for v in values if v.key == "curve/ndcg"] == [(0.4, 1), (0.5, 10)]


def test_what_is_undefined_is_never_sent(fake):
    sweep = fake.sweep()
    job = replace(sweep.jobs[0], facts={"read_share": math.nan, "p50_ms": math.inf, "chunks": 3.0})
    values = job_metrics(job, sweep, Extras({"ndcg": {1: math.nan}}))
    assert {"read_share", "p50_ms", "curve/ndcg"}.isdisjoint(value.key for value in values)
    assert all(math.isfinite(value.value) for value in values)


def test_a_mean_is_over_the_defined_queries(fake):
    sweep = fake.sweep()
    table = sweep.jobs[0].scores
    values = {value.key: value.value for value in job_metrics(sweep.jobs[0], sweep, Extras())}
    # the first two queries have no value of R@2048tok
    assert values["recall_at_2048tok"] == short(float(table.values[1][2:].mean()))
    assert values["queries"] == 212


def test_every_setting_stands_in_every_run_as_a_plain_number_or_word(fake):
    sweep = fake.sweep()
    all_params = [params(job, sweep) for job in sweep.jobs]
    assert len({tuple(sorted(given)) for given in all_params}) == 1
    bm25, hybrid = all_params[0], all_params[3]
    assert (bm25["embedding"], bm25["fusion.k"], bm25["retriever.k1"], bm25["chunk_size"]) == (
        "none",
        "none",
        "1.2",
        "512",
    )
    assert (hybrid["retriever.k1"], hybrid["dataset"]) == ("none", "kb-support")


def test_secrets_in_settings_are_not_sent(fake):
    sweep = fake.sweep()
    secret = {"provider.api_key": "sk-CANARY", "source": "https://me:CANARY@host/x?token=CANARY", "on": True}
    sent = params(
        replace(sweep.jobs[0], settings=secret), replace(sweep, jobs=(replace(sweep.jobs[0], settings=secret),))
    )
    assert "CANARY" not in json.dumps(sent)
    assert sent["on"] == "true"


@pytest.mark.parametrize("name", ["a@b", "x,y=z", "café(1)", "k" * 400])
def test_any_name_becomes_an_allowed_key(name):
    assert ALLOWED.match(safe_key(name))


def test_verdicts_are_best_tied_worse_and_against_the_baseline(fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    tags = {job.name: verdict_tags(job, standing) for job in sweep.jobs if job.state != "twin"}
    assert {name for name, tag in tags.items() if tag["verdict"] == "tied"} == set(standing.may_be_best)
    assert tags["bm25-512"] == {"verdict": "worse", "vs_baseline": "baseline"}
    assert tags["hybrid-bge-m3-1024"] == {"verdict": "failed", "vs_baseline": "failed"}
    alone = replace(standing, may_be_best=(standing.best,))
    best = next(job for job in sweep.jobs if job.name == standing.best)
    assert verdict_tags(best, alone) == {"verdict": "best", "vs_baseline": "better"}


def test_the_per_query_table_starts_with_the_worst_and_has_texts_only_when_given(fake):
    sweep = fake.sweep()
    job = sweep.jobs[1]
    table = json.loads(per_query_table(job, "nDCG@10", {}))
    assert table["columns"][:2] == ["query", "nDCG@10"]
    values = [row[1] for row in table["data"]]
    assert values == sorted(values)
    assert len(values) == 212
    undefined = {row[0] for row in table["data"] if row[table["columns"].index("R@2048tok")] is None}
    assert undefined == {"q000", "q001"}
    full = json.loads(per_query_table(job, "nDCG@10", {"q000": "why?"}))
    assert full["columns"][-1] == "text"
    assert next(row for row in full["data"] if row[0] == "q000")[-1] == "why?"


def test_the_losses_table_pairs_by_query_and_starts_with_the_greatest_loss(fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    table = json.loads(losses_table(sweep, standing, {}))
    assert len(table["data"]) == 4 * 212
    deltas = [row[4] for row in table["data"]]
    assert deltas == sorted(deltas)
    query, name, value, base, delta, outcome = table["data"][0]
    row = next(job for job in sweep.jobs if job.name == name).scores
    at = row.query_ids.index(query)
    assert value == row.values[0][at]
    assert base == sweep.jobs[0].scores.values[0][at]
    assert (round(value - base, 6), outcome) == (delta, "loss")


def test_the_comparisons_table_has_both_intervals(fake):
    standing = fake.standing(fake.sweep())
    wide = replace(standing.comparisons[0], simultaneous_interval=Interval(-0.5, 0.75))
    none = replace(standing.comparisons[1], simultaneous_interval=None)
    table = json.loads(comparisons_table(replace(standing, comparisons=(wide, none))))
    first, second = (dict(zip(table["columns"], row, strict=True)) for row in table["data"])
    assert (first["low"], first["high"]) == (wide.t_interval.low, wide.t_interval.high)
    assert (first["simultaneous_low"], first["simultaneous_high"]) == (-0.5, 0.75)
    assert (second["simultaneous_low"], second["simultaneous_high"]) == (None, None)


def test_the_comparisons_table_holds_no_nan(fake):
    standing = fake.standing(fake.sweep())
    odd = replace(standing, comparisons=(replace(standing.comparisons[0], difference=math.nan),))
    assert "NaN" not in comparisons_table(odd)


@pytest.mark.parametrize(
    "value, shown", [(0.087579, 0.0876), (1234567.0, 1235000.0), (0.00012346, 0.0001235), (1.0, 1.0)]
)
def test_numbers_of_the_main_group_have_four_digits(value, shown):
    assert short(value) == shown


def test_a_tiny_p_is_an_upper_bound_and_never_zero(fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    tiny = replace(standing.comparisons[3], p_corrected=1e-12)
    values = {v.key: v.value for v in verdict_metrics(tiny.treatment, replace(standing, comparisons=(tiny,)))}
    assert values["p_corrected"] == 0.0001


def test_means_and_percentiles_are_by_traffic_and_plain_means_stand_beside_them(fake):
    plain = {value.key: value.value for value in job_metrics(fake.sweep().jobs[0], fake.sweep(), Extras())}
    assert not any("weighted" in key for key in plain)
    # all the traffic is on the last two queries, in a ratio of 3 to 1
    sweep = replace(fake.sweep(), weights=(1e-12,) * (fake.QUERIES - 2) + (3.0, 1.0))
    values = {value.key: value.value for value in job_metrics(sweep.jobs[0], sweep, Extras())}
    last = sweep.jobs[0].scores.values[:, -2:]
    assert values["ndcg_at_10"] == pytest.approx((3 * last[0, 0] + last[0, 1]) / 4, abs=1e-4)
    assert values["detail/precision_at_5"] == pytest.approx((3 * last[5, 0] + last[5, 1]) / 4, abs=1e-4)
    assert values["detail/unweighted_ndcg_at_10"] == pytest.approx(plain["ndcg_at_10"], abs=1e-4)
    assert values["detail/unweighted_precision_at_5"] == pytest.approx(plain["detail/precision_at_5"], abs=1e-4)
    # a quarter of the traffic has the one value, three quarters the other
    ends = sorted([(last[0, 0], 3), (last[0, 1], 1)])
    assert values["detail/ndcg_at_10_p10"] == ends[0][0]
    assert values["detail/ndcg_at_10_p90"] == ends[1][0]
    assert values["detail/ndcg_at_10_median"] == last[0, 0]
    assert set(values) == {*plain, *(key for key in values if key.startswith("detail/unweighted_"))}
