"""A score table with its curves, to and from a cache entry."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from numpy.typing import NDArray

from pipeline.metrics.held import Held
from pipeline.records import Bools, Floats, ScoreTable
from pipeline.storage.arrays import load_array, load_meta, save_arrays


class Scored(NamedTuple):
    """The values of one experiment, and how its means grow with the cutoff."""

    table: ScoreTable
    curves: Mapping[str, Mapping[int, float]]  # ndcg, recall, recall_by_tokens, … -> cutoff -> mean
    facts: Mapping[str, float]  # straddle_rate, …
    held: Held  # what the contexts hold at the experiment's budget
    straddled: Bools  # (spans,): no chunk holds the span whole; empty where there are no chunks or spans


def save_scored(value: Scored, folder: Path) -> bool:
    """Writes `value` below `folder`; always True."""
    table = value.table
    meta = {
        "measures": table.measures,
        "query_ids": table.query_ids,
        "undefined": table.undefined,
        "facts": dict(value.facts),
        "curves": {word: {str(cutoff): mean for cutoff, mean in curve.items()} for word, curve in value.curves.items()},
    }
    arrays: dict[str, NDArray[Any]] = {
        "values": table.values,
        "held_documents": value.held.documents,
        "held_spans": value.held.spans,
        "straddled": value.straddled,
    }
    return save_arrays(folder, arrays, meta)


def load_scored(folder: Path) -> Scored:
    """What `save_scored` wrote."""
    meta = load_meta(folder)
    values = cast(Floats, load_array(folder, "values"))
    table = ScoreTable(tuple(meta["measures"]), tuple(meta["query_ids"]), values, meta["undefined"])
    curves = {word: {int(cutoff): mean for cutoff, mean in curve.items()} for word, curve in meta["curves"].items()}
    held = Held(load_array(folder, "held_documents"), load_array(folder, "held_spans"))
    return Scored(table, curves, meta["facts"], held, load_array(folder, "straddled"))
