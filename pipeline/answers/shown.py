"""A value of a file in a message."""

from __future__ import annotations

import json

LONGEST = 40  # characters


def shown(value: object) -> str:
    """The value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
