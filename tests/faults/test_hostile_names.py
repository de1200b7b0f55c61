"""Ids, texts and names made to break files, spreadsheets, pages and terminals."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pipeline import show
from pipeline.storage.job_files import read_chunks
from pipeline.storage.sweep_files import read_sweep
from pipeline.storage.trec_files import read_qrels, read_run
from tests.whole import common, run, sweep_folder

IDS = (
    "../outside",
    "../../../etc/passwd",
    "/tmp/absolute",
    "C:\\drive",
    "CON",
    "a" * 300,
    "emoji😀",
    "trailing.",
    "Case",
    "case",
    "with blank",
    "quotes\"and'",
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "-1",
    "@SUM(A1)",
    "'apostrophe",
    "''two",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "\u202eevil",
    "[link](javascript:alert(1))",
    "$(touch marker)",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@pytest.fixture
def hostile(place: Path) -> Path:
    """Every id names a query and a document, whose text has the id in it, too."""
    for name, text in (("corpus", "words of document {} \x1b[31mred\x1b[2J"), ("queries", "document {} \x1b[2J")):
        rows = [{"_id": key, "title": key, "text": text.format(key)} for key in IDS]
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (place / "qrels" / "test.tsv").write_text("".join(f"{key}\t0\t{key}\t1\n" for key in IDS))
    return place


class Active(HTMLParser):
    """Collects what a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        bad = [
            key for key, value in attrs if key[:2] == "on" or "javascript:" in (value or "") or key in ("src", "href")
        ]
        if tag in ("script", "iframe", "object", "embed", "link", "base", "img") or bad:
            self.found.append(f"{tag} {attrs}")


def test_ids_come_back_exactly_and_no_file_stands_elsewhere(
    hostile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path for path in tmp_path.rglob("*") if "outputs" not in path.parts}
    assert run(*common(hostile, "-m", "retriever=bm25", "chunk_size=16,64")) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err and "\u202e" not in said.out + said.err
    assert {path for path in tmp_path.rglob("*") if "outputs" not in path.parts} == before
    assert not (tmp_path.parent / "outside").exists() and not Path("marker").exists()
    folder = sweep_folder()
    sweep = read_sweep(folder)
    for job in sweep.jobs:
        assert job.scores is not None and set(job.scores.query_ids) == set(IDS)
        found = read_run(Path(job.folder) / "run.trec.gz")
        assert set(found) <= set(IDS) and {doc for hits in found.values() for doc, _ in hits} <= set(IDS)
        assert set(read_chunks(Path(job.folder))) == set(IDS)
    assert {(query, doc) for query, doc, _, _ in read_qrels(folder / "qrels.trec.gz")} == {(key, key) for key in IDS}


def test_no_cell_is_a_formula_and_no_page_runs_anything(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = 'dataset.name="<script>alert(1)</script>=1+1"'
    assert run(*common(hostile, "-m", "retriever=bm25,dense", "chunk_size=64", named)) == 0
    folder = sweep_folder()
    tables = list(folder.rglob("*.csv"))
    assert len(tables) >= 6
    for table in tables:
        with table.open(encoding="utf-8-sig", newline="") as stream:
            cells = [cell for row in csv.reader(stream) for cell in row]
        assert not [cell for cell in cells if cell.startswith(FORMULA) and not is_number(cell)], table
    for page in folder.rglob("*.html"):
        active = Active()
        active.feed(page.read_text("utf-8"))
        assert active.found == [], page
        assert "Content-Security-Policy" in page.read_text("utf-8")
    capsys.readouterr()
    assert show.main([folder.name.rpartition("-")[2], "--losses", read_sweep(folder).jobs[1].name]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err and "\u202e" not in said.out + said.err
    for text in folder.rglob("*.md"):
        assert "<script>" not in text.read_text("utf-8").split("```")[0]
        assert "\x1b" not in text.read_text("utf-8")


def test_messages_about_broken_files_carry_no_escape_codes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = place / "corpus.jsonl"
    row = json.dumps({"_id": "\x1b[31mred", "text": "again"}) + "\n"
    path.write_text(path.read_text() + row + row)
    assert run(*common(place, "retriever=bm25")) == 2
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err and said.err.count("\n") == 1


@pytest.mark.parametrize(
    "argument", ["retriever=\x1b[31mred", "chunk_size=\x1b[31m5", "\x1b[2Jx=1", "baseline=\x1b[31m"]
)
def test_messages_about_arguments_carry_no_escape_codes(
    place: Path, argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*common(place, argument)) == 2
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err and said.err.count("\n") == 1


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
