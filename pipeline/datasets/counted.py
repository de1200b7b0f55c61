"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 document`, `1,400 documents`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
