"""From lines to the history: reads what is new, scores what the sampling takes, keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import DataError
from pipeline.monitoring.history import History
from pipeline.monitoring.scoring import Row, answer_from, key_of, scored, unreadable
from pipeline.monitoring.source import STDIN, files_of, pieces, stdin_lines
from pipeline.monitoring.watching import Watch
from pipeline.records import Answer

STDIN_CHUNK = 1000  # lines of the standard input stored at a time


class _Line(NamedTuple):
    """An answer on its line."""

    raw: bytes
    answer: Answer


class _Read(NamedTuple):
    """Lines: what can be scored as (key, stratum, line), and what cannot be used."""

    answers: list[tuple[str, str, _Line]]
    broken: list[Row]


def ingest(paths: Sequence[str], history: History, watch: Watch) -> int:
    """Scores and keeps what is new in files, folders and the standard input (`-`); how many answers are new.

    A count holds for all files together, and for the standard input by itself.
    """
    history.settle(watch.meaning())
    added = _keep_stdin(history, watch) if STDIN in paths else 0
    files = files_of([one for one in paths if one != STDIN])
    if watch.sampling.count is None:
        return added + sum(_keep(path, None, None, history, watch) for path in files)
    ends: dict[Path, int] = {}
    counted = frozenset(watch.sampling.chosen(_keys(files, ends, history)))
    return added + sum(_keep(path, ends[path], counted, history, watch) for path in files if path in ends)


def _keep(path: Path, end: int | None, counted: Set[str] | None, history: History, watch: Watch) -> int:
    """Keeps what is new in a file, up to a byte and of these keys alone; how many answers are new."""
    added = 0
    for piece in pieces(path, history.position(str(path.resolve())), end):
        read = _read(piece.lines, str(path))
        answers = read.answers if counted is None else [one for one in read.answers if one[0] in counted]
        new = history.add(_rows(_Read(answers, read.broken), watch), piece.before, piece.after)
        if new is None:
            return added + _keep(path, end, counted, history, watch)  # another run was here: go on where it stopped
        added += new
    return added


def _keys(files: Iterable[Path], ends: dict[Path, int], history: History) -> Iterator[tuple[str, str, str]]:
    """Key and stratum of every new answer, before any is scored; writes into `ends` how far each file was looked at."""
    for path in files:
        for piece in pieces(path, history.position(str(path.resolve()))):
            ends[path] = piece.after.offset
            for key, stratum, _ in _read(piece.lines, str(path)).answers:
                yield key, stratum, key


def _keep_stdin(history: History, watch: Watch) -> int:
    """Keeps the standard input; with a count only at its end, when it is known which answers are scored."""
    added = 0
    broken: list[Row] = []

    def answers() -> Iterator[tuple[str, str, _Line]]:
        for chunk in _chunks(stdin_lines()):
            read = _read(chunk, "stdin")
            broken.extend(read.broken)
            yield from read.answers

    if watch.sampling.count is None:
        for chunk in _chunks(stdin_lines()):
            added += history.add(_rows(_read(chunk, "stdin"), watch)) or 0
        return added
    picked = watch.sampling.chosen(answers())
    return history.add(_rows(_Read([(key_of(one.raw), "", one) for one in picked], broken), watch)) or 0


def _chunks(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    chunk: list[tuple[int, bytes]] = []
    for line in lines:
        chunk.append(line)
        if len(chunk) == STDIN_CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _read(lines: Sequence[tuple[int, bytes]], source: str) -> _Read:
    """Every line that is not blank."""
    answers: list[tuple[str, str, _Line]] = []
    broken: list[Row] = []
    for number, raw in lines:
        if not raw.strip():
            continue
        try:
            answer = answer_from(raw, source, number)
        except DataError as error:
            broken.append(unreadable(raw, f"{source}:{number}", error))
            continue
        answers.append((key_of(raw), answer.stratum, _Line(raw, answer)))
    return _Read(answers, broken)


def _rows(read: _Read, watch: Watch) -> list[Row]:
    """What the rate takes as rows; lines that cannot be used are rows too, so that they are counted."""
    rows: list[Row] = []
    broken = list(read.broken)
    for key, _, (raw, answer) in read.answers:
        if not watch.sampling.takes(key):
            continue
        try:
            rows.append(scored(raw, answer, watch.citations))
        except DataError as error:
            broken.append(unreadable(raw, answer.where, error))
    return [*rows, *broken]
