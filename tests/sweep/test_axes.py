"""What counts as an axis of a sweep, and the two lines on what moves and what does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline import stats
from pipeline.records import Contrast, Interval, JobRecord, SweepRecord
from pipeline.stats.words import WIDTH
from pipeline.sweep.axes import axes_note, axis_settings, bound_note, explained
from tests.sweep.small import table

OPTIONS = stats.StatsOptions(resamples=999, half_splits=0)


def job(number: int, values: list[float] | None = None, **settings) -> JobRecord:
    full = {"retriever": "bm25", "embedding": "none", "chunk_size": 256, **settings}
    name = "-".join(str(full[key]) for key in ("retriever", "embedding", "chunk_size"))
    scores = None if values is None else table(values)
    return JobRecord(number, name, "done", "", None, str(number), full, (), {}, scores, "")


def sweep(jobs: list[JobRecord]) -> SweepRecord:
    return SweepRecord(
        "a1f3", "", "", "", {"digest": "d"}, (), jobs[0].name, "nDCG@10", ("nDCG@10",), tuple(jobs), 0, 0
    )


def test_a_setting_that_follows_from_an_earlier_axis_is_no_axis_of_its_own() -> None:
    jobs = [
        job(n, embedding=model, chunk_size=size, chunk_overlap=size // 4, **{"embedding.limit": len(model)})
        for n, (model, size) in enumerate([("mini", 256), ("mini", 512), ("mpnet_", 256), ("mpnet_", 512)])
    ]
    found = axis_settings(jobs)
    assert set(found.levels[jobs[0].name]) == {"embedding", "chunk_size"}
    assert found.bound == {"chunk_overlap": "chunk_size"}, "the limit is the model's own, and no choice"


def test_a_setting_with_no_part_in_an_experiment_is_no_level_but_no_prefix_is_one() -> None:
    jobs = [job(0, prefix="none"), job(1, retriever="dense", embedding="m", prefix="title")]
    jobs += [job(2, retriever="dense", embedding="n", prefix="none")]
    jobs += [job(3, retriever="dense", embedding="n", chunk_size=512, prefix="title")]
    found = axis_settings(jobs).levels
    assert found[jobs[0].name] == {"retriever": "bm25", "embedding": None, "chunk_size": 256, "prefix": "none"}


def test_a_seed_is_no_axis() -> None:
    assert axis_settings([job(0, seed=0), replace(job(1, seed=1), name="other")]).levels["other"] == {}


def grid(effect: float, spread: float = 0.01) -> SweepRecord:
    """bm25 and hybrid at 256 and 512 on 60 queries: hybrid gains `effect`, sizes differ by noise alone."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.6, 60)
    return sweep(
        [
            job(
                n,
                list(base + (effect if kind == "hybrid" else 0) + rng.normal(0, spread, 60)),
                retriever=kind,
                chunk_size=size,
            )
            for n, (kind, size) in enumerate([("bm25", 256), ("bm25", 512), ("hybrid", 256), ("hybrid", 512)])
        ]
    )


def explain(given: SweepRecord) -> stats.standing:
    tables = {each.name: each.scores for each in given.jobs}
    found = stats.standing(tables, baseline=given.baseline, primary=given.primary, seed=0, options=OPTIONS)
    return explained(found, given, tables, OPTIONS, None)


def test_what_moves_and_what_does_not_is_said_in_two_lines() -> None:
    found = explain(grid(0.25))
    (said,) = found.notes
    retriever, size = found.contrasts
    assert retriever.difference == pytest.approx(-0.25, abs=0.01)
    moved = f"{abs(retriever.difference):.3f}"
    assert said == (
        f"retriever moves nDCG@10 by {moved} (bm25 to hybrid); chunk size does not matter within ±0.02 (axes.csv)."
    )
    assert (retriever.verdict, size.verdict) == ("matters", "does not matter")
    assert size.simultaneous is not None and -0.02 < size.simultaneous.low < size.simultaneous.high < 0.02
    assert sum(share.share for share in found.shares) == pytest.approx(1)
    assert max(found.shares, key=lambda share: share.share).source == "retriever"
    assert said in " ".join(stats.verdict(found))


def test_a_wide_interval_is_no_proof_that_an_axis_does_not_matter() -> None:
    (said,) = explain(grid(0.25, spread=0.2)).notes
    assert "does not matter" not in said and "cannot tell for chunk size" in said


