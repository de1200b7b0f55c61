"""A threshold is chosen on the questions that the sweep chooses on, and judged by those that it confirms on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pipeline.records import Queries, Run
from pipeline.stats import StatsOptions
from pipeline.stats.dealing import holdout
from pipeline.sweep.silence import threshold_facts

COUNT = 80
IDS = tuple(f"q{n:02d}" for n in range(COUNT))
ANSWERABLE = np.arange(COUNT) % 2 == 0
PRIMARY = np.where(
    ANSWERABLE, 0.5, np.nan
)  # what has no answer has no relevant document, so the sweep deals it nowhere
QUERIES = Queries(IDS, IDS, answerable=ANSWERABLE)


def ranking(scores: np.ndarray) -> Run:
    return Run("document", np.zeros((COUNT, 1), np.int32), scores[:, None])


def select(seed: int) -> np.ndarray:
    """The sweep's select part of the answerable questions, and the select part of the others by the same rule."""
    part = np.zeros(COUNT, bool)
    for kind in (ANSWERABLE, ~ANSWERABLE):
        part[kind] = holdout([IDS[n] for n in np.flatnonzero(kind)], seed=seed).select
    return part


@pytest.mark.parametrize("seed", [0, 3])
def test_with_a_holdout_the_select_part_alone_chooses_and_the_confirm_part_alone_measures(seed: int) -> None:
    part = select(seed)
    # In the select part the answerable score 9 and the others 1; in the confirm part the others score 5 to 9.
    scores = np.where(ANSWERABLE, 9.0, np.where(part, 1.0, 9.0))
    facts = threshold_facts(ranking(scores), QUERIES, PRIMARY, StatsOptions(split="holdout"), seed)
    assert facts["answer_threshold"] == 9.0
    assert (facts["answer_chosen_on"], facts["answer_measured_on"]) == (40.0, 40.0)
    assert (facts["answer_coverage"], facts["answer_error"]) == (1.0, 0.5)
    # Whatever the confirm part scores, the threshold stays.
    moved = threshold_facts(ranking(np.where(part, scores, 0.0)), QUERIES, PRIMARY, StatsOptions(split="holdout"), seed)
    assert moved["answer_threshold"] == 9.0 and moved["answer_coverage"] == 0.0


def test_a_share_and_strata_are_those_of_the_split() -> None:
    kinds = tuple("ab"[n % 4 == 0] for n in range(COUNT))
    queries = replace(QUERIES, slices={"kind": kinds})
    options = StatsOptions(split="holdout", select_share=0.25, stratify="kind")
    facts = threshold_facts(ranking(np.where(ANSWERABLE, 2.0, 1.0)), queries, PRIMARY, options, 0)
    assert (facts["answer_chosen_on"], facts["answer_measured_on"]) == (20.0, 60.0)


def test_a_cluster_is_not_torn_apart_even_where_only_some_of_it_has_a_value() -> None:
    clusters = tuple(f"c{n // 4}" for n in range(COUNT))
    queries = replace(QUERIES, cluster=clusters)
    valued = ANSWERABLE & (np.arange(COUNT) < 32)  # of c0 to c7; all others are dealt after them
    rows = np.flatnonzero(valued)
    chosen = holdout([IDS[n] for n in rows], seed=0, clusters=[clusters[n] for n in rows]).select
    kept = {clusters[n] for n, use in zip(rows, chosen, strict=True) if use}
    part = np.array([label in kept for label in clusters])
    # Where a cluster chooses, its answerable questions score 9 and the others 1. Where it measures, all score 5.
    scores = np.where(np.arange(COUNT) >= 32, 0.0, np.where(part, np.where(ANSWERABLE, 9.0, 1.0), 5.0))
    primary = np.where(valued, 0.5, np.nan)
    facts = threshold_facts(ranking(scores), queries, primary, StatsOptions(split="holdout"), 0)
    assert (facts["answer_threshold"], facts["answer_coverage"]) == (9.0, 0.0)


def test_without_a_split_one_half_by_the_seed_chooses_and_with_folds_all_do() -> None:
    half = holdout(IDS, seed=5).select
    scores = np.where(half, np.where(ANSWERABLE, 9.0, 1.0), 5.0)
    facts = threshold_facts(ranking(scores), QUERIES, PRIMARY, StatsOptions(), 5)
    assert (facts["answer_threshold"], facts["answer_coverage"]) == (9.0, 0.0)
    folded = threshold_facts(
        ranking(np.where(ANSWERABLE, 9.0, 1.0)), QUERIES, PRIMARY, StatsOptions(split="kfold"), 0
    )  # fmt: skip
    assert (folded["answer_threshold"], folded["answer_coverage"], folded["answer_error"]) == (9.0, 0.5, 0.0)
    assert (folded["answer_chosen_on"], folded["answer_measured_on"]) == (80.0, 80.0)


def test_where_all_have_an_answer_or_nobody_says_there_is_no_threshold() -> None:
    nobody = replace(QUERIES, answerable=None)
    assert threshold_facts(ranking(np.ones(COUNT)), nobody, PRIMARY, StatsOptions(), 0) == {}
