"""Retrieval and answer: does a difference in a retrieval measure predict one in the answers, query by query?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pipeline.citations import MEASURES
from pipeline.records import ScoreTable, Standing
from pipeline.report.tables import Cell, write_csv
from pipeline.stats import StatsOptions
from pipeline.stats.association import Association, associations, best_predictor

FILE = "association.csv"
ANSWER = ("citation_faithfulness", "cited_relevance", "cited_recall", "citation_validity")  # the first that varies


def answer_links(
    tables: Mapping[str, ScoreTable], standing: Standing, seed: int, options: StatsOptions, folder: Path | None
) -> tuple[str, ...]:
    """One sentence on the best predictor, where experiments have different answers; writes all to `folder`.

    With answers of one system beside every ranking no answer differs from another, and there is nothing to predict.
    """
    ranked = {name: table for name, table in tables.items() if standing.defined[name][standing.primary]}
    measures = next(iter(ranked.values())).measures
    answer = next((name for name in ANSWER if name in measures and _varies(ranked, name)), None)
    retrieval = [name for name in measures if name not in MEASURES and _varies(ranked, name)]
    if answer is None or not retrieval:
        return ()
    found = associations(
        ranked, baseline=standing.baseline, retrieval=retrieval, answer=answer, seed=seed, options=options
    )
    if folder is not None and found:
        write_csv(folder / FILE, [_row(each) for each in found])
    return (best_predictor(found, options.level),)


def _varies(tables: Mapping[str, ScoreTable], measure: str) -> bool:
    """Whether two experiments differ on a query where both are defined."""
    rows = np.array([table.values[table.measures.index(measure)] for table in tables.values()])
    known = ~np.isnan(rows)
    highest = np.max(rows, axis=0, where=known, initial=-np.inf)
    lowest = np.min(rows, axis=0, where=known, initial=np.inf)
    return bool((highest > lowest).any())


def _row(found: Association) -> dict[str, Cell]:
    row = asdict(found)
    ends = row.pop("interval")
    return {**row, "interval_low": ends["low"], "interval_high": ends["high"]}
