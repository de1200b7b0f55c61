"""Retrieval and answer: does a difference in a retrieval measure predict one in the answers, query by query?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pipeline.citations import OF_ANSWERS, of_answers
from pipeline.records import ScoreTable, Standing
from pipeline.report.tables import Cell, write_csv
from pipeline.stats import StatsOptions
from pipeline.stats.association import Association, associations, best_predictor

FILE = "association.csv"
WANTED = (
    "answer_correctness",
    "answer_support",
    "judged_support",
)  # what is asked for; each of them is told where there is any
AGAINST = ("answer_f1", "answer_exact")
CITATIONS = ("citation_faithfulness", "cited_relevance", "cited_recall", "citation_validity")

Tables = Mapping[str, ScoreTable]


def answer_links(
    tables: Tables, standing: Standing, seed: int, options: StatsOptions, folder: Path | None
) -> tuple[str, ...]:
    """A sentence on the best predictor of each answer measure asked for; writes all predictors to `folder`.

    With answers of one system beside every ranking no answer differs from another, and there is nothing to predict.
    """
    ranked = {name: table for name, table in tables.items() if standing.defined[name][standing.primary]}
    measures = next(iter(ranked.values())).measures
    asked = _asked([name for name in measures if of_answers(name) and _varies(ranked, name)])
    retrieval = [name for name in measures if not of_answers(name) and _varies(ranked, name)]
    if not asked:
        return ()
    if not retrieval:
        return (f"All rankings are the same: no retrieval measure can explain what differs in {' and '.join(asked)}.",)
    if _crossed(ranked):
        return ("Every file of answers stands beside every ranking: which ranking an answer is from is not known.",)
    found = [
        associations(ranked, baseline=standing.baseline, retrieval=retrieval, answer=name, seed=seed, options=options)
        for name in asked
    ]
    rows = [_row(each) for of_one in found for each in of_one]
    if folder is not None and rows:
        write_csv(folder / FILE, rows)
    return tuple(best_predictor(of_one, options.level) for of_one in found)


def _crossed(tables: Tables) -> bool:
    """Whether all answers stand beside all rankings, of which both differ: then no answer is that of its ranking."""
    pairs = set()
    for table in tables.values():
        answers = np.array([of_answers(name) for name in table.measures])
        pairs.add((table.values[~answers].tobytes(), table.values[answers].tobytes()))
    rankings, files = ({pair[side] for pair in pairs} for side in (0, 1))
    return len(pairs) == len(rankings) * len(files)


def _asked(varying: Sequence[str]) -> tuple[str, ...]:
    """Correctness and support where there are any, else the first of the others."""
    wanted = tuple(name for name in WANTED if name in varying)
    return wanted or tuple(name for name in _others(varying) if name in varying)[:1]


def _others(varying: Sequence[str]) -> Iterator[str]:
    """Words shared with right answers, other scores that came with the answers, citations."""
    yield from AGAINST
    yield from (name for name in varying if name.startswith(OF_ANSWERS))
    yield from CITATIONS


def _varies(tables: Tables, measure: str) -> bool:
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
