"""What went wrong with the answers of each configuration: description beside the verdict, never instead of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rich.cells import cell_len

from pipeline.citations import FAILURES, FailureTable
from pipeline.report.cells import aligned
from pipeline.report.plots import SANDBOX
from pipeline.report.tables import Cell
from pipeline.report.text import WIDTH, clean, labelled, left

CAUSES = 3  # the most frequent ones, as far as they fit into the line
SHOWN = 20  # rows on the terminal; the rest stands in failures.csv
FIELDS = tuple((r, c) for r in ("good", "bad", "nothing to find", "not judged") for c in ("good", "bad"))
MEANING = "clean = no failure; causes = each answer's first; description, no verdict"
ONE_FILE = (
    "The same answers stand beside every ranking: rankings can differ only in not retrieved (not found) against not in"
    " context (found, yet not given to the answer)."
)
ALL_SAME = (
    "The same answers stand beside every ranking, and every ranking finds what they need: they tell no configuration"
    " from another."
)


@dataclass(frozen=True)
class Failing:
    """The answers of one configuration."""

    name: str
    table: FailureTable
    unknown: int  # further answers, to queries that the dataset does not have: in no count of the table


@dataclass(frozen=True)
class FailureView:
    """All configurations with answers, the largest share without a failure first."""

    rows: tuple[Failing, ...]
    one_file: bool  # several configurations, and all have the same answers

    @property
    def same(self) -> bool:
        """Whether nothing differs between the configurations."""
        return self.one_file and all(row.table == self.rows[0].table for row in self.rows)


def failure_lines(view: FailureView, names: Mapping[str, tuple[str, ...]], baseline: str) -> list[str]:
    """A line a configuration and what must be said of them, in 80 columns. `names`: cells that say what each is.

    One line for all where nothing differs: repeating it would look like a ranking.
    """
    shown = view.rows[:1] if view.same else view.rows[:SHOWN]
    cells = [(f"all {len(view.rows)}",)] if view.same else [names.get(row.name, (row.name,)) for row in shown]
    written = aligned(cells, 31)
    width = max([7, *map(cell_len, written)])
    lines = [f"{left('answers', width)}   clean      n  most frequent causes"]
    for row, name in zip(shown, written, strict=True):
        start = f"{left(name, width)}  {row.table.clean_share:>6.1%}  {row.table.answers:>5,}  "
        lines.append((start + _causes(row.table, WIDTH - cell_len(start))).rstrip())
    if len(view.rows) > SHOWN and not view.same:
        lines.append(f"…  {len(view.rows) - SHOWN} more in failures.csv")
    return lines + [line for said in _said(view, baseline) for line in labelled("", said, 3)]


def failure_rows(view: FailureView) -> tuple[dict[str, Cell], ...]:
    """A row a configuration: answers, those without a failure, with each failure, by cause, in each of the fields."""
    return tuple(
        {
            "rank": rank,
            "name": row.name,
            "answers": row.table.answers,
            "without failure": row.table.clean,
            "share without failure": row.table.clean_share,
            **{name: row.table.counts[name] for name in FAILURES},
            **{f"cause: {name}": row.table.causes[name] for name in FAILURES},
            **{f"retrieval {r}, citations {c}": row.table.fields.get((r, c), 0) for r, c in FIELDS},
            "unknown query": row.unknown,
        }
        for rank, row in enumerate(view.rows, 1)
    )


def failures_html(view: FailureView) -> str:
    """One self-contained page: the terminal's table with the four fields of every configuration."""
    heads = ("configuration", "answers", "clean", "most frequent causes", *(" / ".join(f) for f in FIELDS))
    body = "".join(f"<tr>{''.join(f'<td>{escape(clean(cell))}</td>' for cell in _cells(r))}</tr>" for r in view.rows)
    told = () if not view.one_file else (ALL_SAME,) if view.same else (ONE_FILE,)
    said = "".join(f"<p>{escape(line)}</p>" for line in (MEANING, *told))
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{SANDBOX}"><title>What went wrong</title>'
        "<style>body{font:15px/1.45 system-ui,sans-serif;margin:2em;color:#222}p{max-width:60em}"
        "td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}</style></head><body>"
        f"<table><tr>{''.join(f'<th>{escape(head)}</th>' for head in heads)}</tr>{body}</table>"
        f"{said}<p>The last columns: retrieval / citations.</p></body></html>\n"
    )


def _cells(row: Failing) -> tuple[str, ...]:
    table = row.table
    fields = (f"{table.fields.get(field, 0):,}" for field in FIELDS)
    return (row.name, f"{table.answers:,}", f"{table.clean_share:.1%}", ", ".join(_frequent(table)), *fields)


def _frequent(table: FailureTable) -> list[str]:
    """`not retrieved 14%`: the causes of most answers, equal ones in the order of the pipeline."""
    order = sorted((name for name in FAILURES if table.causes[name]), key=lambda name: -table.causes[name])
    return [f"{name} {table.causes[name] / table.answers:.0%}" for name in order[:CAUSES]]


def _causes(table: FailureTable, room: int) -> str:
    """As many of them as fit whole."""
    text = ""
    for cause in _frequent(table):
        longer = f"{text}, {cause}" if text else cause
        if len(longer) > room:
            break
        text = longer
    return text


def _said(view: FailureView, baseline: str) -> Iterator[str]:
    yield MEANING
    first = view.rows[0]
    against = [row for row in view.rows if row.name == baseline and row is not first]
    if view.same:
        yield ALL_SAME
    elif view.one_file:
        yield ONE_FILE
    for row in (first, *([] if view.one_file else against)):
        yield f"{'' if view.same else f'{row.name}: '}{_fields(row.table)}"
    lost = max(row.unknown for row in view.rows)
    if lost:
        yield f"left out: {lost:,} answer{'' if lost == 1 else 's'} to queries that the dataset does not have"


def _fields(table: FailureTable) -> str:
    """`retrieval good: citations 50 good, 12 bad; retrieval bad: 3 good, 10 bad; not judged: 2 good, 0 bad`."""
    parts: list[str] = []
    for retrieval in dict.fromkeys(field[0] for field in FIELDS):
        good, bad = (table.fields.get((retrieval, word), 0) for word in ("good", "bad"))
        if good or bad or retrieval in ("good", "bad"):
            head = f"retrieval {retrieval}" if retrieval in ("good", "bad") else retrieval
            parts.append(f"{head}: {'' if parts else 'citations '}{good:,} good, {bad:,} bad")
    return "; ".join(parts)


def judged(rows: Sequence[Failing]) -> bool:
    """Whether any configuration has an answer to a question with something to find."""
    return any(row.table.fields.get((r, c), 0) for row in rows for r, c in FIELDS if r in ("good", "bad"))
