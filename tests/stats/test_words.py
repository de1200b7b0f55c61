"""The verdict in words: what to ship, what cannot be settled, and honest answers where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.records import ScoreTable, Standing
from pipeline.stats import StatsOptions, standing, verdict

QUERIES = 212
SETTINGS = {
    "hybrid-512": {"retriever": "hybrid", "chunk_size": 512},
    "hybrid-256": {"retriever": "hybrid", "chunk_size": 256},
    "bm25-512": {"retriever": "bm25", "chunk_size": 512},
}
FAST = StatsOptions(resamples=999, half_splits=0)


def spread(mean: float, deviation: float, seed: int) -> np.ndarray:
    """Values of exactly this mean and standard deviation."""
    draw = np.random.default_rng(seed).normal(size=QUERIES)
    return mean + deviation * (draw - draw.mean()) / draw.std(ddof=1)


def stand(baseline="bm25-512", options=FAST, clusters=None, **rows) -> Standing:
    tables = {
        name.replace("_", "-"): ScoreTable(
            ("nDCG@10",), tuple(f"q{i:03d}" for i in range(len(row))), np.asarray(row, float)[None]
        )
        for name, row in rows.items()
    }
    return standing(tables, baseline=baseline, primary="nDCG@10", seed=1, options=options, clusters=clusters)


def said(found: Standing, **more) -> str:
    lines = verdict(found, **more)
    assert all(len(line) <= 69 for line in lines)
    return " ".join(lines)


def test_a_settled_gain_is_shipped_and_an_open_question_says_how_many_queries_would_settle_it():
    base = spread(0.5, 0.2, 0)
    found = stand(bm25_512=base, hybrid_512=base + spread(0.088, 0.2, 1), hybrid_256=base + spread(0.060, 0.2, 2))
    text = said(found, settings=SETTINGS)
    assert text.startswith("Ship hybrid-512 over bm25-512: +0.088 nDCG@10 observed.")
    assert "512 or 256 tokens? These 212 queries cannot settle it: ~" in text


def test_a_retriever_is_named_by_its_word_alone_where_that_is_clear():
    base = spread(0.5, 0.2, 0)
    found = stand(bm25_512=base, hybrid_512=base + spread(0.088, 0.2, 1))
    settings = {name: SETTINGS[name] for name in ("bm25-512", "hybrid-512")}
    assert said(found, settings=settings) == "Ship hybrid over bm25: +0.088 nDCG@10 observed."


def test_the_expected_gain_stands_beside_the_observed_one():
    base = spread(0.5, 0.2, 0)
    found = stand(options=StatsOptions(resamples=999), bm25_512=base, hybrid_512=base + spread(0.088, 0.1, 1))
    # the difference is so clear that every half chooses hybrid: its gain on the other half is 0.088 on average
    assert (
        said(found)
        == "Ship hybrid-512 over bm25-512: +0.088 nDCG@10 observed, about +0.09 expected after choosing the best of 2."
    )


def test_a_gain_is_only_expected_of_the_best_of_all_that_were_tried():
    base = spread(0.5, 0.2, 0)
    rows = {f"t_{i}": base + spread(0.0, 0.1, i + 3) for i in range(3)}
    found = stand(options=StatsOptions(resamples=999), bm25_512=base, hybrid_512=base + spread(0.088, 0.1, 1), **rows)
    assert "best of 5." in said(found)
    lucky = replace(found, best="lucky", means={**found.means, "lucky": found.means["hybrid-512"]})
    assert said(lucky).startswith("Ship hybrid-512 over bm25-512: +0.088 nDCG@10 observed. lucky scored higher")
    # a gain below half of a hundredth has no sign
    assert "about +0.00 expected" in said(replace(found, expected_gain_mean=-0.004))


def test_where_hybrid_does_not_win_over_bm25_it_is_said():
    base = spread(0.744, 0.2, 0)
    found = stand(bm25_512=base, hybrid_512=base + spread(-0.006, 0.2, 1))
    text = said(found, settings={name: SETTINGS[name] for name in ("bm25-512", "hybrid-512")})
    assert text.startswith(
        "Keep bm25-512: nothing beats it on this data. hybrid does not win over bm25: -0.006 nDCG@10."
    )


def test_a_gain_that_counts_only_alone_is_not_shipped():
    # p about 0.03 for the best of 12 treatments: not among twelve
    base = spread(0.5, 0.2, 0)
    rows = {f"t_{i:02d}": base + spread(0.001 * i, 0.2, i + 3) for i in range(11)}
    found = stand(bm25_512=base, hybrid_512=base + spread(0.030, 0.2, 1), **rows)
    text = said(found)
    assert text.startswith("Nothing is shown to beat the baseline bm25-512.")
    assert "Tried alone it would count (p = 0.0" in text


def test_a_baseline_beaten_among_treatments_but_not_among_all_pairs_is_said_to_be_still_possible():
    base = spread(0.5, 0.2, 0)
    rows = {f"t_{i:02d}": base + spread(0.0, 0.2, i + 3) for i in range(6)}
    # t = 2.76: corrected for 7 treatments p is about .03, for 28 pairs about .1
    found = stand(bm25_512=base, hybrid_512=base + spread(0.038, 0.2, 1), **rows)
    assert found.comparisons[0].verdict == "better"
    assert "bm25-512" in found.may_be_best
    assert said(found).startswith(
        "Ship hybrid-512 over bm25-512: +0.038 nDCG@10 observed. Corrected for all pairs, bm25-512 is not ruled out as"
        " the best."
    )


def test_others_are_said_to_be_as_good_as_whom():
    # "4 others may be as good" stood behind another name than that of the best, and listed what was to be shipped.
    base = spread(0.5, 0.2, 0)
    rows = {f"t_{i}": base + spread(0.080, 0.3, i + 3) for i in range(3)}
    found = stand(bm25_512=base, hybrid_512=base + spread(0.088, 0.2, 1), **rows)
    assert "3 others may be as good as hybrid-512: t-" in said(found)


def test_a_baseline_that_is_spoken_of_is_not_asked_about_again():
    # hybrid is settled against bm25 among 2 treatments (p .044), not among 3 pairs (p .058)
    base = spread(0.5, 0.2, 0)
    found = stand(bm25_512=base, hybrid_512=base + spread(0.031, 0.2, 1), t_1=base + spread(0.029, 0.2, 3))
    assert set(found.may_be_best) == {"hybrid-512", "t-1", "bm25-512"}
    text = said(found)
    assert "hybrid-512 or t-1? These 212 queries cannot settle it, nor would 20 times as many." in text
    assert "or bm25-512?" not in text


def test_too_few_differing_queries_are_said_to_be_too_few():
    base = np.full(QUERIES, 0.5)
    found = stand(bm25_512=base, hybrid_512=base + np.where(np.arange(QUERIES) < 9, 0.5, 0.0))
    assert "too few queries differ to tell (9 of 212)" in said(found)


def test_a_best_that_loses_on_the_shared_queries_is_not_called_undecided():
    base = np.r_[np.full(30, 0.9), np.full(60, 0.2)]
    easy = np.where(np.arange(90) < 30, base, np.nan)
    found = stand(baseline="bm25-512", bm25_512=base - 0.1, easy=easy, hard=base + 0.05)
    assert "easy or hard? On the 30 queries where both are defined hard is better." in said(found)


def test_one_experiment_has_nothing_to_be_compared_with():
    assert said(stand(bm25_512=spread(0.5, 0.2, 0))) == "Only bm25-512 was run: nothing to compare it with."


def test_without_judgements_there_is_no_verdict():
    nothing = np.full(20, np.nan)
    found = stand(bm25_512=nothing, hybrid_512=nothing)
    assert (found.best, found.may_be_best, found.comparisons) == ("", (), ())
    assert said(found) == "No verdict: nDCG@10 is defined for no query. Judge some documents first."


def test_identical_configurations_are_said_to_be_identical():
    base = spread(0.5, 0.2, 0)
    assert said(stand(bm25_512=base, hybrid_512=base)).startswith("All 2 configurations have the same nDCG@10")


def test_equivalence_within_the_margin_says_to_take_the_cheaper():
    base = spread(0.5, 0.2, 0)
    found = stand(bm25_512=base, hybrid_512=base + spread(0.002, 0.05, 1))
    assert "equivalent, take the cheaper" in said(found)


def test_few_clusters_speak_for_their_documents_only():
    base = spread(0.5, 0.2, 0)
    found = stand(bm25_512=base, hybrid_512=base + spread(0.1, 0.1, 1), clusters=[f"c{i % 5}" for i in range(QUERIES)])
    assert "for these documents only: too few clusters" in said(found)


@pytest.mark.parametrize("queries", [1, 2])
def test_one_or_two_queries_get_a_stated_answer_without_nan(queries):
    found = stand(bm25_512=[0.0] * queries, hybrid_512=[1.0] * queries)
    assert "nan" not in repr(found).lower()
    (c,) = found.comparisons
    assert c.p > 0
    assert "too few queries differ" in said(found)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 7), st.integers(1, 60))
def test_whatever_the_sweep_there_is_a_verdict_of_short_lines_without_nan(seed, count, queries):
    rng = np.random.default_rng(seed)
    rows = {f"e_{i}": rng.integers(0, 3, queries) / 2 for i in range(count)}
    found = stand(baseline="e-0", options=StatsOptions(resamples=199, half_splits=5), **rows)
    assert said(found, cautions=["minilm reads 254 tokens: at 512 half of each chunk is unread, and that is much."])
    assert "nan" not in repr(found).lower()
    assert found.best in found.may_be_best
    assert all(0 < c.p <= 1 for c in found.comparisons)
