from __future__ import annotations

import csv
import math
from dataclasses import fields, replace

from pipeline.records import Comparison
from pipeline.report.tables import comparison_rows, leaderboard_rows, write_csv, write_tables


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_one_row_a_distinct_experiment_and_all_its_numbers(tmp_path, fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    write_tables(tmp_path, sweep, standing)
    rows = read(tmp_path / "leaderboard.csv")
    assert [row["name"] for row in rows if row["rank"]] == sorted(
        standing.means, key=lambda name: -standing.means[name]["nDCG@10"]
    )
    assert len(rows) == 6  # seven jobs, one of them a twin
    best = rows[0]
    assert float(best["nDCG@10"]) == standing.means[standing.best]["nDCG@10"]
    assert float(best["nDCG@10 low"]) == standing.intervals[standing.best]["nDCG@10"].low
    assert (best["R@2048tok n"], best["read_percent"], best["may_be_best"]) == ("210", "51.2", "yes")
    joint = next(c for c in standing.comparisons if c.treatment == standing.best).simultaneous_interval
    assert (float(best["difference simultaneous low"]), float(best["difference simultaneous high"])) == (
        joint.low,
        joint.high,
    )
    baseline = next(row for row in rows if row["name"] == "bm25-512")
    assert baseline["difference simultaneous low"] == ""
    assert (baseline["verdict"], baseline["difference"], baseline["embedding"]) == ("baseline", "", "none")
    failed = rows[-1]
    assert (failed["rank"], failed["nDCG@10"], failed["state"]) == ("", "", "failed")
    assert failed["reason"] == "out of memory: embedding.batch_size=8"


def test_every_field_of_every_comparison_is_a_column(tmp_path, fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    write_tables(tmp_path, sweep, standing)
    rows = read(tmp_path / "comparisons.csv")
    assert len(rows) == len(standing.comparisons)
    kinds = ("t_interval", "bootstrap_interval", "simultaneous_interval", "interval", "bounds", "bounds_sampled")
    plain = {item.name for item in fields(Comparison)} - set(kinds)
    ends = {f"{kind}_{end}" for kind in kinds for end in ("low", "high")}
    assert set(rows[0]) == plain | ends
    assert float(rows[0]["p"]) == standing.comparisons[0].p


def test_what_was_swept_is_a_table_with_the_queries_that_chose(tmp_path, fake):
    sweep = fake.sweep()
    write_tables(tmp_path, sweep, fake.standing(sweep))
    (row,) = read(tmp_path / "tuned.csv")
    assert (row["setting"], row["value"], row["tuned_on"]) == ("chunk_size", "512", "all 212 queries")


def test_the_order_of_a_table_does_not_depend_on_the_order_of_jobs(fake):
    sweep = fake.sweep()
    standing = fake.standing(sweep)
    turned = replace(sweep, jobs=tuple(reversed(sweep.jobs)))
    assert leaderboard_rows(sweep, standing) == leaderboard_rows(turned, standing)


def test_undefined_is_an_empty_cell_and_formulas_are_defused(tmp_path):
    rows = [{"name": "=cmd|' /C calc'!A0", "x": math.nan, "y": -0.5, "z": None, "w": "+1", "v": math.inf}]
    write_csv(tmp_path / "t.csv", rows)
    assert read(tmp_path / "t.csv") == [
        {"name": "'=cmd|' /C calc'!A0", "x": "", "y": "-0.5", "z": "", "w": "'+1", "v": ""}
    ]


def test_without_judgements_the_leaderboard_has_no_values(fake):
    sweep = fake.sweep()
    bare = replace(sweep, jobs=tuple(replace(job, scores=None) for job in sweep.jobs))
    rows = leaderboard_rows(bare, None)
    assert {row["nDCG@10"] for row in rows} == {None}
    assert {row["rank"] for row in rows} == {None}
    assert comparison_rows(()) == ()


def test_unweighted_means_stand_beside_the_others_only_where_there_are_weights(fake):
    sweep = replace(fake.sweep(), weights=(2.0,) * fake.QUERIES)
    standing = fake.standing(sweep)
    weighed = replace(standing, unweighted={standing.best: {"nDCG@10": 0.125}})
    best = leaderboard_rows(sweep, weighed)[0]
    assert (best["nDCG@10"], best["nDCG@10 unweighted"]) == (standing.means[standing.best]["nDCG@10"], 0.125)
    assert best["R@5 unweighted"] is None
    assert not any("weighted" in column for column in leaderboard_rows(fake.sweep(), standing)[0])
