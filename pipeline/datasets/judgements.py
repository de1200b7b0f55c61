"""Judgements as read, aligned with the corpus and the queries; what does not fit is counted and said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.datasets.counted import counted
from pipeline.datasets.near_misses import NearMiss, near_misses
from pipeline.datasets.raw import Raw, RawJudgement
from pipeline.errors import DataError
from pipeline.records import Judgements, Qrels

EXAMPLES = 3
GRADES = range(-(2**31), 2**31)


@dataclass(frozen=True)
class Positions:
    """Where each id stands."""

    documents: Mapping[str, int]
    queries: Mapping[str, int]


@dataclass(frozen=True)
class AlignedJudgements:
    """Qrels, with what a person should know about them."""

    qrels: Qrels
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def align_judgements(raw: Raw, positions: Positions) -> AlignedJudgements:
    """Qrels over the given positions.

    A judged document that the corpus lacks stays, as a missing one; a judgement for an unknown query is dropped. Both
    are counted and noted.

    Raises:
        DataError: a grade is no integer, two judgements contradict each other, nothing judged is known, or, with
            `strict`, anything judged is unknown.
    """
    unique, repeated = _unique(raw.judgements)
    known = [row for row in unique if row.query_id in positions.queries]
    homeless = [row for row in unique if row.query_id not in positions.queries]
    absent = [row for row in known if row.doc_id not in positions.documents]
    if unique and not known:
        raise DataError(_nothing_known("query", homeless[0].query_id, homeless[0].where, positions.queries))
    if known and len(absent) == len(known):
        raise DataError(_nothing_known("document", absent[0].doc_id, absent[0].where, positions.documents))
    notes = [
        *_unknown_note(raw.strict, "query", [(row.query_id, row.where) for row in homeless], positions.queries),
        *_unknown_note(raw.strict, "document", [(row.doc_id, row.where) for row in absent], positions.documents),
    ]
    if repeated:
        notes.append(f"{counted(repeated, 'judgement')} given more than once with the same grade, counted once")
    kind, kind_notes = _kind(raw.judgements_kind, known)
    qrels = _qrels(known, positions, kind)
    return AlignedJudgements(qrels, _counts(qrels, homeless, absent, repeated), (*notes, *kind_notes))


def _unique(judgements: Sequence[RawJudgement]) -> tuple[list[RawJudgement], int]:
    """One row a pair, and how many repeated an earlier one."""
    first: dict[tuple[str, str], RawJudgement] = {}
    repeated = 0
    for row in judgements:
        if type(row.grade) is not int or row.grade not in GRADES:
            raise DataError(
                f"{row.where}: grade {row.grade!r} is not a 32-bit integer; write whole numbers, 0 = not relevant"
            )
        earlier = first.setdefault((row.query_id, row.doc_id), row)
        if earlier is row:
            continue
        if earlier.grade != row.grade:
            raise DataError(
                f"{row.where}: query {row.query_id!r}, document {row.doc_id!r} has grade {row.grade} here and "
                f"{earlier.grade} in {earlier.where}; keep one of them"
            )
        repeated += 1
    return list(first.values()), repeated


def _nothing_known(what: str, theirs: str, where: str, ours: Mapping[str, int]) -> str:
    return (
        f"{where}: no judged {what} id is known: the judgements say {theirs!r}, the dataset says {next(iter(ours))!r}; "
        "check that both belong to the same collection"
    )


def _unknown_note(strict: bool, what: str, rows: list[tuple[str, str]], ours: Mapping[str, int]) -> list[str]:
    if not rows:
        return []
    theirs = list(dict.fromkeys(name for name, _ in rows))
    fate = "in every denominator" if what == "document" else "left out"
    unknown = counted(len(theirs), f"unknown {what}", "unknown queries" if what == "query" else "")
    text = (
        f"{counted(len(rows), 'judgement')} of {unknown} ({fate}): theirs {_examples(theirs)}, "
        f"ours {_examples(ours)}{_likely(near_misses(theirs, ours))}"
    )
    if strict:
        raise DataError(f"{rows[0][1]}: {text}; correct the ids, or set strict=false")
    return [text]


def _examples(ids: Sequence[str] | Mapping[str, int]) -> str:
    return ", ".join(repr(name) for name, _ in zip(ids, range(EXAMPLES), strict=False))


def _likely(found: list[NearMiss]) -> str:
    if not found:
        return ""
    shown = ", ".join(f"{miss.theirs!r} for {miss.ours!r} ({miss.way})" for miss in found[:EXAMPLES])
    return f"; misspelt, it seems, {len(found):,}: {shown}"


def _kind(stated: Judgements | None, rows: list[RawJudgement]) -> tuple[Judgements, list[str]]:
    if stated is not None:
        return stated, []
    if not rows:
        return "pooled", []
    if any(row.grade <= 0 for row in rows):
        return "pooled", ["judgements taken as pooled, as some grades are 0 or less; dataset.judgements=… states it"]
    return "positives_only", [
        "judgements taken as positives only, as every grade is above 0; dataset.judgements=complete or pooled states it"
    ]


def _qrels(rows: list[RawJudgement], positions: Positions, kind: Judgements) -> Qrels:
    missing = tuple(sorted({row.doc_id for row in rows if row.doc_id not in positions.documents}))
    place = dict(positions.documents) | {name: len(positions.documents) + at for at, name in enumerate(missing)}
    table = np.array(
        [(positions.queries[row.query_id], place[row.doc_id], row.grade) for row in rows], dtype=np.int64
    ).reshape(-1, 3)
    table = table[np.lexsort((table[:, 1], table[:, 0]))]
    indptr = np.searchsorted(table[:, 0], np.arange(len(positions.queries) + 1)).astype(np.int64)
    return Qrels(indptr, table[:, 1].astype(np.int32), table[:, 2].astype(np.int32), missing, kind)


def _counts(qrels: Qrels, homeless: list[RawJudgement], absent: list[RawJudgement], repeated: int) -> dict[str, int]:
    per_query = np.diff(qrels.indptr)
    relevant = np.concatenate([[0], np.cumsum(qrels.grades > 0)])
    with_relevant = np.diff(relevant[qrels.indptr]) > 0
    judged = per_query > 0
    return {
        "judgements": len(qrels.docs),
        "judged_queries": int(judged.sum()),
        "unjudged_queries": int((~judged).sum()),
        "queries_without_relevant": int((judged & ~with_relevant).sum()),
        "missing_documents": len(qrels.missing),
        "judgements_of_missing_documents": len(absent),
        "judgements_of_unknown_queries": len(homeless),
        "repeated_judgements": repeated,
    }
