"""Cells of the terminal's tables: names under each other, intervals in 13 columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.cells import cell_len

from pipeline.records import Interval
from pipeline.report.text import bare, clean, fit, fit_end, left, number, right

SHORTEST = 4  # cells that are left of a part of a name


def aligned(rows: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """Cells of equal length under each other, numbers flush right, at most `width` wide together."""
    cleaned = [tuple(clean(cell) for cell in row) for row in rows]
    if not cleaned:
        return []
    if len(cleaned[0]) == 1:
        return _told_apart([row[0] for row in cleaned], width)
    widths = [max(cell_len(row[i]) for row in cleaned) for i in range(len(cleaned[0]))]
    excess = max(0, sum(widths) + len(widths) - 1 - width)
    longest = widths.index(max(widths))
    widths[longest] = max(4, widths[longest] - excess)
    lines = [
        " ".join([*(left(c, w) for c, w in zip(row[:-1], widths, strict=False)), right(row[-1], widths[-1])])
        for row in cleaned
    ]
    return [fit(line, width) for line in lines]


def _told_apart(names: Sequence[str], width: int) -> list[str]:
    """Names cut in their middle; where that makes two of them one, each of their longest parts is cut instead."""
    cut = [fit(name, width) for name in names]
    if len(set(cut)) == len(set(names)):
        return cut
    return [fit(_by_parts(name, width), width) for name in names]


def _by_parts(name: str, width: int) -> str:
    """`hybrid-wordllama_64-256` as `hybrid-wordl…-256`."""
    parts = name.split("-")
    while cell_len("-".join(parts)) > width and (longest := max(map(cell_len, parts))) > SHORTEST:
        place = next(place for place, part in enumerate(parts) if cell_len(part) == longest)
        parts[place] = fit_end(parts[place], longest - 1)
    return "-".join(parts)


def span(interval: Interval | None, *, sign: bool = False) -> str:
    """`[0.571,0.652]`, from below 0 `[-.003,0.174]`, signed `[+.051,+.126]`; `-` where there is none."""
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return "-"
    low, high = (bare(v) if sign or v < 0 else number(v) for v in (interval.low, interval.high))
    return f"[{low},{high}]"
