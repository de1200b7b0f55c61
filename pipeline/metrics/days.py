"""The day on which each query is asked: without one, nothing is too old or too new."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.measure import Measure
from pipeline.metrics.scoring import needs
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


def check_days(as_of: str, measures: Sequence[Measure], *, decayed: bool) -> None:
    """SettingError where something needs the day of the questions and none is given: there is no default."""
    check_day(as_of)
    dated = [str(measure) for measure in measures if "dates" in needs(measure)]
    if not as_of and (dated or decayed):
        raise SettingError(
            f"{dated[0] if dated else 'decay'} needs the day on which the questions are asked: as_of=1963-12-31,"
            f" or as_of={COLUMN} for a column of the queries; there is no default"
        )


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
