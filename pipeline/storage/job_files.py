"""One job's folder: written when the job ends, read by everything that compares, shows or mirrors it.

state.json               planned | running | done | failed | killed | twin, and why
manifest.json            settings, overrides, key, stage keys, facts, versions, seed, curves
scores.csv               a row a query, a column a measure; empty = undefined; an id that a spreadsheet would run as a
                         formula has an apostrophe before it
scores_summary.csv       a row a measure: mean, unweighted mean (empty without weights), median, percentiles, how many
                         queries it is over
run.trec.gz              the document ranking
chunks.jsonl.gz          a row a query: the retrieved chunks as places in documents, best first
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from pipeline import metrics
from pipeline.errors import DataError
from pipeline.records import Dataset, Floats, JobRecord, Retrieved, Run, Scalar, ScoreTable, State
from pipeline.storage.entries import write_json, write_text
from pipeline.storage.trec_files import GZIP_LEVEL, read_run, write_run

STATE, MANIFEST, SCORES, SUMMARY = "state.json", "manifest.json", "scores.csv", "scores_summary.csv"
RUN, CHUNKS = "run.trec.gz", "chunks.jsonl.gz"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)


@dataclass(frozen=True)
class JobState:
    """Where a job stands."""

    state: State
    reason: str = ""
    same_as: int | None = None
    seconds: float = 0.0


def write_state(folder: Path, state: JobState) -> None:
    """Replaces the state file in one step."""
    write_json(folder / STATE, {**state.__dict__})


def read_state(folder: Path) -> JobState:
    """The state; `planned` where no job has started."""
    if not (folder / STATE).is_file():
        return JobState("planned")
    return JobState(**_json(folder / STATE))


def write_result(
    folder: Path, manifest: Mapping[str, Any], scores: ScoreTable, retrieved: Retrieved, dataset: Dataset
) -> None:
    """Writes everything a finished job leaves, except its state: that comes last, by the caller."""
    write_scores(folder / SCORES, scores)
    _write_summary(folder / SUMMARY, scores, dataset.queries.weight)
    write_run(folder / RUN, _ranking(retrieved.documents, dataset))
    _write_chunks(folder / CHUNKS, retrieved, dataset)
    write_json(folder / MANIFEST, {**manifest, "undefined": scores.undefined})


def read_job(folder: Path, number: int, planned: Mapping[str, Any]) -> JobRecord:
    """The job in `folder`; `planned` is its entry in the sweep's plan."""
    state = read_state(folder)
    manifest = _json(folder / MANIFEST) if state.state == "done" else {}
    return JobRecord(
        number=number,
        name=str(planned["name"]),
        state=state.state,
        reason=state.reason,
        same_as=planned.get("same_as"),
        key=str(planned["key"]),
        settings=cast("Mapping[str, Scalar]", planned["settings"]),
        overrides=tuple(planned["overrides"]),
        facts={**manifest.get("facts", {}), "seconds": state.seconds},
        scores=read_scores(folder / SCORES, manifest.get("undefined", {})) if state.state == "done" else None,
        folder=str(folder),
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished job."""
    return _json(folder / MANIFEST)


def write_scores(path: Path, table: ScoreTable) -> None:
    """One row a query, full precision, empty = undefined."""
    rows = [
        [defused(query), *("" if np.isnan(value) else repr(float(value)) for value in table.values[:, row])]
        for row, query in enumerate(table.query_ids)
    ]
    write_text(path, _csv(["query_id", *table.measures], rows))


def read_scores(path: Path, undefined: Mapping[str, Mapping[str, int]] | None = None) -> ScoreTable:
    """What `write_scores` wrote; DataError with file and line if it was changed into something else."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}); run the job again", path=path) from error
    if not rows or rows[0][:1] != ["query_id"]:
        raise DataError("expected a header that starts with query_id", path=path, line=1)
    measures = tuple(rows[0][1:])
    values = np.full((len(measures), len(rows) - 1), np.nan)
    for number, row in enumerate(rows[1:]):
        try:
            values[:, number] = [float(cell) if cell else np.nan for cell in row[1:]]
        except ValueError as error:
            raise DataError(
                f"a cell is no number or a column is missing ({error})", path=path, line=number + 2
            ) from error
    return ScoreTable(measures, tuple(row[0].removeprefix("'") for row in rows[1:]), values, undefined or {})


