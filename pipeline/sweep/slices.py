"""Parts of the queries: every measure on each of them, and whether a part contradicts the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pipeline import stats
from pipeline.datasets.origin import Origin, origin
from pipeline.records import Bools, Dataset, Floats, Qrels, ScoreTable, Standing, SweepRecord
from pipeline.report.tables import Cell
from pipeline.report.text import signed
from pipeline.stats.weights import mean_of

LABELS = 30  # of a column: the most frequent ones
SAID = 3  # contradictions that are told
LENGTHS = ((5, "to 5"), (10, "6 to 10"), (20, "11 to 20"))
RELEVANT = ((1, "1"), (5, "2 to 5"), (20, "6 to 20"))

Tables = Mapping[str, ScoreTable]
Columns = Mapping[str, tuple[str, ...]]


def columns(dataset: Dataset) -> Columns:
    """Column -> one label a query, "" = none: those of the dataset, length in words, number of relevant documents."""
    queries = dataset.queries
    words = [_bin(len(text.split()), LENGTHS) for text in queries.texts]
    relevant = [_bin(count, RELEVANT) if count else "" for count in _relevant(dataset.qrels).tolist()]
    found = {**queries.slices, "words in the query": tuple(words), "relevant documents": tuple(relevant)}
    return {name: labels for name, labels in found.items() if len(set(labels) - {""}) > 1}


def apart(slices: Columns) -> Origin | None:
    """The synthetic questions, where a column `origin` or `synthetic` says that only some are."""
    found = origin(slices)
    return None if found is None or found.synthetic.all() else found


def without(tables: Tables, left_out: Bools) -> dict[str, ScoreTable]:
    """The tables with the queries `left_out` undefined."""
    return {
        name: replace(table, values=np.where(left_out[None, :], np.nan, table.values)) for name, table in tables.items()
    }


class Counted(NamedTuple):
    """What a verdict rests on, and what must be said of the questions that it leaves out."""

    tables: Mapping[str, ScoreTable]
    said: tuple[str, ...]


def counted(scored: Tables, sweep: SweepRecord, slices: Columns) -> Counted:
    """The tables by traffic, without the synthetic questions where others have a value on the primary measure."""
    tables = weighed(scored, sweep.weights)
    machine = apart(slices)
    if machine is None or not has_values(tables, sweep.primary):
        return Counted(tables, ())
    others = without(tables, machine.synthetic)
    if has_values(others, sweep.primary):
        return Counted(others, (set_apart(tables, machine, sweep.primary),))
    return Counted(tables, (f"only synthetic questions ({machine.column}) have a value: the verdict rests on them",))


def has_values(tables: Tables, measure: str) -> bool:
    """Whether any query has a value on the measure."""
    return any(not np.isnan(_row(table, measure)).all() for table in tables.values())


def slice_rows(tables: Tables, dataset: Dataset, level: float) -> Iterator[dict[str, Cell]]:
    """A row a slice, experiment and measure: n, mean and interval (by traffic where there is any), unweighted mean."""
    parts = [("all", "", np.ones(len(dataset.queries.ids), bool))]
    for column, labels in columns(dataset).items():
        given = np.array(labels)
        kept = [label for label, _ in Counter(labels).most_common(LABELS + 1) if label][:LABELS]
        parts += [(column, label, given == label) for label in kept]
    for column, label, mask in parts:
        for name, table in tables.items():
            for measure, values in zip(table.measures, table.values, strict=True):
                yield {
                    "column": column,
                    "label": label,
                    "experiment": name,
                    "measure": measure,
                    **_cells(values, mask & ~np.isnan(values), dataset, level),
                }


def _cells(values: Floats, used: Bools, dataset: Dataset, level: float) -> dict[str, Cell]:
    weight, count = dataset.queries.weight, int(used.sum())
    cells: dict[str, Cell] = {"n": count, "mean": None, "low": None, "high": None, "unweighted_mean": None}
    if count:
        own = None if weight is None else weight[used]
        clusters = _of(dataset.queries.cluster, used)
        interval = stats.interval_of_mean(values[used], level=level, clusters=clusters, weights=own)
        cells |= {"mean": mean_of(values[used], own), "low": interval.low, "high": interval.high}
        if weight is not None:
            cells["unweighted_mean"] = mean_of(values[used], None)
    return cells


def contradictions(
    tables: Tables, dataset: Dataset, standing: Standing, options: stats.StatsOptions
) -> tuple[str, ...]:
    """Slices where the difference of the leading pair has the other sign, surely: corrected over all slices."""
    pair = leading_pair(standing)
    if pair is None:
        return ()
    treatment, baseline = pair
    difference = _row(tables[treatment], standing.primary) - _row(tables[baseline], standing.primary)
    weight = dataset.queries.weight
    whole = mean_of(difference, weight)
    parts = [
        (column, label, (np.array(labels) == label) & ~np.isnan(difference))
        for column, labels in columns(dataset).items()
        for label in sorted(set(labels) - {""})
    ]
    parts = [part for part in parts if np.count_nonzero(difference[part[2]]) >= options.minimum_differing]
    said = []
    for column, label, used in parts:
        level = 1 - options.alpha / len(parts)
        clusters, own = _of(dataset.queries.cluster, used), None if weight is None else weight[used]
        interval = stats.interval_of_mean(difference[used], level=level, clusters=clusters, weights=own)
        if (interval.high < 0 < whole) or (interval.low > 0 > whole):
            said.append(
                f"not so for {column}={label} ({int(used.sum())} queries): there {treatment} against {baseline} is"
                f" {signed(mean_of(difference[used], own))}, {signed(interval.low)} to {signed(interval.high)}"
            )
    more = () if len(said) <= SAID else (f"and {len(said) - SAID} more slices go against the whole: slices.csv",)
    return (*said[:SAID], *more)


def weighed(tables: Tables, weights: Sequence[float] | None) -> dict[str, ScoreTable]:
    """The tables with the traffic of their queries: everything that is said of them respects it."""
    given = None if weights is None else np.array(weights)
    return {name: replace(table, weights=given) for name, table in tables.items()}


def turned(standing: Standing) -> tuple[str, ...]:
    """That the leading pair stands the other way round if every query counts once."""
    pair = leading_pair(standing)
    if pair is None or not standing.unweighted:
        return ()
    by_traffic, plain = (
        means[pair[0]][standing.primary] - means[pair[1]][standing.primary]
        for means in (standing.means, standing.unweighted)
    )
    if not by_traffic * plain < 0:
        return ()
    return (
        f"traffic turns the sign: {pair[0]} against {pair[1]} is {signed(by_traffic)} {standing.primary} by traffic,"
        f" {signed(plain)} if every query counts once",
    )


def set_apart(tables: Tables, found: Origin, primary: str) -> str:
    """What must be said where synthetic questions stand beside others."""
    only = without(tables, ~found.synthetic)
    known = {name: mean_of(_row(table, primary), table.weights) for name, table in only.items()}
    means = {name: mean for name, mean in known.items() if not np.isnan(mean)}
    leads = max(means, key=lambda name: means[name]) if means else ""
    there = f"; on them {leads} leads with {means[leads]:.3f}" if leads else ""
    return (
        f"{int(found.synthetic.sum())} questions are synthetic ({found.column}) and stand apart: the verdict rests on"
        f" the {int((~found.synthetic).sum())} others{there} (slices.csv)"
    )


def leading_pair(standing: Standing) -> tuple[str, str] | None:
    """The best and the baseline; where they are one, the next best and the baseline."""
    known = [c.treatment for c in standing.comparisons if c.measure == standing.primary]
    if standing.best and standing.best != standing.baseline:
        return standing.best, standing.baseline
    return (known[0], standing.baseline) if known else None


def _row(table: ScoreTable, measure: str) -> Floats:
    values: Floats = table.values[table.measures.index(measure)]
    return values


def _of(clusters: Sequence[str] | None, used: Bools) -> list[str] | None:
    return None if clusters is None else [label for label, kept in zip(clusters, used, strict=True) if kept]


def _bin(count: int, bins: Sequence[tuple[int, str]]) -> str:
    return next((word for most, word in bins if count <= most), f"over {bins[-1][0]}")


def _relevant(qrels: Qrels) -> np.ndarray:
    rows = np.repeat(np.arange(len(qrels.indptr) - 1), np.diff(qrels.indptr))
    return np.bincount(rows[qrels.grades > 0], minlength=len(qrels.indptr) - 1)
