"""Leaderboard and comparisons as CSV: a row a distinct experiment, every field of every comparison, full precision."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from pipeline.records import Comparison, Standing, SweepRecord
from pipeline.report.board import Row, board
from pipeline.stats import three_numbers

Cell: TypeAlias = str | int | float | bool | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_FACTS = {"read_share": "read_percent", "p50_ms": "p50_ms", "p95_ms": "p95_ms", "index_bytes": "index_bytes"}
_OPTIONAL = (
    "answer_auroc",
    "answer_coverage",
    "answer_error",
    "straddle_rate",
    "duplication",
    "later_hits",
    "later_removed",
)  # if any job has it
_FILLED = 0.95  # share of the largest budget; `filled` is a column where some job stays below it
_INTERVALS = ("t_interval", "bootstrap_interval", "simultaneous_interval", "interval", "bounds", "bounds_sampled")


def leaderboard_rows(sweep: SweepRecord, standing: Standing | None) -> tuple[dict[str, Cell], ...]:
    """Rows in the order of the leaderboard, all with the same columns; None = undefined, an empty cell."""
    names = sorted({name for job in sweep.jobs for name in job.settings})
    return tuple(_leaderboard_row(row, sweep, standing, names) for row in board(sweep, standing))


def comparison_rows(comparisons: Sequence[Comparison]) -> tuple[dict[str, Cell], ...]:
    """A row a comparison, with the ends of its intervals in columns of their own; `interval` is the leading one."""
    rows = []
    for comparison in comparisons:
        row: dict[str, Cell] = {}
        for item in fields(Comparison):
            value = getattr(comparison, item.name)
            if item.name == "interval":
                value = value or comparison.t_interval
            if item.name in _INTERVALS:
                row |= {f"{item.name}_low": None if value is None else value.low}
                row |= {f"{item.name}_high": None if value is None else value.high}
            else:
                row[item.name] = value
        rows.append(row)
    return tuple(rows)


def write_csv(path: Path, rows: Sequence[dict[str, Cell]]) -> None:
    """`rows` under the columns of the first. Texts that a spreadsheet would run as a formula get an apostrophe."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if rows:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([_written(name) for name in rows[0]])
            writer.writerows([_written(row[name]) for name in rows[0]] for row in rows)


def choice_rows(standing: Standing) -> tuple[dict[str, Cell], ...]:
    """The three numbers of choosing the best, a row each: observed, confirmed or cross-validated, expected."""
    return tuple(_with_ends(row._asdict(), "interval") for row in three_numbers(standing))


def axis_rows(standing: Standing) -> tuple[dict[str, Cell], ...]:
    """A row a contrast of two levels of an axis, with its plain and its simultaneous interval."""
    return tuple(_with_ends(vars(row), "interval", "simultaneous") for row in standing.contrasts)


def _with_ends(row: Mapping[str, Any], *intervals: str) -> dict[str, Cell]:
    """The row with the ends of its intervals in columns of their own."""
    cells: dict[str, Cell] = {}
    for name, value in row.items():
        if name in intervals:
            cells |= {f"{name}_low": value.low if value else None, f"{name}_high": value.high if value else None}
        else:
            cells[name] = value
    return cells


def write_tables(folder: Path, sweep: SweepRecord, standing: Standing | None) -> None:
    """leaderboard.csv; comparisons.csv: each against the baseline, then the best against its rivals; choosing.csv.

    tuned.csv: what was swept, and which queries chose. With two axes also axes.csv, and variance.csv: the share of each
    axis in the variance within queries.
    """
    write_csv(folder / "leaderboard.csv", leaderboard_rows(sweep, standing))
    if standing is None:
        return
    write_csv(folder / "comparisons.csv", comparison_rows((*standing.comparisons, *standing.rivals)))
    for name, rows in (
        ("choosing.csv", choice_rows(standing)),
        ("tuned.csv", tuple(_with_ends(vars(row)) for row in standing.tuned)),
        ("axes.csv", axis_rows(standing)),
        ("variance.csv", tuple(_with_ends(vars(part)) for part in standing.shares)),
    ):
        if rows:
            write_csv(folder / name, rows)


def _leaderboard_row(row: Row, sweep: SweepRecord, standing: Standing | None, names: Sequence[str]) -> dict[str, Cell]:
    job, c = row.job, row.comparison
    joint = c.simultaneous_interval if c else None
    cells: dict[str, Cell] = {"rank": row.rank, "name": job.name, "job": job.number, "state": job.state}
    cells |= {name: job.settings.get(name, "none") for name in names}
    for measure in dict.fromkeys((sweep.primary, *sweep.measures)):
        interval = row.intervals.get(measure)
        cells |= {
            measure: row.means.get(measure),
            f"{measure} low": interval.low if interval else None,
            f"{measure} high": interval.high if interval else None,
            f"{measure} n": row.defined.get(measure),
        }
        if sweep.weights is not None:
            cells[f"{measure} unweighted"] = row.unweighted.get(measure)
    cells |= {column: _fact(row, fact) for fact, column in _FACTS.items()}
    cells |= {fact: _fact(row, fact) for fact in _OPTIONAL if any(fact in other.facts for other in sweep.jobs)}
    if any(other.facts.get("filled", 1.0) < _FILLED for other in sweep.jobs):
        cells["filled"] = _fact(row, "filled")
    cells |= {
        "may_be_best": None if standing is None or row.rank is None else job.name in standing.may_be_best,
        "difference": c.difference if c else None,
        "difference low": (c.interval or c.t_interval).low if c else None,
        "difference high": (c.interval or c.t_interval).high if c else None,
        "difference simultaneous low": joint.low if joint else None,
        "difference simultaneous high": joint.high if joint else None,
        "p_corrected": c.p_corrected if c else None,
        "verdict": "baseline" if job.name == sweep.baseline else c.verdict if c else "",
        "reason": job.reason,
    }
    return cells


def _fact(row: Row, fact: str) -> float | None:
    value = row.job.facts.get(fact)
    return None if value is None or math.isnan(value) else value * 100 if fact == "read_share" else value


def _written(value: Cell) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return repr(value)
