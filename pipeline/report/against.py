"""The table of comparisons with the baseline: difference, its two intervals, wins and losses, p, and what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len

from pipeline.records import Comparison, Standing
from pipeline.report.board import Row
from pipeline.report.cells import aligned, span
from pipeline.report.text import WIDTH, clean, fit, labelled, left, probability, right, signed

NAME = 31  # columns for a name, at most

_MARKS = {"better": "+", "worse": "-", "equivalent": "=", "identical": "="}
_LEGEND = {"+": "better", "-": "worse", "=": "equivalent", "?": "cannot tell"}


def comparison_lines(rows: Sequence[Row], cells: Mapping[str, tuple[str, ...]], standing: Standing) -> list[str]:
    """A line a row that has a comparison, in the order given, with head, legend and notes; none without any.

    The simultaneous interval stands beside the plain one where there are several comparisons and 80 columns hold the
    names as well; else the legend says where it is.
    """
    compared = [(row, row.comparison) for row in rows if row.comparison is not None]
    if not compared:
        return []
    comparisons = [c for _, c in compared]
    every = [cells[row.job.name] for row, _ in compared]
    baseline = " ".join(cell for cell in cells.get(standing.baseline, (standing.baseline,)) if cell != "-")
    tally = max(8, *(len(_counts(c)) for c in comparisons))
    narrow = WIDTH - 8 - 15 - 15 - (1 + tally) - 6 - 3
    joint = _has_joint(comparisons) and all(cell_len(name) <= narrow for name in aligned(every, WIDTH))
    width = narrow if joint else min(NAME, WIDTH - 10 - 15 - (2 + tally) - 7 - 3)
    lines = _head(clean(baseline), width, tally, joint=joint)
    for c, name in zip(comparisons, aligned(every, width), strict=True):
        lines.append(left(name, width) + _numbers(c, tally, joint=joint))
    return [*lines, *_legend(comparisons, joint=joint), *_notes(comparisons)]


def _head(baseline: str, width: int, tally: int, *, joint: bool) -> list[str]:
    """The heads of the columns; a baseline whose name would be cut stands above them."""
    against = f"vs baseline  {baseline}"
    above = [fit(against, WIDTH)] if cell_len(against) >= width else []
    start = left("" if above else against, width)
    if joint:
        return [*above, f"{start}   diff.  95 % interval  simultaneous  {'w/t/l':^{tally}}   p"]
    return [*above, f"{start}{'difference':>10}  95 % interval  {'w/t/l':^{tally}}   p"]


def _numbers(c: Comparison, tally: int, *, joint: bool) -> str:
    spread = right(span(c.interval or c.t_interval, sign=True), 13)
    p = right(probability(c.p_corrected if c.p_corrected is not None else c.p), 5)
    if joint:
        at_once = right(span(c.simultaneous_interval, sign=True), 13)
        return f" {signed(c.difference):>7}  {spread}  {at_once} {_counts(c):>{tally}} {p}  {_mark(c)}"
    return f"{signed(c.difference):>10}  {spread}  {_counts(c):>{tally}} {p}  {_mark(c)}"


def _counts(c: Comparison) -> str:
    return f"{c.wins}/{c.ties}/{c.losses}"


def _legend(comparisons: Sequence[Comparison], *, joint: bool) -> list[str]:
    family = [c for c in comparisons if c.p_corrected is not None]
    signs = "  ".join(_signs(comparisons))
    if len(family) < 2:
        return [signs]
    held = "simultaneous and p:" if joint else "p"
    said = f"{held} for {len(family)} comparisons at once ({clean(family[0].correction)})"
    lines = [f"{said}   {signs}"] if cell_len(said) + 3 + cell_len(signs) <= WIDTH else [said, signs]
    elsewhere = _has_joint(comparisons) and not joint
    return [*lines, "simultaneous intervals: comparisons.csv"] if elsewhere else lines


def _signs(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """What the marks mean that occur; one stands for two words, of which only those that occur are told."""
    for sign, word in _LEGEND.items():
        found = {c.verdict for c in comparisons if _mark(c) == sign}
        if found:
            yield f"{sign} " + (" or ".join(sorted(found)) if found <= set(_MARKS) else word)


def _has_joint(comparisons: Sequence[Comparison]) -> bool:
    """Whether there are intervals for several comparisons at once; of one alone the plain interval says as much."""
    return len(comparisons) > 1 and any(c.simultaneous_interval is not None for c in comparisons)


def _notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Notes under the table; one line for all experiments of which the same is said, numbers aside."""
    groups: dict[str, list[Comparison]] = {}
    for c in comparisons:
        if c.note:
            groups.setdefault(re.sub(r"[-+]?\d[\d.,]*", "#", c.note), []).append(c)
    lines = []
    for group in groups.values():
        who = group[0].treatment if len(group) == 1 else f"{len(group)} of {len(comparisons)}"
        example = group[0].note if len(group) == 1 else f"{group[0].note} ({group[0].treatment})"
        lines += labelled("", f"{who}: {example}", 3)
    return lines


def _mark(comparison: Comparison) -> str:
    return _MARKS.get(comparison.verdict, "?")
