"""Every tuned number carries the queries it was tuned on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline import stats
from pipeline.records import JobRecord, Standing
from pipeline.stats.dealing import holdout
from pipeline.sweep.tuned import tuned, tuned_note
from tests.sweep.small import table

COUNT = 80
FAST = stats.StatsOptions(resamples=999, half_splits=0)
SELECT = np.r_[False, holdout(tuple(f"q{n:02d}" for n in range(1, COUNT)), seed=0).select]


def jobs() -> list[JobRecord]:
    """Three values of k1: 0.9 leads on all queries, 1.8 on the select part of seed 0; the first query has no value."""
    rng = np.random.default_rng(0)
    rows = {1.2: np.full(COUNT, 0.4), 0.9: np.full(COUNT, 0.7), 1.8: np.where(SELECT, 0.8, 0.2)}
    made = []
    for number, (k1, row) in enumerate(rows.items()):
        values = row + rng.normal(0, 0.02, COUNT)
        values[0] = np.nan
        settings = {"retriever": "bm25", "chunk_size": 512, "bm25.k1": k1, "seed": 0}
        made.append(JobRecord(number, f"k1:{k1}", "done", "", None, "", settings, (), {}, table(list(values)), ""))
    return made


def stand(given: list[JobRecord], split: str) -> Standing:
    options = replace(FAST, split=split)
    tables = {job.name: job.scores for job in given}
    found = stats.standing(tables, baseline="k1:1.2", primary="nDCG@10", seed=0, options=options)
    return stats.after_choosing(found, tables, stats.Dealing(0), options)


def test_without_a_split_the_queries_that_choose_are_those_that_measure() -> None:
    (row,) = tuned(stand(jobs(), "none"), jobs())
    assert (row.setting, row.value, row.tried, row.experiment) == ("bm25.k1", 0.9, "0.9, 1.2, 1.8", "k1:0.9")
    assert (row.tuned_on, row.measured_on) == ("all 79 queries", "the same")
    assert tuned_note([row]) == ("Tuned on all 79 queries, measured on the same: bm25.k1 = 0.9.",)


def test_with_a_holdout_the_value_is_that_of_the_select_part_whatever_the_confirm_part_says() -> None:
    found = stand(jobs(), "holdout")
    assert found.confirmed is not None and found.confirmed.comparison is not None
    assert found.confirmed.comparison.verdict == "worse"
    (row,) = tuned(found, jobs())
    counts = found.confirmed.select_queries, found.confirmed.confirm_queries
    assert sum(counts) == 79
    assert (row.value, row.tuned_on, row.measured_on) == (
        1.8,
        f"select part, {counts[0]} queries",
        f"confirm part, {counts[1]} queries",
    )


def test_folds_measure_the_choice_but_all_queries_choose_what_is_shipped() -> None:
    (row,) = tuned(stand(jobs(), "kfold"), jobs())
    assert (row.value, row.tuned_on) == (0.9, "all 79 queries")
    assert row.measured_on == "5 folds, each by the choice of the others"


def test_what_the_verdict_ships_is_what_was_chosen_not_a_higher_one_that_is_not_settled() -> None:
    given = jobs()
    lucky = np.full(COUNT, np.nan)
    lucky[:5] = 1.0
    given[2] = replace(given[2], scores=table(list(lucky)))
    found = stand(given, "none")
    assert found.best == "k1:1.8"
    assert tuned(found, given)[0].experiment == "k1:0.9"


def test_words_and_chunk_sizes_are_rows_but_no_sentence() -> None:
    given = [
        replace(job, settings={**job.settings, "bm25.k1": 1, "chunk_size": size, "context": context})
        for job, size, context in zip(jobs(), (512, 256, 512), ("chunk", "parent", "parent"), strict=True)
    ]
    rows = tuned(stand(given, "none"), given)
    assert {row.setting: (row.value, row.tried) for row in rows} == {
        "chunk_size": (256, "256, 512"),
        "context": ("parent", "chunk, parent"),
    }
    assert tuned_note(rows) == ()


def test_a_setting_that_the_chosen_one_lacks_was_not_tuned_but_no_prefix_is_a_choice() -> None:
    given = [
        replace(job, settings={**job.settings, "bm25.k1": k1, "chunk_size": size, "prefix": prefix})
        for job, k1, size, prefix in zip(
            jobs(), (1.2, "none", 0.9), (256, 256, 512), ("title", "none", "title"), strict=True
        )
    ]
    rows = {row.setting: (row.value, row.tried) for row in tuned(stand(given, "none"), given)}
    assert rows == {"chunk_size": (256, "256, 512"), "prefix": ("none", "none, title")}
    first = stand([given[0], given[2]], "none")
    assert {row.setting: row.tried for row in tuned(first, given)}["bm25.k1"] == "0.9, 1.2"


def test_a_setting_that_goes_with_another_is_tuned_as_well() -> None:
    given = [replace(job, settings={**job.settings, "bm25.b": job.settings["bm25.k1"]}) for job in jobs()]
    assert [row.setting for row in tuned(stand(given, "none"), given)] == ["bm25.k1", "bm25.b"]


@pytest.mark.parametrize("count", [0, 1])
def test_one_experiment_alone_tunes_nothing(count: int) -> None:
    given = jobs()
    rest = [replace(job, scores=table([np.nan] * COUNT)) for job in given[count:]]
    assert tuned(stand([*given[:count], *rest], "none"), [*given[:count], *rest]) == ()
