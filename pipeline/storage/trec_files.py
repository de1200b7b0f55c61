"""Runs and judgements in the formats of trec_eval: `query Q0 document rank score tag` and `query 0 document grade`.

Columns stand apart by blanks or tabs. A line with tabs is cut at tabs alone, so that ids may hold blanks; the writers
use tabs where an id does. Files may be gzipped; `.gz` in the name says so for the writers, whose output depends on the
content alone.
"""

from __future__ import annotations

import gzip
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import DataError, EnvironmentFault
from pipeline.storage.text_lines import Line, read_lines

BLANKS = re.compile(r"[ \t]+")
INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
QRELS_COLUMNS = ("query", "0", "document", "grade")
GZIP_LEVEL = 3  # level 9 takes five times as long for files a tenth smaller


class Judgement(NamedTuple):
    """One line of judgements and where it stands."""

    query_id: str
    doc_id: str
    grade: int
    line: int


def read_run(path: Path) -> dict[str, list[tuple[str, float]]]:
    """{query: [(document, score)]} in the order of the file; ranks and line order mean nothing, scores decide.

    Raises:
        DataError: not six columns, a score that is no finite number, or a document twice for one query.
    """
    run: dict[str, list[tuple[str, float]]] = {}
    seen: dict[tuple[str, str], int] = {}
    for line in _filled(path):
        query, _, document, _, score, _ = _cells(line, RUN_COLUMNS, path)
        first = seen.setdefault((query, document), line.number)
        if first != line.number:
            raise DataError(
                f"document {document!r} stands twice for query {query!r}, first in line {first}; a ranking has it once",
                path=path,
                line=line.number,
            )
        run.setdefault(query, []).append((document, _score(score, path, line.number)))
    return run


def read_qrels(path: Path) -> Iterator[Judgement]:
    """Every judgement of a four-column file, as it stands.

    Raises:
        DataError: not four columns, or a grade that is no integer.
    """
    for line in _filled(path):
        query, _, document, grade = _cells(line, QRELS_COLUMNS, path)
        yield Judgement(query, document, parse_grade(grade, path, line.number), line.number)


def parse_grade(text: str, path: Path, line: int) -> int:
    """The integer that `text` writes; DataError for a word, a fraction or nothing."""
    if not INTEGER.fullmatch(text.strip()):
        raise DataError(
            f"grade {text!r} is not an integer; write whole numbers, 0 = not relevant", path=path, line=line
        )
    return int(text)


def write_run(path: Path, run: Mapping[str, Sequence[tuple[str, float]]], tag: str = "rag-sweep") -> None:
    """Writes the rankings in the order given, ranks from 1; scores read back exactly."""
    rows = (
        (query, "Q0", document, str(rank), repr(float(score)), tag)
        for query, hits in run.items()
        for rank, (document, score) in enumerate(hits, start=1)
    )
    _write(path, rows)


def write_qrels(path: Path, judgements: Iterable[tuple[str, str, int]]) -> None:
    """Writes (query, document, grade) in the order given."""
    _write(path, ((query, "0", document, str(grade)) for query, document, grade in judgements))


def split_columns(text: str) -> list[str]:
    """The cells of one line: between tabs where there are tabs, else between blanks."""
    return text.split("\t") if "\t" in text else BLANKS.split(text.strip(" "))


def _filled(path: Path) -> Iterator[Line]:
    return (line for line in read_lines(path) if line.text.strip())


def _cells(line: Line, columns: Sequence[str], path: Path) -> list[str]:
    cells = split_columns(line.text)
    if len(cells) != len(columns):
        cells = BLANKS.split(line.text.strip(" \t"))  # columns lined up with tabs and blanks in a mixture
    if len(cells) != len(columns):
        raise DataError(
            f"{len(cells)} columns, expected {len(columns)}: {' '.join(columns)}", path=path, line=line.number
        )
    if not all(cells):
        raise DataError(
            f"column {cells.index('') + 1} ({columns[cells.index('')]}) is empty", path=path, line=line.number
        )
    return cells


def _score(text: str, path: Path, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score) or "_" in text:
        raise DataError(f"score {text!r} is not a finite number", path=path, line=line)
    return score


def _write(path: Path, rows: Iterable[tuple[str, ...]]) -> None:
    lines = []
    for row in rows:
        has_blank = any(re.search(r"\s", cell) for cell in row)
        lines.append(("\t" if has_blank else " ").join(row) + "\n")
    content = "".join(lines).encode()
    if path.suffix == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=packed, mtime=0) as stream:
            stream.write(content)
        content = packed.getvalue()
    try:
        path.write_bytes(content)
    except OSError as error:
        raise EnvironmentFault(f"{path}: cannot be written: {error.strerror}") from error
