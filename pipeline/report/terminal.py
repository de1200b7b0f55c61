"""The end of a sweep in 80 columns: what won, how sure that is, and what to do next. Pure: records in, text out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from pipeline.records import Scalar, Standing, SweepRecord
from pipeline.report.against import comparison_lines
from pipeline.report.board import Row, board, parts
from pipeline.report.cells import aligned, span
from pipeline.report.failures import FailureView, failure_lines
from pipeline.report.text import (
    WIDTH,
    clean,
    duration,
    fit,
    labelled,
    left,
    number,
    right,
    wrap,
)

UNWEIGHTED = "unweighted"  # the column of means with every query counted once
HEAD = 16  # columns: a longer name of a measure is shown without parameters; the sentences have it whole
SHOWN = 20  # rows of a long leaderboard; the rest stands in leaderboard.csv


@dataclass(frozen=True, eq=False)
class EndView:
    """Everything that the end of a sweep says; the sentences are written by the caller, the layout here."""

    sweep: SweepRecord
    standing: Standing | None  # None = nothing to rank by: no judgements, or no job done
    verdict: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # lines behind `MLflow`
    next_commands: tuple[str, ...] = ()
    reused: str = ""
    failures: FailureView | None = None  # None = no experiment has answers and judgements


def render_end(view: EndView) -> str:
    """The whole text, at most 80 columns wide (whole links excepted), ending in a newline."""
    blocks = [_head(view), _leaderboard(view), _against(view), _failures(view), _foot(view)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def plan_line(sweep: SweepRecord, work: str) -> str:
    """The first lines of a sweep: what it will do. `work` says what is cached and what will be computed."""
    return "\n".join([_title(sweep), *labelled("plan", work)]) + "\n"


def duplicates(sweep: SweepRecord) -> str:
    """`5 is the same experiment as 2`: which jobs are twins, "" without any."""
    twins = [f"{job.number} = {job.same_as}" for job in sweep.jobs if job.state == "twin"]
    return ", ".join(twins)


def _title(sweep: SweepRecord) -> str:
    jobs = len(sweep.jobs)
    distinct = sum(job.same_as is None for job in sweep.jobs)
    counts = f"{jobs} {_plural('job', jobs)}, {distinct} distinct"
    documents, queries = (_count(sweep.dataset.get(key)) for key in ("documents", "queries"))
    tail = f"  {clean(sweep.id)}  {counts}   {documents} docs  {queries} queries"
    name = fit(clean(str(sweep.dataset.get("name", ""))), WIDTH - len("rag-sweep  ") - len(tail))
    return f"rag-sweep  {name}{tail}"


def _head(view: EndView) -> list[str]:
    spent = duration(view.sweep.seconds)
    width = WIDTH - 8 - len(spent) - 2  # ends under the title, not at the margin
    reused = clean(view.reused)
    second = f"{left(reused, width)}  {spent}" if reused else spent
    return [_title(view.sweep), second]


# --- leaderboard ---------------------------------------------------------------------------------------------------


def _leaderboard(view: EndView) -> list[str]:
    rows = board(view.sweep, view.standing)
    cells = parts(view.sweep)
    shown, hidden = _selection(rows, view.sweep.baseline)
    if any(row.rank is not None for row in rows):
        lines = _ranked_lines(view.sweep, shown, cells)
    else:
        lines = _unranked_lines(shown, cells)
    if hidden:
        lines.append(f"   …  {hidden} more in leaderboard.csv")
    if any(row.may_be_best for row in shown):
        lines.append("=  the data cannot tell these from the best (all pairs, corrected)")
    return lines + _coverage(view.sweep, rows)


def _selection(rows: Sequence[Row], baseline: str) -> tuple[list[Row], int]:
    """The best `SHOWN` rows, the baseline wherever it stands, and every job that has no number; the count left out."""
    ranked = [row for row in rows if row.rank is not None]
    kept = [row for row in ranked[SHOWN:] if row.job.name == baseline]
    rest = [row for row in rows if row.rank is None]
    shown = ranked[:SHOWN] + kept + rest[:SHOWN]
    return shown, len(rows) - len(shown)


def _ranked_lines(sweep: SweepRecord, rows: Sequence[Row], cells: Mapping[str, tuple[str, ...]]) -> list[str]:
    second = _second_column(sweep)
    first_label, second_label = _column_head(sweep.primary), second
    first, other = max(7, len(first_label)), max(8, len(second_label)) if second else 0
    room = WIDTH - 6 - (2 + first) - 15 - (2 + other if second else 0) - 6 - 7
    names = aligned([cells[row.job.name] for row in rows], room)
    width = min(room, max([20, *map(cell_len, names)]))
    tail = "  " + right(second_label, other) if second else ""
    lines = [f"   #  {left('configuration', width)}  {right(first_label, first)}  95 % interval{tail}  read     ms"]
    for row, name in zip(rows, names, strict=True):
        start = f"{'=' if row.may_be_best else ' '} {_place(row)}  {left(name, width)}"
        if row.rank is None:
            lines += _without_number(start, row)
            continue
        value = right(number(row.means[sweep.primary]), first)
        extra = "  " + right(number(_second_value(sweep, row)), other) if second else ""
        spread = right(span(row.intervals.get(sweep.primary)), 13)
        lines.append(f"{start}  {value}  {spread}{extra}  {_read(row)}  {_latency(row)}")
    return lines


def _unranked_lines(rows: Sequence[Row], cells: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Without judgements: what each experiment costs, and how far it agrees with the baseline."""
    names = aligned([cells[row.job.name] for row in rows], 36)
    width = max([20, *map(cell_len, names)])
    lines = [f"   #  {left('configuration', width)}  overlap  read     ms     MB"]
    for row, name in zip(rows, names, strict=True):
        start = f"   -  {left(name, width)}"
        if row.job.state != "done":
            lines += _without_number(start, row)
            continue
        overlap = _percent(row.job.facts.get("overlap_at_10", math.nan), 7)
        size = row.job.facts.get("index_bytes", math.nan) / 1e6
        lines.append(f"{start}  {overlap}  {_read(row)}  {_latency(row)}  {right(number(size, 1), 5)}")
    return lines


