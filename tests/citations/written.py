"""Occurrences in short: `doc` = valid, `~doc` = fuzzy, `!cited` = invalid, `?a|b` = ambiguous."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.citations import Occurrence

SIGNS = {"valid": "", "fuzzy": "~", "invalid": "!", "ambiguous": "?"}


def written(occurrences: Iterable[Occurrence]) -> list[str]:
    return [
        SIGNS[one.resolution] + ("|".join(one.candidates) if one.candidates else one.doc_id or one.cited)
        for one in occurrences
    ]
