"""Tables as spreadsheets save them: comma, semicolon or tab between cells, a header, cells in quotes where needed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import DataError
from pipeline.storage.text_lines import read_lines

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: column -> cell without outer blanks, "" where empty, and the line it begins in."""

    cells: Mapping[str, str]
    where: str


@dataclass(frozen=True)
class Table:
    """Column names in lower case, as in the header, and the rows that are not empty."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


def header(path: Path) -> tuple[str, ...]:
    """The column names of the first line that is not blank, under the delimiter that gives most of them."""
    first = next((line.text for line in read_lines(path) if line.text.strip()), "")
    return _columns(first, _delimiter(first))


def read_table(path: Path, needed: Iterable[str]) -> Table:
    """The whole table.

    Raises:
        DataError: a needed column is missing, a column name stands twice, a row has more cells than the header, or a
            quote is not closed.
    """
    lines = [line.text for line in read_lines(path)]
    first = next((text for text in lines if text.strip()), "")
    delimiter = _delimiter(first)
    start = lines.index(first) if first else 0
    columns = _columns(first, delimiter)
    _check_header(columns, needed, f"{path}:{start + 1}")
    rows = []
    for number, cells in _records(lines, start + 1, delimiter, path):
        where = f"{path}:{number}"
        if len(cells) > len(columns) and any(cells[len(columns) :]):
            raise DataError(
                f"{where}: {len(cells)} cells under {len(columns)} columns; put cells that hold a "
                f"{DELIMITERS[delimiter]} in quotes"
            )
        padded = [*cells, *[""] * len(columns)]
        if any(cells):
            rows.append(TableRow(dict(zip(columns, padded, strict=False)), where))
    return Table(columns, tuple(rows))


def _delimiter(first: str) -> str:
    return max(DELIMITERS, key=lambda sign: len(_columns(first, sign)))


def _columns(first: str, delimiter: str) -> tuple[str, ...]:
    try:
        cells = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:  # a line that this delimiter cannot cut is no header under it
        return ()
    names = [cell.strip().lower() for cell in cells]
    while names and not names[-1]:
        names.pop()
    return tuple(names)


def _check_header(columns: tuple[str, ...], needed: Iterable[str], where: str) -> None:
    missing = [name for name in needed if name not in columns]
    if missing:
        found = ", ".join(repr(name) for name in columns) or "nothing"
        raise DataError(f"{where}: no column {missing[0]!r} in the header; found {found}")
    double = next((name for at, name in enumerate(columns) if name in columns[:at]), None)
    if double is not None:
        raise DataError(f"{where}: column {double!r} stands twice in the header; rename one")


def _records(lines: list[str], start: int, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line where the record begins, its cells without outer blanks)."""
    reader = csv.reader((f"{text}\n" for text in lines[start:]), delimiter=delimiter, strict=True)
    while True:
        begins = start + reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise DataError(f"{path}:{begins}: {error}; close every quote, and double a quote inside a cell") from error
        if cells is None:
            return
        yield begins, [cell.strip() for cell in cells]