def defused(text: str) -> str:
    """`text` as a cell that no spreadsheet runs; one apostrophe taken off it is `text` again."""
    return f"'{text}" if text.startswith(FORMULA) and not NUMBER.fullmatch(text) else text


def _write_summary(path: Path, table: ScoreTable, weight: Floats | None) -> None:
    header = ["measure", "mean", "unweighted_mean", "median", "p10", "p25", "p75", "p90", "queries", "undefined"]
    rows = []
    for measure in table.measures:
        summary = metrics.summary(table, measure, weight)
        plain = np.nan if weight is None else metrics.summary(table, measure).mean
        statistics = [summary.mean, plain, summary.median, summary.p10, summary.p25, summary.p75, summary.p90]
        why = "; ".join(f"{count} {reason}" for reason, count in table.undefined.get(measure, {}).items())
        rows.append([measure, *("" if np.isnan(value) else repr(float(value)) for value in statistics), summary.n, why])
    write_text(path, _csv(header, rows))


def _ranking(run: Run, dataset: Dataset) -> dict[str, list[tuple[str, float]]]:
    """The document ranking by ids."""
    ids = [*dataset.corpus.ids, *dataset.qrels.missing, *run.foreign]
    return {
        query: [(ids[item], float(score)) for item, score in zip(items, scores, strict=True) if item >= 0]
        for query, items, scores in zip(dataset.queries.ids, run.items, run.scores, strict=True)
    }


def read_documents(folder: Path, dataset: Dataset) -> Run:
    """The document ranking of `run.trec.gz`, a row a query of the dataset."""
    ranking = read_run(folder / RUN)
    known = [*dataset.corpus.ids, *dataset.qrels.missing]
    foreign = sorted({doc for hits in ranking.values() for doc, _ in hits} - set(known))
    place = {name: position for position, name in enumerate([*known, *foreign])}
    width = max(map(len, ranking.values()), default=0)
    items = np.full((len(dataset.queries.ids), width), -1, dtype=np.int32)
    scores = np.full(items.shape, np.nan)
    for row, query in enumerate(dataset.queries.ids):
        for rank, (doc, score) in enumerate(ranking.get(query, [])):
            items[row, rank], scores[row, rank] = place[doc], score
    return Run("document", items, scores, tuple(foreign))


def _write_chunks(path: Path, retrieved: Retrieved, dataset: Dataset) -> None:
    context, ids = retrieved.context, dataset.corpus.ids
    lines = []
    for row, query in enumerate(dataset.queries.ids):
        there = context.doc[row] >= 0
        columns = (context.doc, context.start, context.end, retrieved.chunks.scores)
        doc, *rest = (column[row][there].tolist() for column in columns)
        hits = list(zip([ids[position] for position in doc], *rest, strict=True))
        lines.append(json.dumps({"query_id": query, "chunks": hits}, ensure_ascii=False) + "\n")
    _write_gz(path, lines)


def read_chunks(folder: Path) -> dict[str, list[tuple[str, int, int, float]]]:
    """Query id -> retrieved (document id, start, end, score), best first."""
    with gzip.open(folder / CHUNKS, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {row["query_id"]: [(doc, start, end, score) for doc, start, end, score in row["chunks"]] for row in rows}


def _write_gz(path: Path, lines: Iterable[str]) -> None:
    """A gzip file whose bytes depend on the text alone, complete or absent."""
    temporary = path.with_name(f".{path.name}.part")
    with (
        temporary.open("wb") as raw,
        gzip.GzipFile("", "wb", GZIP_LEVEL, mtime=0, fileobj=raw) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as stream,
    ):
        stream.writelines(lines)
    temporary.replace(path)


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def _json(path: Path) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read as JSON ({error}); run the job again", path=path) from error
    return value
