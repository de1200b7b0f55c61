"""What is measured of answers: their citations, and beside them what came with the answers. One column an answer.

A measure beside the citations is a row of `beside`: its name, its value for one answer, and why there is none. Its name
must be one that `pipeline.citations.of_answers` knows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from pipeline.answers.reading import Cited
from pipeline.answers.squad import exact, f1
from pipeline.citations import MEASURES, OF_ANSWERS, score_table
from pipeline.records import Answer, ScoreTable

COVERING = ("anthropic", "cohere")  # providers whose citations cover what they support, and are no marks
HELD: Mapping[str, Callable[[str, Sequence[str]], float]] = {"f1": f1, "exact": exact}  # against the references


class Case(NamedTuple):
    """One answer, read."""

    answer: Answer
    cited: Cited


@dataclass(frozen=True)
class Measure:
    """One measure of answers. `value` is NaN where it is undefined, and `why` says why, as it is counted."""

    name: str
    value: Callable[[Case], float]
    why: Callable[[Case], str]


def beside(answers: Sequence[Answer]) -> tuple[Measure, ...]:
    """The measures beside the citations for which these answers bring anything."""
    brought = sorted({name for one in answers for name in one.scores})
    found = [Measure(f"{OF_ANSWERS}{name}", partial(_brought, name), partial(_not_brought, name)) for name in brought]
    if any(one.references for one in answers):
        found += [Measure(f"{OF_ANSWERS}{name}", partial(_against, how), _no_reference) for name, how in HELD.items()]
    return tuple(found)


def names(answers: Sequence[Answer]) -> tuple[str, ...]:
    """All that is measured of these answers, in the order of their table."""
    return (*MEASURES, *(measure.name for measure in beside(answers)))


def answer_table(cases: Sequence[Case], more: Sequence[Measure]) -> ScoreTable:
    """Measure x answer: citations, then `more`; NaN = undefined, with the reasons counted."""
    table = score_table([case.answer.id for case in cases], [case.cited.report for case in cases])
    rows = np.array([[measure.value(case) for case in cases] for measure in more], np.float64)
    rows = rows.reshape(len(more), len(cases))
    undefined = dict(table.undefined)
    for measure, row in zip(more, rows, strict=True):
        reasons = Counter(measure.why(case) for case, value in zip(cases, row, strict=True) if math.isnan(value))
        if reasons:
            undefined[measure.name] = dict(reasons)
    measures = (*table.measures, *(measure.name for measure in more))
    return ScoreTable(measures, table.query_ids, np.vstack([table.values, rows]), undefined)


def _brought(name: str, case: Case) -> float:
    return case.answer.scores.get(name, math.nan)


def _not_brought(name: str, case: Case) -> str:
    return "undecided" if name in case.answer.scores else "not scored"


def _against(how: Callable[[str, Sequence[str]], float], case: Case) -> float:
    """The answer without its citation marks against its references; 0 where there is no answer, as SQuAD has it."""
    return how(_bare(case), case.answer.references) if case.answer.references else math.nan


def _no_reference(_: Case) -> str:
    return "no reference"


def _bare(case: Case) -> str:
    """The answer with a blank for each citation mark; a citation that covers what it supports is no mark."""
    text = case.answer.text or ""
    marks = {(one.start, one.end) for one in case.cited.report.occurrences if one.format not in COVERING}
    pieces, at = [], 0
    for start, end in sorted(marks):
        pieces.append(text[at:start])
        at = max(at, end)
    return " ".join([*pieces, text[at:]])
