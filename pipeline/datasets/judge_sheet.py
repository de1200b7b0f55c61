"""A sheet for a person to judge: one row a question and document, an empty column `grade` to fill in.

Spreadsheets take a cell that begins with = + - @ for a formula, and long numbers for rounded ones. Such cells get an
apostrophe in front, which `read_cell` takes off again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import EnvironmentFault

COLUMNS = ("query_id", "question", "doc_id", "title", "excerpt", "found_by", "grade")
NEEDED = ("query_id", "doc_id", "grade")
EXCERPT = 300  # characters
FORMULA = re.compile(r"[=+\-@\t\r]")
REWRITTEN_NUMBER = re.compile(
    r"0\d+|\d{12,}|\d+[-/.,:eE]\d.*"
)  # shown by a spreadsheet as another number, or as a date
ESCAPED = re.compile(r"'+[=+\-@\t\r\d]")


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """One document to judge for one question; `found_by` names the configurations that found it."""

    query_id: str
    question: str
    doc_id: str
    title: str = ""
    excerpt: str = ""
    found_by: str = ""


def write_judge_sheet(path: Path, rows: Iterable[JudgeRow]) -> None:
    """Writes the sheet in the order given, with a byte order mark, by which spreadsheets know UTF-8.

    A sheet that a person has worked on is left as it is: its grades stand nowhere else.
    """
    if _worked_on(path):
        return
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(COLUMNS)
    for row in rows:
        excerpt = " ".join(row.excerpt.split())[:EXCERPT]
        texts = (row.query_id, row.question, row.doc_id, row.title, excerpt, row.found_by)
        writer.writerow([*map(write_cell, texts), ""])
    try:
        path.write_text(sheet.getvalue(), encoding="utf-8-sig", newline="")
    except OSError as error:
        raise EnvironmentFault(f"{path}: cannot be written: {error.strerror}") from error


def asks_for(path: Path, rows: Iterable[JudgeRow]) -> bool:
    """Whether the sheet there asks for these judgements in this order, filled in or not."""
    wanted = [[write_cell(row.query_id), write_cell(row.doc_id)] for row in rows]
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            there = [[row.get("query_id"), row.get("doc_id")] for row in csv.DictReader(stream)]
    except (OSError, ValueError, csv.Error):  # gone, or saved in another encoding
        return False
    return there == wanted


def _worked_on(path: Path) -> bool:
    """Whether the sheet there holds a grade, or is no longer in the form it was written in."""
    if not path.is_file():
        return False
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header, *rows = csv.reader(stream)
    except (ValueError, csv.Error):  # empty, or saved in another encoding
        return path.stat().st_size > 0
    return tuple(header) != COLUMNS or any(row and row[-1].strip() for row in rows)


def write_cell(text: str) -> str:
    """The text as a cell that no spreadsheet rewrites."""
    risky = FORMULA.match(text) or REWRITTEN_NUMBER.fullmatch(text) or ESCAPED.match(text)
    return f"'{text}" if risky else text


def read_cell(cell: str) -> str:
    """What `write_cell` was given."""
    return cell[1:] if ESCAPED.match(cell) else cell
