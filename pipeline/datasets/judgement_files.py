"""Judgements in any of their file formats: BEIR's three columns, TREC's four, or a judge sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.datasets.judge_sheet import NEEDED, read_cell
from pipeline.datasets.raw import RawJudgement
from pipeline.datasets.tables import header, read_table
from pipeline.errors import DataError
from pipeline.storage.text_lines import read_lines
from pipeline.storage.trec_files import INTEGER, parse_grade, split_columns

HEADER_WORDS = frozenset({"query-id", "query_id", "queryid", "query", "qid", "topic", "topic_id"})
FORMATS = "3 (query, document, grade) or 4 (query, 0, document, grade)"


@dataclass(frozen=True)
class JudgementFile:
    """What one file says, and what a person should know about it."""

    judgements: tuple[RawJudgement, ...]
    notes: tuple[str, ...] = ()


def read_judgements(path: Path) -> JudgementFile:
    """The judgements of the file; the format is told by its header and the number of its columns.

    Raises:
        DataError: no such file, another number of columns, an empty id, or a grade that is no integer.
    """
    if is_sheet(path):
        return _sheet(path)
    return JudgementFile(tuple(_columns(path)))


def is_sheet(path: Path) -> bool:
    """Whether the file is a judge sheet, told by its header: its grades come on top of what is judged already."""
    return set(NEEDED) <= set(header(path))


def _sheet(path: Path) -> JudgementFile:
    table = read_table(path, NEEDED)
    judged = []
    for row in table.rows:
        if not row.cells["grade"]:
            continue
        query, document = read_cell(row.cells["query_id"]), read_cell(row.cells["doc_id"])
        if not query or not document:
            raise DataError(f"{row.where}: a graded row needs query_id and doc_id; got {query!r} and {document!r}")
        judged.append(RawJudgement(query, document, parse_grade(row.cells["grade"], *_place(row.where)), row.where))
    open_rows = len(table.rows) - len(judged)
    notes = (f"{path}: {open_rows:,} of {len(table.rows):,} rows without grade yet, left out",) if open_rows else ()
    return JudgementFile(tuple(judged), notes)


def _place(where: str) -> tuple[Path, int]:
    path, line = where.rsplit(":", 1)
    return Path(path), int(line)


def _columns(path: Path) -> Iterator[RawJudgement]:
    first = True
    for line in read_lines(path):
        if not line.text.strip():
            continue
        cells = split_columns(line.text)
        is_header = first and cells[0].strip().lower() in HEADER_WORDS and not INTEGER.fullmatch(cells[-1].strip())
        first = False
        if is_header:
            continue
        if len(cells) not in {3, 4}:
            raise DataError(f"{len(cells)} columns, expected {FORMATS}", path=path, line=line.number)
        query, document, grade = cells[0], cells[-2], cells[-1]
        if not query or not document:
            raise DataError("empty query or document id", path=path, line=line.number)
        yield RawJudgement(query, document, parse_grade(grade, path, line.number), f"{path}:{line.number}")
