"""A sweep without judgements is no dead end: how far the configurations agree, and what to judge first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pipeline import stats
from pipeline.datasets.judge_sheet import JudgeRow, write_judge_sheet
from pipeline.records import Dataset, JobRecord, Run, SweepRecord
from pipeline.storage.job_files import RUN, read_chunks
from pipeline.storage.sweep_files import from_here
from pipeline.storage.trec_files import read_run

CUTOFF = 10  # documents looked at
SHEET = "judge.csv"
ROWS = 300  # an afternoon of judging; the most informative ones


def compare_without_judgements(
    sweep: SweepRecord, folder: Path, dataset: Dataset | None
) -> tuple[SweepRecord, tuple[str, ...]]:
    """The sweep with each job's overlap with the baseline, and what to say; writes `judge.csv` if texts are at hand."""
    rankings = {job.name: read_run(Path(job.folder) / RUN) for job in sweep.jobs if job.state == "done"}
    if not rankings:
        return sweep, ("No job ended with a result: nothing to compare.",)
    queries = sorted({query for ranking in rankings.values() for query in ranking})
    documents = sorted({doc for ranking in rankings.values() for hits in ranking.values() for doc, _ in hits})
    runs = _runs(rankings, queries, documents)
    shared = stats.overlap(runs, CUTOFF)
    baseline = sweep.baseline if sweep.baseline in runs else next(iter(runs))
    column = shared.names.index(baseline)
    overlaps = {name: float(value) for name, value in zip(shared.names, shared.values[:, column], strict=True)}
    jobs = tuple(
        replace(job, facts={**job.facts, "overlap_at_10": overlaps[job.name]}) if job.name in overlaps else job
        for job in sweep.jobs
    )
    said = [
        f"No judgements yet, so nothing can be ranked; overlap is that of the first {CUTOFF} documents with {baseline}."
    ]
    if dataset is not None and not stats.disagreement(runs, CUTOFF):
        said.append(f"All agree on the first {CUTOFF} documents of every question: no judgement would tell them apart.")
    elif dataset is not None:
        rows = list(_sheet(runs, queries, documents, dataset, best_chunks(sweep.jobs)))
        write_judge_sheet(folder / SHEET, rows)
        said.append(
            f"{SHEET} holds the {len(rows)} documents on which the configurations differ most: fill in the column"
            f" grade (0 = not relevant, 1, 2, 3) and pass it back: dataset.qrels={from_here(folder / SHEET)}"
        )
    return replace(sweep, jobs=jobs), tuple(said)


def _runs(
    rankings: Mapping[str, Mapping[str, Sequence[tuple[str, float]]]], queries: Sequence[str], documents: Sequence[str]
) -> dict[str, Run]:
    place = {name: position for position, name in enumerate(documents)}
    runs = {}
    for name, ranking in rankings.items():
        items = np.full((len(queries), CUTOFF), -1, dtype=np.int32)
        for row, query in enumerate(queries):
            for rank, (doc, _) in enumerate(ranking.get(query, [])[:CUTOFF]):
                items[row, rank] = place[doc]
        runs[name] = Run("document", items, np.where(items >= 0, 0.0, np.nan))
    return runs


def best_chunks(jobs: Iterable[JobRecord]) -> dict[tuple[str, str], tuple[int, int]]:
    """(query, document) -> the best chunk that any of the jobs retrieved there: what to show the judge."""
    places: dict[tuple[str, str], tuple[int, int]] = {}
    for job in jobs:
        if job.state == "done":
            for query, hits in read_chunks(Path(job.folder)).items():
                for doc, start, end, _ in hits:
                    places.setdefault((query, doc), (start, end))
    return places


def _sheet(
    runs: Mapping[str, Run],
    queries: Sequence[str],
    documents: Sequence[str],
    dataset: Dataset,
    places: Mapping[tuple[str, str], tuple[int, int]],
) -> Iterator[JudgeRow]:
    question = dict(zip(dataset.queries.ids, dataset.queries.texts, strict=True))
    position = {name: number for number, name in enumerate(dataset.corpus.ids)}
    for entry in stats.disagreement(runs, CUTOFF)[:ROWS]:
        query, doc = queries[entry.query], documents[entry.document]
        where = position.get(doc)
        start, end = places.get((query, doc), (0, None))
        yield JudgeRow(
            query_id=query,
            question=question[query],
            doc_id=doc,
            title="" if where is None else dataset.corpus.titles[where],
            excerpt="" if where is None else dataset.corpus.texts[where][start:end],
            found_by=" ".join(name for name, run in runs.items() if entry.document in run.items[entry.query]),
        )
