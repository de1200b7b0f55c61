"""Without judgements: how alike the rankings of configurations are, and which documents to judge first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from pipeline.errors import ComparisonError
from pipeline.records import Bools, Floats, Ints, Run


class Overlap(NamedTuple):
    """Mean overlap of the first `cutoff` documents, between every two configurations."""

    names: tuple[str, ...]  # in the order given
    values: Floats  # (configurations, configurations), 1 on the diagonal; NaN where no query was answered


class Disagreement(NamedTuple):
    """A document worth judging."""

    query: int
    document: int
    weight: float  # spread of the discount 1/log2(1 + rank) over the configurations, > 0


def overlap(runs: Mapping[str, Run], cutoff: int = 10) -> Overlap:
    """|A and B| / max(|A|, |B|) of the first `cutoff` documents, averaged over queries that either one answered.

    ComparisonError if a run ranks chunks, or the runs are not over the same queries or the same foreign documents.
    """
    tops = [run.items[:, :cutoff] for run in _checked(runs)]
    values = np.ones((len(tops), len(tops)))
    for i, a in enumerate(tops):
        for j, b in enumerate(tops[:i]):
            values[i, j] = values[j, i] = _mean_overlap(a, b)
    return Overlap(tuple(runs), values)


def _mean_overlap(a: Ints, b: Ints) -> float:
    shared = ((a[:, :, None] == b[:, None, :]) & (a >= 0)[:, :, None]).sum(axis=(1, 2))
    longest = np.maximum((a >= 0).sum(axis=1), (b >= 0).sum(axis=1))
    answered = longest > 0
    return float((shared[answered] / longest[answered]).mean()) if answered.any() else np.nan


def disagreement(runs: Mapping[str, Run], cutoff: int = 10) -> tuple[Disagreement, ...]:
    """Documents of the first `cutoff` whose judgement tells configurations apart, the most informative first.

    A relevant document adds 1/log2(1 + rank) to the DCG of each configuration that found it; the weight is the standard
    deviation of that over the configurations, so documents that all rank alike are left out. With one configuration
    the weight is its own discount. Ties: by query, then document. ComparisonError as `overlap`.
    """
    tops = [run.items[:, :cutoff] for run in _checked(runs)]
    rows = [row for query in range(len(tops[0]) if tops else 0) for row in _of_query(query, tops)]
    return tuple(sorted(rows, key=lambda row: (-row.weight, row.query, row.document)))


def _of_query(query: int, tops: list[Ints]) -> Iterator[Disagreement]:
    found = [top[query][top[query] >= 0] for top in tops]
    documents = np.unique(np.concatenate(found))
    discounts = np.zeros((len(tops), documents.size))
    for row, ranked in zip(discounts, found, strict=True):
        row[np.searchsorted(documents, ranked)] = 1 / np.log2(np.arange(ranked.size) + 2)
    weights = discounts.std(axis=0).round(12) if len(tops) > 1 else discounts[0]
    told: Bools = weights > 0
    for document, weight in zip(documents[told], weights[told], strict=True):
        yield Disagreement(query, int(document), float(weight))


def _checked(runs: Mapping[str, Run]) -> list[Run]:
    first = next(iter(runs), "")
    for name, run in runs.items():
        if run.unit != "document":
            raise ComparisonError(f"{name} ranks {run.unit}s; overlap is of documents, fold the run first")
        if len(run.items) != len(runs[first].items):
            raise ComparisonError(
                f"{first} answers {len(runs[first].items)} queries and {name} {len(run.items)}; "
                "run both on the same queries"
            )
        if run.foreign and runs[first].foreign and run.foreign != runs[first].foreign:
            raise ComparisonError(
                f"{first} and {name} name documents outside the corpus differently; align the runs first"
            )
    return list(runs.values())
