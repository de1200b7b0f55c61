"""Collections and topics as TREC keeps them: JSON lines with `contents`, tables with tabs, `<top>` files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.datasets.beir_files import date_of
from pipeline.datasets.json_lines import read_json_lines
from pipeline.datasets.raw import RawDocument, RawQuery
from pipeline.errors import DataError
from pipeline.storage.text_lines import Line, read_lines

TAG = re.compile(r"\s*<(/?top|num|title|desc|narr)>\s*(?:(?:Number|Topic|Description|Narrative):)?(.*)")
CLOSING = re.compile(r"</\w+>")
OWN = frozenset({"id", "contents", "title"})


class _Cells(NamedTuple):
    cells: list[str]
    where: str


def read_collection(path: Path) -> list[RawDocument]:
    """Documents: JSON lines with `id`, `contents` and optionally `title`, or tabs: id, text or id, title, text."""
    first = next((line.text for line in read_lines(path) if line.text.strip()), "")
    if not first.lstrip().startswith("{"):
        return [
            RawDocument(cells[0], cells[-1], cells[1] if len(cells) == 3 else "", where=where)
            for cells, where in _tabbed(path, (2, 3), "id and text, or id, title and text")
        ]
    documents = []
    for row in read_json_lines(path):
        metadata = {name: value for name, value in row.fields.items() if name not in OWN}
        name, _ = row.identifier("id")
        text, title = row.text("contents"), row.text("title", "")
        documents.append(RawDocument(name, text, title, date_of(metadata), metadata, row.where))
    return documents


def read_topics(path: Path) -> list[RawQuery]:
    """Queries: the `<title>` of every `<top>`, or tabs: id and text."""
    first = next((line.text for line in read_lines(path) if line.text.strip()), "")
    if not first.lstrip().startswith("<top"):
        return [RawQuery(cells[0], cells[1], where=where) for cells, where in _tabbed(path, (2,), "id and text")]
    return list(_tops(path))


def _tabbed(path: Path, widths: tuple[int, ...], expected: str) -> Iterator[_Cells]:
    for line in read_lines(path):
        if not line.text.strip():
            continue
        cells = line.text.split("\t")
        if len(cells) not in widths:
            raise DataError(f"{len(cells)} columns between tabs, expected {expected}", path=path, line=line.number)
        yield _Cells(cells, f"{path}:{line.number}")


def _tops(path: Path) -> Iterator[RawQuery]:
    fields: dict[str, list[str]] = {}
    part, begins = "", 0
    for line in read_lines(path):
        tag = TAG.fullmatch(line.text)
        if tag is None:
            fields.setdefault(part, []).append(line.text)
        elif tag[1] == "top":
            fields, part, begins = {}, "", line.number
        elif tag[1] == "/top":
            yield _topic(fields, Line(begins, str(path)))
        else:
            part = tag[1]
            fields.setdefault(part, []).append(tag[2])


def _topic(fields: dict[str, list[str]], begin: Line) -> RawQuery:
    number, title = (" ".join(CLOSING.sub(" ", " ".join(fields.get(name, []))).split()) for name in ("num", "title"))
    where = f"{begin.text}:{begin.number}"
    if not number or not title:
        raise DataError(f"{where}: <top> without <num> or <title>; both are needed")
    return RawQuery(number, title, where=where)
