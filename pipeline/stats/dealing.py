"""Queries dealt into parts: holdout halves and folds, stratified, cluster-safe, and seeded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.errors import SettingError
from pipeline.records import Bools, Floats, Longs


@dataclass(frozen=True, eq=False)
class Split:
    """One part to choose on, the other to confirm on; together they are all queries."""

    select: Bools  # (queries,)
    confirm: Bools
    seed: int
    clusters: tuple[str, ...] | None = None
    uses: int = 0  # how often the confirm part has served before


def holdout(
    query_ids: Sequence[str],
    *,
    seed: int,
    share: float = 0.5,
    strata: Sequence[str] | None = None,
    clusters: Sequence[str] | None = None,
) -> Split:
    """About `share` of the queries (of every stratum) to select on, the rest to confirm on; clusters stay whole."""
    if not 0 < share < 1:
        raise SettingError(f"the share of queries to select on must lie between 0 and 1, ends excluded; got {share}")
    part = _deal(query_ids, np.array((share, 1 - share)), seed, strata, clusters)
    return Split(part == 0, part == 1, seed, None if clusters is None else tuple(clusters))


def folds(
    query_ids: Sequence[str],
    *,
    seed: int,
    k: int = 5,
    strata: Sequence[str] | None = None,
    clusters: Sequence[str] | None = None,
) -> Longs:
    """Fold 0 … k-1 of every query, of nearly equal size (in every stratum); clusters stay whole."""
    units = len(set(clusters)) if clusters is not None else len(query_ids)
    if not 2 <= k <= units:
        raise SettingError(f"the number of folds must lie between 2 and {units} (queries or clusters); got {k}")
    return _deal(query_ids, np.full(k, 1 / k), seed, strata, clusters)


def _deal(
    query_ids: Sequence[str],
    shares: Floats,
    seed: int,
    strata: Sequence[str] | None,
    clusters: Sequence[str] | None,
) -> Longs:
    """Part of every query. Depends on ids, labels and seed, not on the order of the queries."""
    units: dict[str, list[int]] = {}
    for position in sorted(range(len(query_ids)), key=lambda i: query_ids[i]):
        units.setdefault(query_ids[position] if clusters is None else clusters[position], []).append(position)
    by_stratum: dict[str, list[list[int]]] = {}
    for label in sorted(units):
        by_stratum.setdefault(_stratum(units[label], strata), []).append(units[label])
    rng = np.random.default_rng(seed)
    parts = np.zeros(len(query_ids), np.int64)
    owed = np.zeros(shares.size)  # queries that each part still lacks; rounding is carried to the next stratum
    for stratum in sorted(by_stratum):
        members = by_stratum[stratum]
        owed += shares * sum(len(unit) for unit in members)
        shuffled = rng.permutation(len(members)).tolist()
        for place in sorted(shuffled, key=lambda i: -len(members[i])):  # large ones first: small ones even out
            first = rng.permutation(shares.size)  # ties between parts fall by chance
            part = int(first[np.argmax(owed[first].round(9))])
            parts[members[place]] = part
            owed[part] -= len(members[place])
    return parts


def _stratum(unit: Sequence[int], strata: Sequence[str] | None) -> str:
    """The label most of the unit's queries have; of equally frequent ones the lowest."""
    if strata is None:
        return ""
    counted = Counter(strata[position] for position in unit)
    return min(counted, key=lambda label: (-counted[label], label))
