"""What others say of an answer, on its line: `scores` of assessors or of a judge run elsewhere, and right answers.

`scores`: name -> a number from 0 to 1, true, false, or null (looked at, not decided). `reference`: a right answer, or a
list of them; without it, those of the query in the dataset.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pipeline.errors import DataError
from pipeline.records import Answer, Queries
from pipeline.storage.json_objects import shown

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
TAKEN = {
    "f1": "computed from 'reference'",
    "exact": "computed from 'reference'",
    "auroc": "that of questions without an answer",
    "coverage": "that of questions without an answer",
    "error": "that of questions without an answer",
}
"""Names whose `answer_…` is something else already."""


def scores_of(row: Mapping[str, Any], where: str) -> dict[str, float]:
    """Name -> score, NaN for null; DataError for a name or value that cannot be used."""
    given = row.get("scores")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise DataError(f"{where}: 'scores' is {shown(given)}, expected an object, as {{\"support\": 0.8}}")
    return {name: _score(name, value, where) for name, value in given.items()}


def references_of(row: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """The right answers, none where nothing is given; DataError for what is no text."""
    given = row.get("reference")
    if given is None:
        return ()
    texts = given if isinstance(given, list) else [given]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise DataError(f"{where}: 'reference' is {shown(given)}, expected a text or a list of texts; null = none")
    return tuple(texts)


def with_references(answers: Sequence[Answer], queries: Queries) -> tuple[Answer, ...]:
    """The answers; one that brings no reference has those of its query."""
    if queries.references is None:
        return tuple(answers)
    known = dict(zip(queries.ids, queries.references, strict=True))
    return tuple(one if one.references else replace(one, references=known.get(one.query_id, ())) for one in answers)


def _score(name: str, value: object, where: str) -> float:
    if not NAME.fullmatch(name):
        raise DataError(f"{where}: score {shown(name)}: expected a name of a-z, 0-9 and _, at most 40 characters")
    if name in TAKEN:
        raise DataError(f"{where}: score {name!r}: answer_{name} is {TAKEN[name]}; give it another name")
    if value is None:
        return math.nan
    if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
        raise DataError(f"{where}: score {name!r} is {shown(value)}, expected a number from 0 to 1, or null")
    return float(value)
