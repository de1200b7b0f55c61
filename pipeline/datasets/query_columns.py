"""What is known about a query besides its text, from named cells: known columns, and slices from all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.datasets.raw import RawQuery
from pipeline.errors import DataError

YES, NO = frozenset({"true", "yes", "y", "1"}), frozenset({"false", "no", "n", "0"})
KNOWN = ("cluster", "weight", "as_of", "answerable")
REFERENCE = "reference"  # a right answer, what answers are held against


def with_columns(query: RawQuery, cells: Mapping[str, str]) -> RawQuery:
    """The query with KNOWN and `reference` from its cells ("" = not given), the rest as slices.

    Raises:
        DataError: a weight that is no number, or an `answerable` that is neither yes nor no.
    """
    return replace(
        query,
        slices={name: cell for name, cell in cells.items() if name not in (*KNOWN, REFERENCE)},
        cluster=cells.get("cluster") or None,
        weight=_weight(cells.get("weight", ""), query.where),
        as_of=cells.get("as_of") or None,
        answerable=_answerable(cells.get("answerable", ""), query.where),
        references=(cells[REFERENCE],) if cells.get(REFERENCE, "").strip() else query.references,
    )


def _weight(cell: str, where: str) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError as error:
        raise DataError(
            f"{where}: weight {cell!r} is not a number; expected a share above 0, with a decimal point"
        ) from error


def _answerable(cell: str, where: str) -> bool | None:
    if not cell:
        return None
    word = cell.lower()
    if word not in YES | NO:
        raise DataError(f"{where}: answerable {cell!r}; expected true or false")
    return word in YES


def slices_that_group(queries: Sequence[RawQuery]) -> tuple[list[RawQuery], list[str]]:
    """The queries without those columns that hardly group them: fewer than two queries a given label on average.

    A running number or a free remark in the metadata is no slice. The second value says which columns went.
    """
    columns = sorted({name for query in queries for name in query.slices})
    labels = {name: [query.slices[name] for query in queries if query.slices.get(name)] for name in columns}
    dropped = [name for name in columns if 2 * len(set(labels[name])) > len(labels[name])]
    if not dropped:
        return list(queries), []
    kept = [
        replace(query, slices={name: label for name, label in query.slices.items() if name not in dropped})
        for query in queries
    ]
    return kept, [f"query columns that do not group queries are no slices: {', '.join(dropped)}"]