def _without_number(start: str, row: Row) -> list[str]:
    """A job that is not ranked: its state and why, wrapped to the right of its name."""
    state = "NO VALUE" if row.job.state == "done" else row.job.state.upper()
    reason = row.job.reason or ("no query has a value" if row.job.state == "done" else "")
    room = WIDTH - cell_len(start) - 2
    text = f"{state}  {clean(reason)}".rstrip()
    margin = " " * cell_len(start)
    return [f"{margin if i else start}  {line}" for i, line in enumerate(wrap(text, room))]


def _coverage(sweep: SweepRecord, rows: Sequence[Row]) -> list[str]:
    """Over how many queries the means are, where that is not all of them."""
    queries = sweep.dataset.get("queries")
    counts = {row.defined[sweep.primary] for row in rows if row.rank is not None and sweep.primary in row.defined}
    if not counts or counts == {queries}:
        return []
    low, high = min(counts), max(counts)
    over = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return labelled("", f"{sweep.primary} is the mean over {over} of {_count(queries)} queries: those with a value", 3)


def _against(view: EndView) -> list[str]:
    """Every ranked experiment that is shown against the baseline, in the order of the leaderboard."""
    if view.standing is None:
        return []
    rows, _ = _selection(board(view.sweep, view.standing), view.sweep.baseline)
    return comparison_lines([row for row in rows if row.comparison is not None], parts(view.sweep), view.standing)


def _failures(view: EndView) -> list[str]:
    """What went wrong with the answers, where there are any."""
    if view.failures is None:
        return []
    return failure_lines(view.failures, parts(view.sweep), view.sweep.baseline)


# --- what to do ----------------------------------------------------------------------------------------------------


def _foot(view: EndView) -> list[str]:
    """Verdict, cautions, files, links, next commands, each label once."""
    board_file = "leaderboard.csv"
    blocks = (
        ("VERDICT", view.verdict),
        ("CAUTION", view.cautions),
        ("files", (f"{view.sweep.folder.rstrip('/')}/   {board_file}",)),
        ("MLflow", view.links),
        ("next", view.next_commands),
    )
    return [
        line for label, texts in blocks for i, text in enumerate(texts) for line in labelled("" if i else label, text)
    ]


# --- cells ---------------------------------------------------------------------------------------------------------


def _second_column(sweep: SweepRecord) -> str:
    """Head of the column beside the primary measure; "" = there is none."""
    if sweep.weights is not None:
        return UNWEIGHTED
    measure = _second_measure(sweep)
    return _short(measure) if measure else ""


def _second_value(sweep: SweepRecord, row: Row) -> float:
    """With weights the primary measure with every query counted once, else the second measure."""
    if sweep.weights is not None:
        return row.unweighted.get(sweep.primary, math.nan)
    return row.means.get(_second_measure(sweep), math.nan)


def _second_measure(sweep: SweepRecord) -> str:
    """The recall of the context budget nearest to 2,048 tokens stands beside the primary measure."""
    budgets = [m for m in sweep.measures if m.endswith("tok") and m != sweep.primary]
    preferred = [m for m in budgets if m == "R@2048tok"]
    others = [m for m in sweep.measures if m != sweep.primary]
    return next(iter([*preferred, *budgets, *others]), "")


def _column_head(measure: str) -> str:
    """The measure; without its parameters where they would take the room of the names."""
    whole = clean(measure)
    return whole if len(whole) <= HEAD else re.sub(r"\(.*?\)", "", whole)


def _short(measure: str) -> str:
    """`R@2048tok` as `R@2k tok`."""
    name, _, cutoff = clean(measure).rpartition("@")
    tokens = cutoff.removesuffix("tok")
    if tokens == cutoff or not tokens.isdigit():
        return clean(measure)
    thousands = int(tokens) / 1024
    return f"{name}@{int(thousands)}k tok" if thousands.is_integer() else f"{name}@{tokens} tok"


def _place(row: Row) -> str:
    return f"{row.rank:>2}" if row.rank is not None else " -"


def _read(row: Row) -> str:
    return _percent(row.job.facts.get("read_share", math.nan), 4)


def _percent(share: float, width: int) -> str:
    """Rounded down, so that 99.6 % never reads as everything."""
    return right("-" if math.isnan(share) else f"{math.floor(share * 100 + 1e-9)}%", width)


def _latency(row: Row) -> str:
    value = row.job.facts.get("p50_ms", math.nan)
    return right(number(value, 1 if value < 1 else 0), 5)


def _count(value: Scalar | None) -> str:
    return f"{value:,}" if isinstance(value, int | float) else "?"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
