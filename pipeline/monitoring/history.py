"""What was scored, in one SQLite file: rows are only ever added, and each chunk of lines in one transaction.

A run that is killed leaves whole chunks; what is missing is read again. Two runs at once wait for each other; whoever
comes second finds the position moved and reads on from there. The same answer is stored once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path

from pipeline.errors import DataError, EnvironmentFault, SettingError
from pipeline.monitoring.scoring import Row
from pipeline.monitoring.source import Position

FORMAT = 1
PATIENCE = 60.0  # seconds to wait for another run
_TABLES = ("facts", "positions", "answers", "alarms")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS positions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, offset INTEGER NOT NULL, line INTEGER NOT NULL,
    tail TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, answer_id TEXT NOT NULL, time TEXT NOT NULL,
    stratum TEXT NOT NULL, place TEXT NOT NULL, state TEXT NOT NULL, citations INTEGER NOT NULL, valid INTEGER NOT NULL,
    bracketed INTEGER NOT NULL, excerpt TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS alarms (
    number INTEGER PRIMARY KEY AUTOINCREMENT, series TEXT NOT NULL, batch INTEGER NOT NULL, said TEXT NOT NULL,
    UNIQUE (series, batch));
"""


class History:
    """One open history file."""

    def __init__(self, path: Path) -> None:
        """Opens or creates the file; DataError where it is something else."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=FULL")
            with self._writing():
                self._create()
        except (sqlite3.OperationalError, OSError) as error:
            raise EnvironmentFault(f"{path}: the history cannot be opened: {error}") from error
        except sqlite3.DatabaseError as error:
            raise DataError(f"is no history ({error}); give another --history", path=path) from error

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def settle(self, settings: Mapping[str, object]) -> None:
        """Fixes what the numbers of this history mean; SettingError where it was begun with other settings."""
        text = json.dumps(settings, sort_keys=True, default=str)
        with self._writing():
            self._database.execute("INSERT OR IGNORE INTO facts VALUES ('settings', ?)", (text,))
            kept = self._database.execute("SELECT value FROM facts WHERE name = 'settings'").fetchone()[0]
        if kept != text:
            before, now = json.loads(kept), json.loads(text)
            name = next(name for name in sorted({*before, *now}) if before.get(name) != now.get(name))
            raise SettingError(
                f"{self._path}: this history was begun with {name}={before.get(name)}, now it is {now.get(name)};"
                " use the same, or begin another with --history"
            )

    def position(self, source: str) -> Position | None:
        """How far a source was read."""
        row = self._database.execute(
            "SELECT source, offset, line, tail FROM positions WHERE source = ? ORDER BY number DESC LIMIT 1", (source,)
        ).fetchone()
        return None if row is None else Position(*row)

    def add(self, rows: Sequence[Row], before: Position | None = None, after: Position | None = None) -> int | None:
        """Adds rows, and how far their source was read: how many were new; None if another run has read on already."""
        with self._writing():
            if before is not None and after is not None:
                known = self.position(after.source)
                if known is not None and known != before and before.offset > 0:
                    return None
                if known == after:
                    return None
                self._database.execute(
                    "INSERT INTO positions (source, offset, line, tail) VALUES (?, ?, ?, ?)",
                    (after.source, after.offset, after.line, after.tail),
                )
            added = self._database.executemany(
                "INSERT OR IGNORE INTO answers (key, answer_id, time, stratum, place, state, citations, valid,"
                " bracketed, excerpt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [astuple(row) for row in rows],
            )
            return max(added.rowcount, 0)

    def rows(self) -> Iterator[Row]:
        """All rows in the order they came."""
        for row in self._database.execute(
            "SELECT key, answer_id, time, stratum, place, state, citations, valid, bracketed, excerpt FROM answers"
            " ORDER BY number"
        ):
            key, answer_id, time, stratum, place, state, citations, valid, bracketed, excerpt = row
            yield Row(key, answer_id, time, stratum, place, state, citations, valid, bool(bracketed), excerpt)

    def without_answer(self) -> int:
        """How many lines could not be used or hold no answer."""
        counted = "SELECT COUNT(*) FROM answers WHERE state IN ('unreadable', 'missing')"
        return int(self._database.execute(counted).fetchone()[0])

    def told(self) -> set[tuple[str, int]]:
        """Series and batch of the alarms that were passed on."""
        return {(series, batch) for series, batch in self._database.execute("SELECT series, batch FROM alarms")}

    def tell(self, series: str, batch: int, said: str) -> None:
        """Keeps that an alarm was passed on."""
        with self._writing():
            self._database.execute(
                "INSERT OR IGNORE INTO alarms (series, batch, said) VALUES (?, ?, ?)", (series, batch, said)
            )

    @property
    def identity(self) -> str:
        """What tells this history from others."""
        return str(self._database.execute("SELECT value FROM facts WHERE name = 'identity'").fetchone()[0])

    def _create(self) -> None:
        for statement in _SCHEMA.split(";"):
            self._database.execute(statement)
        for table in _TABLES:
            for change in ("UPDATE", "DELETE"):
                self._database.execute(
                    f"CREATE TRIGGER IF NOT EXISTS no_{change.lower()}_{table} BEFORE {change} ON {table}"
                    " BEGIN SELECT RAISE(ABORT, 'history is append-only'); END"
                )
        self._database.execute("INSERT OR IGNORE INTO facts VALUES ('identity', lower(hex(randomblob(8))))")
        self._database.execute("INSERT OR IGNORE INTO facts VALUES ('format', ?)", (str(FORMAT),))
        found = self._database.execute("SELECT value FROM facts WHERE name = 'format'").fetchone()[0]
        if found != str(FORMAT):
            raise DataError(f"is a history of format {found}, this version reads {FORMAT}", path=self._path)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, alone; nothing of it stays where it fails."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise EnvironmentFault(
                    f"{self._path}: another run holds the history for more than {PATIENCE:.0f} s"
                ) from error
            raise
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")
