"""Rankings of some queries with the grades of their hits: what every ranked measure is a function of."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pipeline.errors import DataError
from pipeline.metrics.blocks import UNLISTED, join, ragged
from pipeline.records import Bools, Floats, Ints, Longs, Qrels, Run


@dataclass(frozen=True, eq=False)
class Ages:
    """How many days everything is older than the query's day; infinite = worth nothing, whatever the half-life."""

    hit_grades: Ints  # (n, width): grades of the hits that the query's day allows, best hit first
    hits: Floats  # (n, width)
    grades: Ints  # (n, j): of the judgements that it allows, in any order
    judged: Floats  # (n, j)


@dataclass(frozen=True, eq=False)
class Ranked:
    """n queries; UNLISTED = not in the judgements, or nothing there. Other negative grades: pooled, not judged."""

    grades: Ints  # (n, width): grade of every hit, best hit first
    retrieved: Longs  # (n,): number of hits
    judged: Ints  # (n, j): grades of all judgements, descending
    signed: bool = False  # negative grades are gains below zero (the user's functions)
    ages: Ages | None = None  # how old everything is, where a measure asks
    _relevant: dict[int, Bools] = field(default_factory=dict, repr=False)
    _hits: dict[int, Ints] = field(default_factory=dict, repr=False)

    @property
    def width(self) -> int:
        """Longest ranking that fits."""
        return int(self.grades.shape[1])

    def relevant(self, level: int = 1) -> Bools:
        """(n, width): whether the hit's grade is at least `level`."""
        if level not in self._relevant:
            self._relevant[level] = self.grades >= level
        return self._relevant[level]

    def hits(self, level: int = 1) -> Ints:
        """(n, width): relevant hits up to and including each rank."""
        if level not in self._hits:
            self._hits[level] = np.cumsum(self.relevant(level), axis=1, dtype=np.int32)
        return self._hits[level]

    def found(self, cutoff: int | None, level: int = 1) -> Floats:
        """(n,): relevant hits among the first `cutoff`."""
        last = self.width if cutoff is None else min(cutoff, self.width)
        return self.hits(level)[:, last - 1].astype(np.float64)

    def total(self, level: int = 1) -> Floats:
        """(n,): relevant documents among the judgements, those that the corpus lacks included."""
        counts: Floats = np.count_nonzero(self.judged >= level, axis=1).astype(np.float64)
        return counts

    @cached_property
    def condensed(self) -> Ranked:
        """The same rankings without the hits that nobody judged (grade 0 and above stays)."""
        kept = self.grades >= 0
        order = np.argsort(~kept, axis=1, kind="stable")
        grades = np.take_along_axis(np.where(kept, self.grades, UNLISTED), order, axis=1)
        return Ranked(grades, np.count_nonzero(kept, axis=1), self.judged, self.signed)


def rank_block(run: Run, qrels: Qrels, rows: Longs, *, negatives_judged: bool = False, signed: bool = False) -> Ranked:
    """The rankings of the queries `rows` with their grades.

    `negatives_judged`: a grade below 0 is a judgement "not relevant" (grade 0) instead of "pooled, not judged".
    DataError where a ranking has a hole or a document twice.
    """
    items = run.items[rows] if run.items.shape[1] else np.full((len(rows), 1), -1, np.int32)
    filled = items >= 0
    if (filled[:, 1:] > filled[:, :-1]).any():
        raise DataError("a ranking has a hole (-1 before a document); -1 may only stand behind the last hit")
    entry = ragged(qrels.indptr, rows)
    docs = np.full((len(rows), entry.width), -1, np.int32)
    grade = np.full((len(rows), entry.width), UNLISTED, np.int32)
    docs[entry.row, entry.column] = qrels.docs[entry.at]
    lowest = 0 if negatives_judged and not signed else UNLISTED + 1
    grade[entry.row, entry.column] = np.maximum(qrels.grades[entry.at], lowest)
    pair = join(docs, items, rows, repeats=False)
    grades = np.full(items.shape, UNLISTED, np.int32)
    grades[pair.row, pair.hit] = grade[pair.row, pair.judgement]
    return Ranked(grades, np.count_nonzero(filled, axis=1), -np.sort(-grade, axis=1), signed)
