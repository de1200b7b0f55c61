"""What is measured of answers: citations, their support, and what came with the answers. One column an answer.

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

from pipeline.answers.judged import read_judge
from pipeline.answers.reading import Cited
from pipeline.answers.squad import exact, f1
from pipeline.answers.support import marks
from pipeline.citations import MEASURES, OF_ANSWERS, score_table
from pipeline.records import Answer, ScoreTable
from pipeline.support import Checked, cited_support, without

HELD: Mapping[str, Callable[[str, Sequence[str]], float]] = {"f1": f1, "exact": exact}  # against the references


class Case(NamedTuple):
    """One answer, read, its sentences with citations checked against the texts that they cite."""

    answer: Answer
    cited: Cited
    checked: tuple[Checked, ...] = ()


@dataclass(frozen=True)
class Measure:
    """One measure of answers. `value` is NaN where it is undefined, and `why` says why, as it is counted."""

    name: str
    value: Callable[[Case], float]
    why: Callable[[Case], str]


def beside(answers: Sequence[Answer]) -> tuple[Measure, ...]:
    """The measures beside the citations for which these answers bring anything."""
    found = [Measure("cited_support", lambda case: cited_support(case.checked), _unchecked)]
    if any(one.judge is not None for one in answers):
        found.append(Measure("judged_support", _judged, _not_judged))
    brought = sorted({name for one in answers for name in one.scores})
    found += [Measure(f"{OF_ANSWERS}{name}", partial(_brought, name), partial(_not_brought, name)) for name in brought]
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


def _unchecked(case: Case) -> str:
    if case.answer.text is None:
        return "no answer"
    return "no text of what it cites" if case.checked else "no valid citation"


def _judged(case: Case) -> float:
    said = read_judge(case.answer)
    return math.nan if said is None else said.share


def _not_judged(case: Case) -> str:
    return "not judged" if case.answer.judge is None else "reply of the judge cannot be counted"


def _no_reference(_: Case) -> str:
    return "no reference"


def _bare(case: Case) -> str:
    """The answer with a blank for each citation mark; a citation that covers what it supports is no mark."""
    return without(case.answer.text or "", marks(case.cited))
