"""Questions in a CSV: `question, relevant[, grade, id, cluster, weight, as_of, answerable, reference, slices …]`.

Several rows may belong to one question; each names one piece of evidence, and may name one right answer. All places of
a quoted passage are alternatives, and every document that has it counts as relevant, with the highest grade of its
passages.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pipeline.datasets.judge_sheet import read_cell
from pipeline.datasets.query_columns import KNOWN, with_columns
from pipeline.datasets.raw import RawDocument, RawJudgement, RawQuery, RawSpan
from pipeline.datasets.relevant import RelevantCells
from pipeline.datasets.tables import TableRow, read_table
from pipeline.errors import DataError
from pipeline.storage.trec_files import parse_grade

T = TypeVar("T")
OWN = frozenset({"question", "relevant", "grade", "id"})


@dataclass(frozen=True)
class Questions:
    """What the file says."""

    queries: tuple[RawQuery, ...]
    judgements: tuple[RawJudgement, ...]
    spans: tuple[RawSpan, ...]


def read_questions(path: Path, documents: Sequence[RawDocument], folder: Path) -> Questions:
    """Queries, judgements and evidence spans of the file.

    Raises:
        DataError: a row without question; a `relevant` that means nothing or several things; a grade that is no
            integer; rows of one question that contradict each other.
    """
    rows = [(_query(row), row) for row in read_table(path, ["question"]).rows]
    queries: dict[str, RawQuery] = {}
    for query, _ in rows:
        queries[query.id] = _merged(queries[query.id], query) if query.id in queries else query
    evidence = _Evidence(RelevantCells(documents, folder))
    for query, row in rows:
        evidence.add(query.id, row)
    judgements = (*evidence.by_name, *evidence.by_passage.values())
    return Questions(tuple(queries.values()), judgements, tuple(evidence.spans))


class _Evidence:
    def __init__(self, cells: RelevantCells) -> None:
        self.by_name: list[RawJudgement] = []
        self.by_passage: dict[tuple[str, str], RawJudgement] = {}
        self.spans: list[RawSpan] = []
        self._cells = cells

    def add(self, query_id: str, row: TableRow) -> None:
        cell, grade_cell = row.cells.get("relevant", ""), row.cells.get("grade", "")
        if not cell:
            if grade_cell:
                raise DataError(
                    f"{row.where}: grade {grade_cell!r} without 'relevant'; name the document it belongs to"
                )
            return
        found = self._cells.find(read_cell(cell), row.where)
        path, line = row.where.rsplit(":", 1)
        grade = parse_grade(grade_cell, Path(path), int(line)) if grade_cell else 1
        judged = [RawJudgement(query_id, name, grade, row.where) for name in found.documents]
        if not found.places:
            self.by_name += judged
            return
        for judgement in judged:
            self._raise_to(judgement)
        if grade > 0:
            self.spans += [RawSpan(query_id, *place, group=row.where, where=row.where) for place in found.places]

    def _raise_to(self, judgement: RawJudgement) -> None:
        key = (judgement.query_id, judgement.doc_id)
        if key not in self.by_passage or self.by_passage[key].grade < judgement.grade:
            self.by_passage[key] = judgement


def question_id(question: str) -> str:
    """An id that follows from the text alone: its first words and six digits of its SHA-256."""
    words = "-".join(re.findall(r"\w+", question.lower())[:5])[:40]
    digest = hashlib.sha256(question.encode()).hexdigest()[:6]
    return f"{words}-{digest}" if words else digest


def _query(row: TableRow) -> RawQuery:
    question = " ".join(read_cell(row.cells["question"]).split())
    if not question:
        raise DataError(f"{row.where}: empty question; repeat the question in every row that belongs to it")
    name = read_cell(row.cells.get("id", "")) or question_id(question)
    cells = {column: read_cell(cell) for column, cell in row.cells.items() if column and column not in OWN}
    return with_columns(RawQuery(name, question, where=row.where), cells)


def _merged(first: RawQuery, later: RawQuery) -> RawQuery:
    """The first row of a question, with what a later row adds; DataError where they contradict each other."""
    if first.text != later.text:
        raise DataError(f"{later.where}: id {later.id!r} has another question in {first.where}; give each its own id")
    slices = {}
    for name, label in first.slices.items():
        slices[name] = _one_of(label, later.slices.get(name, ""), name, (first, later))
    known = {name: _one_of(getattr(first, name), getattr(later, name), name, (first, later)) for name in KNOWN}
    references = tuple(dict.fromkeys((*first.references, *later.references)))
    return replace(first, slices=slices, references=references, **known)


def _one_of(one: T, other: T, column: str, rows: tuple[RawQuery, RawQuery]) -> T:
    if one in {None, ""}:
        return other
    if other not in {None, "", one}:
        raise DataError(
            f"{rows[1].where}: {column} of question {rows[0].text[:40]!r} is {other!r} here and {one!r} in "
            f"{rows[0].where}; write the same in each of its rows"
        )
    return one
