"""Dates as people write them, as datetime64[s] in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECONDS_FROM = 1e11  # as seconds that would be the year 5138; as milliseconds it is 1973
YEAR = re.compile(r"\d{4}")
MONTH = re.compile(r"(\d{4})[-/](\d{1,2})")
SLASHED_DAY = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")
NUMBER = re.compile(r"-?\d{5,}(\.\d*)?")


def parse_date(text: str) -> np.datetime64:
    """The moment that `text` names, cut to the second; a year or month means its first day.

    Read are ISO 8601 dates and times (a time without zone is UTC), `YYYY`, `YYYY-MM`, `YYYY/MM/DD`, and epoch numbers
    of five or more digits (seconds, or milliseconds from 1e11 on).

    Raises:
        ValueError: the text is none of these.
    """
    return np.datetime64(_moment(text.strip()).replace(tzinfo=None, microsecond=0), "s")


def _moment(text: str) -> datetime:
    if YEAR.fullmatch(text):
        return datetime(int(text), 1, 1, tzinfo=UTC)
    if match := MONTH.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), 1, tzinfo=UTC)
    if match := SLASHED_DAY.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    if NUMBER.fullmatch(text) and not re.fullmatch(r"\d{8}", text):
        number = float(text)
        seconds = number / 1000 if abs(number) >= MILLISECONDS_FROM else number
        try:
            return EPOCH + timedelta(seconds=seconds)
        except OverflowError as error:
            raise ValueError(f"{text} lies outside the calendar") from error
    moment = datetime.fromisoformat(text)
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text} lies outside the calendar") from error
