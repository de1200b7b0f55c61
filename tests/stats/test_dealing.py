"""Splits and folds: sizes, strata, whole clusters, and independence of the order of queries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.stats.dealing import folds, holdout

IDS = [f"q{i:03d}" for i in range(100)]


def test_half_of_every_stratum_is_selected():
    strata = ["rare" if i % 10 == 0 else "common" for i in range(100)]
    split = holdout(IDS, seed=4, strata=strata)
    assert Counter(np.array(strata)[split.select]) == {"rare": 5, "common": 45}
    assert (split.select ^ split.confirm).all()


@settings(deadline=None)
@given(st.integers(0, 50), st.lists(st.integers(0, 12), min_size=4, max_size=60))
def test_clusters_stay_whole(seed, labels):
    clusters = [f"c{label}" for label in labels]
    split = holdout([f"q{i}" for i in range(len(labels))], seed=seed, clusters=clusters)
    for label in set(clusters):
        sides = {bool(side) for side, name in zip(split.select, clusters, strict=True) if name == label}
        assert len(sides) == 1


@pytest.mark.parametrize("seed", range(8))
def test_one_large_cluster_is_balanced_by_small_ones(seed):
    clusters = ["large"] * 40 + [f"c{i:02d}" for i in range(40)]
    assert holdout(IDS[:80], seed=seed, clusters=clusters).select.sum() == 40


def test_split_belongs_to_the_ids_not_to_their_order():
    there = holdout(IDS, seed=9)
    back = holdout(IDS[::-1], seed=9)
    assert there.select.tolist() == back.select[::-1].tolist()
    assert there.select.tolist() != holdout(IDS, seed=10).select.tolist()


def test_folds_are_equally_large():
    assert sorted(Counter(folds(IDS, seed=1, k=7).tolist()).values()) == [14, 14, 14, 14, 14, 15, 15]


def test_more_folds_than_clusters_are_refused():
    with pytest.raises(SettingError, match="between 2 and 3"):
        folds(IDS[:6], seed=0, k=4, clusters=list("aabbcc"))
