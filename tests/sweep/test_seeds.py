"""Several seeds of one experiment are one experiment with as many queries as before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline.sweep.seeds import averaged
from tests.sweep.test_axes import job, sweep


def seeded(number: int, values: list[float], seed: int, **settings):
    made = job(number, values, seed=seed, **settings)
    return replace(made, name=f"{made.name}-seed:{seed}")


def test_seeds_are_averaged_within_a_query_and_add_no_queries() -> None:
    given = sweep(
        [
            seeded(0, [0.2, 0.4], 0),
            seeded(1, [0.4, 0.8], 1),
            seeded(2, [0.0, 1.0], 0, retriever="dense"),
            seeded(3, [1.0, np.nan], 1, retriever="dense"),
        ]
    )
    found, notes = averaged(given)
    first, second, third, fourth = found.jobs
    assert first.name == "bm25-none-256" and third.name == "dense-none-256"
    assert first.scores.values[0] == pytest.approx([0.3, 0.6])
    # A query undefined for one seed is undefined: the mean over the others would compare different things.
    assert third.scores.values[0] == pytest.approx([0.5, np.nan], nan_ok=True)
    assert [(job.state, job.same_as) for job in (second, fourth)] == [("twin", 0), ("twin", 2)]
    assert found.baseline == first.name
    assert notes == (
        "2 experiments ran with 2 seeds each: their values are means over seeds, query by query; seeds add no queries.",
    )


def test_where_no_value_depends_on_the_seed_the_note_says_so_instead_of_speaking_of_means() -> None:
    # bm25 twice with other seeds read "1 experiments ran with 2 seeds each: their values are means over seeds"
    found, notes = averaged(sweep([seeded(0, [0.2, np.nan], 0), seeded(1, [0.2, np.nan], 1)]))
    assert notes == ("1 experiment ran with 2 seeds, and no value depends on the seed; seeds add no queries.",)
    assert [job.state for job in found.jobs] == ["done", "twin"]


def test_experiments_that_differ_in_more_than_a_seed_stay_apart() -> None:
    given = sweep([seeded(0, [0.2], 0), seeded(1, [0.4], 1, chunk_size=512), job(2, [0.1], retriever="dense")])
    assert averaged(given) == (given, ())


def test_jobs_with_the_same_seed_that_are_not_twins_differ_in_something_unseen_and_stay_apart() -> None:
    given = sweep([seeded(0, [0.2], 0), replace(seeded(1, [0.4], 0), name="other")])
    assert averaged(given) == (given, ())


def test_a_failed_seed_leaves_the_others() -> None:
    failed = replace(seeded(2, [0.0], 2), state="failed", scores=None)
    found, notes = averaged(sweep([seeded(0, [0.2], 0), seeded(1, [0.4], 1), failed]))
    assert found.jobs[0].scores.values[0] == pytest.approx([0.3])
    assert found.jobs[2] is failed and "2 seeds" in notes[0]


def test_a_seed_that_begins_like_another_leaves_no_digit_in_the_name() -> None:
    # "-seed:1" was also cut out of "-seed:10", which left a 0
    made = [
        replace(job(number, [0.1 * number], seed=1, **{"embedding.seed": ten}), name=f"a-seed:1-seed:{ten}")
        for number, ten in ((0, 10), (1, 11))
    ]
    found, _ = averaged(sweep(made))
    assert found.jobs[0].name == "a"
