"""Rows for scale, on request: random order, BM25 at its defaults, and the oracle. They take part in no test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pipeline import experiment, metrics, stats
from pipeline.config import Point
from pipeline.metrics import nulls
from pipeline.metrics.days import days
from pipeline.records import Dataset, ScoreTable, TokenOffsets
from pipeline.report.tables import Cell, write_csv
from pipeline.retrieval.bm25 import Bm25
from pipeline.storage.offsets import load_offsets, save_offsets
from pipeline.storage.stage_keys import tokens_key
from pipeline.sweep import process
from pipeline.sweep.plan import for_dataset

FILE = "nulls.csv"


@dataclass(frozen=True)
class Scale:
    """What the rows are measured with: the first point of the sweep, and the cache."""

    point: Point
    cache_dir: str


def null_rows(scale: Scale, dataset: Dataset, folder: Path) -> tuple[str, ...]:
    """Writes the rows and says where the primary measure lies between them."""
    point = for_dataset(scale.point, dataset)
    tables = _tables(point, dataset, scale.cache_dir)
    write_csv(folder / FILE, list(_rows(tables, point, dataset)))
    names = [str(point.primary), *_budget(point)]
    said = []
    for name in names:
        means = {word: metrics.summary(table, name, dataset.queries.weight) for word, table in tables.items()}
        said.append(f"{name} " + ", ".join(f"{word} {mean.mean:.3f}" for word, mean in means.items() if mean.n))
    return (f"For scale: {'; '.join(said)} ({FILE}).",)


def _budget(point: Point) -> list[str]:
    """One budget measure beside the primary one: over evidence where there is any."""
    counted = [m for m in point.experiment.measures if m.counted == "tokens" and m != point.primary]
    spans = [str(m) for m in counted if "spans" in metrics.needs(m)]
    return (spans or [str(m) for m in counted])[:1]


def _tables(point: Point, dataset: Dataset, cache_dir: str) -> Mapping[str, ScoreTable]:
    spec, stages = point.experiment, process.stages(cache_dir)
    words = replace(spec, retriever=Bm25(), decay=None, probes=0)
    bm25 = experiment.run(
        words, dataset, stages=stages, reporter=process.reporter(), clock=process.SystemClock()
    ).scores
    tokens = stages.get(
        tokens_key(spec.budget_tokenizer, dataset.digests),
        lambda: spec.budget_tokenizer.offsets(dataset.corpus.texts),
        save_offsets,
        load_offsets,
    )
    lengths = np.array([len(text) for text in dataset.corpus.texts], np.int32)
    rng = np.random.default_rng([spec.seed, 0x0A11])
    chance = nulls.chance(lengths, len(dataset.queries.ids), spec.depth, rng)
    best = nulls.oracle(lengths, dataset.qrels, dataset.spans)
    return {
        "random": _scored(chance, point, dataset, tokens),
        "bm25": bm25,
        "oracle": _scored(best, point, dataset, tokens),
    }


def _scored(null: nulls.Null, point: Point, dataset: Dataset, tokens: TokenOffsets) -> ScoreTable:
    case = metrics.Case(
        query_ids=dataset.queries.ids,
        documents=null.documents,
        qrels=dataset.qrels,
        context=null.context,
        tokens=tokens,
        spans=dataset.spans,
        dates=dataset.corpus.dates,
        as_of=days(point.experiment.as_of, dataset.queries),
    )
    return metrics.evaluate(point.experiment.measures, case, point.experiment.options)


def _rows(tables: Mapping[str, ScoreTable], point: Point, dataset: Dataset) -> Iterator[dict[str, Cell]]:
    for word, table in tables.items():
        for measure, values in zip(table.measures, table.values, strict=True):
            used = ~np.isnan(values)
            row: dict[str, Cell] = {"experiment": word, "measure": measure, "n": int(used.sum())}
            row |= {"mean": None, "low": None, "high": None, "unweighted_mean": None}
            if used.any():
                weight = dataset.queries.weight
                interval = stats.interval_of_mean(
                    values, level=point.stats.level, clusters=dataset.queries.cluster, weights=weight
                )
                mean = metrics.summary(table, measure, weight).mean
                row |= {"mean": mean, "low": interval.low, "high": interval.high}
                if weight is not None:
                    row["unweighted_mean"] = metrics.summary(table, measure).mean
            yield row
