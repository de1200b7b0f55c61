"""Evidence spans as read, checked and aligned with the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pipeline.datasets.judgements import Positions
from pipeline.datasets.raw import RawSpan
from pipeline.errors import DataError
from pipeline.records import Spans


def align_spans(
    spans: Sequence[RawSpan], positions: Positions, lengths: Sequence[int], shifts: Sequence[int]
) -> Spans | None:
    """Spans sorted by (query, document, start, end); None = there are none.

    Args:
        spans: as read; offsets count in the document's own text.
        positions: where each id stands.
        lengths: characters of each document's own text.
        shifts: characters that the joined title put before it.

    Groups are numbered from 0 within each query, in the order of their first span. A row given twice counts once.

    Raises:
        DataError: an unknown id, or offsets outside 0 <= start < end <= length.
    """
    if not spans:
        return None
    members: dict[int, dict[object, set[tuple[int, int, int]]]] = {}
    for span in spans:
        query, row = _row(span, positions, lengths, shifts)
        label: object = row if span.group is None else (type(span.group).__name__, span.group)
        members.setdefault(query, {}).setdefault(label, set()).add(row)
    table = np.array(
        sorted((query, *row, number) for query in members for number, row in _numbered(members[query])), dtype=np.int32
    )
    return Spans(*(np.ascontiguousarray(column) for column in table.T))


def _numbered(groups: Mapping[object, set[tuple[int, int, int]]]) -> list[tuple[int, tuple[int, int, int]]]:
    """(group number, row); the numbers follow from the rows alone, so that labels and file order leave no trace."""
    ordered = sorted(set(tuple(sorted(rows)) for rows in groups.values()))
    return [(number, row) for number, rows in enumerate(ordered) for row in rows]


def _row(
    span: RawSpan, positions: Positions, lengths: Sequence[int], shifts: Sequence[int]
) -> tuple[int, tuple[int, int, int]]:
    if span.query_id not in positions.queries:
        raise DataError(f"{span.where}: unknown query id {span.query_id!r}; spans must name queries of this dataset")
    if span.doc_id not in positions.documents:
        raise DataError(f"{span.where}: unknown document id {span.doc_id!r}; spans must name documents of this corpus")
    doc = positions.documents[span.doc_id]
    if not 0 <= span.start < span.end <= lengths[doc]:
        raise DataError(
            f"{span.where}: characters [{span.start}, {span.end}) do not lie in document {span.doc_id!r} of "
            f"{lengths[doc]:,} characters; expected 0 <= start < end <= length"
        )
    return positions.queries[span.query_id], (doc, span.start + shifts[doc], span.end + shifts[doc])
