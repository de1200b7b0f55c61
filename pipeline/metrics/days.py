"""The day on which each query is asked: without one, nothing is too old or too new."""

from __future__ import annotations

import numpy as np

from pipeline.errors import SettingError
from pipeline.records import Dates, Queries

COLUMN = "query"  # as_of=query: each query brings its own day


def check_day(as_of: str) -> None:
    """SettingError unless `as_of` is a date, `query`, or "" for none."""
    if as_of in ("", COLUMN):
        return
    try:
        day = np.datetime64(as_of, "s")
    except ValueError as error:
        raise SettingError(f"as_of={as_of}: no date; expected 1963-12-31, or {COLUMN}") from error
    if np.isnat(day):
        raise SettingError(f"as_of={as_of}: no date; expected 1963-12-31, or {COLUMN}")


def days(as_of: str, queries: Queries) -> Dates | None:
    """(queries,): datetime64[s]; None where `as_of` is "". SettingError if the queries lack the column."""
    check_day(as_of)
    if not as_of:
        return None
    if as_of != COLUMN:
        return np.full(len(queries.ids), np.datetime64(as_of, "s"))
    if queries.as_of is None:
        raise SettingError(f"as_of={COLUMN}: the queries have no column as_of; give one date for all: as_of=1963-12-31")
    return queries.as_of
