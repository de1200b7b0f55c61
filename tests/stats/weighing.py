"""Score tables and pairs whose queries have weights, for the tests."""

from __future__ import annotations

import numpy as np

from pipeline.records import ScoreTable
from pipeline.stats import StatsOptions, standing
from pipeline.stats.pairing import pair_up
from pipeline.stats.tables import on_grid

QUICK = StatsOptions(resamples=999, half_splits=20)
_RNG = np.random.default_rng(8)
QUERIES = 60
DIFFERENCES = np.where(_RNG.random(QUERIES) < 0.3, 0.0, _RNG.normal(0.05, 0.2, QUERIES))
WHOLE = _RNG.integers(1, 6, QUERIES)  # weights that a query can be repeated by
GROUPS = [f"c{number % 14}" for number in range(QUERIES)]


def tables_of(rows, weights=None) -> dict[str, ScoreTable]:
    width = len(next(iter(rows.values())))
    ids = tuple(f"q{number:04d}" for number in range(width))
    given = None if weights is None else np.asarray(weights, float)
    return {name: ScoreTable(("m",), ids, np.array([row], float), weights=given) for name, row in rows.items()}


def two(differences, weights=None) -> dict[str, ScoreTable]:
    return tables_of({"base": np.zeros(len(differences)), "new": differences}, weights)


def stand(tables, options=QUICK, clusters=None):
    return standing(tables, baseline="base", primary="m", seed=4, options=options, clusters=clusters)


def pairs_of(differences, weights, units=None):
    values = np.vstack((np.asarray(differences, float), np.zeros(len(differences))))
    heavy = np.asarray(weights, float) / np.max(weights)
    return pair_up(on_grid(values), np.array([0]), np.array([1]), units, np.round(heavy * 2**40) / 2**40)