def test_a_sweep_over_one_axis_has_no_table_of_axes() -> None:
    given = grid(0.25)
    found = explain(sweep([each for each in given.jobs if each.settings["chunk_size"] == 256]))
    assert found.contrasts == () and found.notes == ()


def test_a_setting_that_goes_with_an_axis_is_named_even_where_there_is_one_axis_alone() -> None:
    given = grid(0.25)
    jobs = [replace(each, settings={**each.settings, "chunk_overlap": 0.1}) for each in given.jobs]
    assert explain(sweep(jobs)).notes == explain(given).notes, "what never varies goes with nothing"
    bound = [replace(each, settings={**each.settings, "chunk_overlap": each.settings["chunk_size"]}) for each in jobs]
    said = "chunk overlap goes with chunk size and is not told apart from it."
    assert explain(sweep(bound)).notes[0] == said
    one = [each for each in bound if each.settings["retriever"] == "bm25"]
    assert explain(sweep(one)).notes == (said,)
    diagonal = explain(sweep([given.jobs[0], given.jobs[3]]))
    assert diagonal.notes == ("chunk size goes with retriever and is not told apart from it.",)
    assert said in " ".join(stats.verdict(explain(sweep(bound))))


def test_many_settings_that_go_with_one_are_counted() -> None:
    bound = dict.fromkeys(["a", "b", "c", "d"], "chunk_size")
    assert bound_note(bound) == ("a, b and 2 more go with chunk size and are not told apart from it.",)


def test_an_axis_that_never_changes_alone_is_named() -> None:
    # retriever and size differ by turns, the prefix only together with one of them: it follows from neither alone
    rng = np.random.default_rng(0)
    cases = [("bm25", 256, "none"), ("bm25", 512, "title"), ("hybrid", 256, "title"), ("hybrid", 512, "none")]
    jobs = [
        job(n, list(rng.random(60)), retriever=kind, chunk_size=size, prefix=prefix)
        for n, (kind, size, prefix) in enumerate(cases)
    ]
    found = explain(sweep(jobs))
    assert found.contrasts == ()
    assert found.notes == ("No two experiments differ in retriever, chunk size and prefix alone: not told apart.",)


def test_few_queries_settle_no_axis() -> None:
    rows = {256: [0.1] * 10, 512: [0.9] * 10}
    jobs = [
        job(n, rows[size], retriever=kind, chunk_size=size)
        for n, (kind, size) in enumerate([("bm25", 256), ("bm25", 512), ("hybrid", 256), ("hybrid", 512)])
    ]
    found = explain(sweep(jobs))
    # Ten of ten queries say the same (p = 0.002), but below 15 there is no verdict; both retrievers are the same.
    assert [(c.axis, c.verdict) for c in found.contrasts] == [("retriever", "identical"), ("chunk_size", "cannot tell")]
    # "retriever does not matter within ±0.02" was once said of ten queries.
    assert found.notes == ("retriever changes no value here; cannot tell for chunk size (axes.csv).",)


def test_the_note_never_takes_more_than_two_lines() -> None:
    rows = [
        Contrast(f"a_rather_long_axis_{n}", "one", "another", 1, 0.5, Interval(0, 1), None, 0.01, "matters")
        for n in range(6)
    ]
    (said,) = axes_note(rows, "nDCG@10", 0.02)
    assert len(said) <= 2 * WIDTH and said.endswith("(axes.csv).")


def test_answers_are_no_axis_of_a_measure_of_rankings() -> None:
    # "answers does not matter" was once said where answers cannot matter at all.
    rng = np.random.default_rng(3)
    values = {"bm25": list(rng.random(40)), "hybrid": list(rng.random(40))}
    jobs = [
        replace(job(n, values[kind], retriever=kind, answers=answers), name=f"{kind}-{answers}")
        for n, (kind, answers) in enumerate([("bm25", "a"), ("bm25", "b"), ("hybrid", "a"), ("hybrid", "b")])
    ]
    assert explain(sweep(jobs)).contrasts == ()
    measure = "answer_correctness"
    scored = [replace(one, scores=replace(one.scores, measures=(measure,))) for one in jobs]
    record = replace(sweep(scored), primary=measure, measures=(measure,))
    assert {contrast.axis for contrast in explain(record).contrasts} == {"retriever", "answers"}
