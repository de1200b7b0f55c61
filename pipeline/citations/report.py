"""How one answer cites its context: the textbook's fields by their names, and beside them the honest ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pipeline.citations.abstention import abstains
from pipeline.citations.context import Context
from pipeline.citations.near_misses import NearMiss, near_misses
from pipeline.citations.occurrences import Occurrence, Reading
from pipeline.citations.reading import Settings, read

State: TypeAlias = Literal["cited", "uncited", "format broken", "abstained", "empty", "missing"]


@dataclass(frozen=True)
class AnswerReport:
    """One answer. NaN = undefined; the textbook's values for the same case are in `coverage` and `faithfulness`."""

    # the textbook's fields
    total_citations: int
    valid_citations: int  # with those found by a near match
    invalid_citations: int  # the rest: unknown ids, and those that may mean two documents
    context_docs: int  # distinct
    cited_docs: int  # distinct
    coverage: float  # cited_docs / context_docs, 0 without context
    faithfulness: float  # valid_citations / total_citations, 1 without citations
    uncited_docs: tuple[str, ...]  # in prompt order
    invalid_refs: tuple[str, ...]  # in the order of the answer
    # the honest ones
    state: State
    citation_validity: float  # valid / total; undefined without citations
    context_coverage: float  # cited / context; undefined without context, or where the answer abstains
    relevant_context_coverage: float  # the same over the relevant documents of the context
    sentence_coverage: float  # share of sentences with a citation; undefined without sentences, or where it abstains
    cited_relevance: float  # share of the cited documents that are judged relevant; undefined without judged ones
    cited_recall: float  # share of all relevant documents that are cited
    duplicate_share: float  # share of valid citations whose document was cited before in the same sentence
    citation_position: float  # mean place of the citations in the answer: 0 = start, 1 = end
    cited_rank: float  # mean place in the prompt of the cited documents, from 1
    ambiguous: int
    fuzzy: int
    sentences: int
    numbering: str
    occurrences: tuple[Occurrence, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()


def report(
    answer: str | None,
    context: Context,
    settings: Settings | None = None,
    *,
    grades: Mapping[str, int] | None = None,
    reading: Reading | None = None,
) -> AnswerReport:
    """The report of one answer; `grades` = judgements of its query by document id, None = not judged.

    `reading` = an answer read already (structured citations of a provider).
    """
    found = read(answer, context, settings) if reading is None else reading
    close = near_misses(answer, context, found) if answer else ()
    return _measured(answer, context, found, close, grades)


def _measured(
    answer: str | None, context: Context, found: Reading, close: tuple[NearMiss, ...], grades: Mapping[str, int] | None
) -> AnswerReport:
    valid = [one for one in found.occurrences if one.doc_id is not None]
    total = len(found.occurrences)
    cited = dict.fromkeys(one.doc_id for one in valid if one.doc_id is not None)
    docs = context.distinct
    judged = _judged(cited, docs, grades)
    state = _state(answer, found, close)
    spoke = state in ("cited", "uncited", "format broken")
    return AnswerReport(
        total_citations=total,
        valid_citations=len(valid),
        invalid_citations=total - len(valid),
        context_docs=len(docs),
        cited_docs=len(cited),
        coverage=len(cited) / len(docs) if docs else 0.0,
        faithfulness=len(valid) / total if total else 1.0,
        uncited_docs=tuple(doc for doc in docs if doc not in cited),
        invalid_refs=tuple(one.cited for one in found.occurrences if one.doc_id is None),
        state=state,
        citation_validity=_share(len(valid), total),
        context_coverage=_share(len(cited), len(docs)) if spoke else math.nan,
        relevant_context_coverage=judged[0] if spoke else math.nan,
        sentence_coverage=_sentence_coverage(found) if spoke else math.nan,
        cited_relevance=judged[1],
        cited_recall=judged[2] if spoke else math.nan,
        duplicate_share=_share(len(valid) - len({(one.doc_id, one.sentence) for one in valid}), len(valid)),
        citation_position=_mean([one.start / len(answer) for one in found.occurrences if answer]),
        cited_rank=_mean([context.ids.index(doc) + 1 for doc in cited]),
        ambiguous=sum(one.resolution == "ambiguous" for one in found.occurrences),
        fuzzy=sum(one.resolution == "fuzzy" for one in found.occurrences),
        sentences=len(found.sentences),
        numbering=found.numbering,
        occurrences=found.occurrences,
        near_misses=close,
    )


def _state(answer: str | None, reading: Reading, close: Sequence[NearMiss]) -> State:
    if answer is None:
        return "missing"
    if not answer.strip():
        return "empty"
    if reading.occurrences:
        return "cited"
    if abstains(answer, reading.sentences, cited=False):
        return "abstained"
    broken = bool(close) or any(one.reason == "unterminated" for one in reading.left_out)
    return "format broken" if broken else "uncited"


def _judged(
    cited: Mapping[str, None], docs: Sequence[str], grades: Mapping[str, int] | None
) -> tuple[float, float, float]:
    """Coverage of the relevant context, share of judged cited documents that are relevant, recall of the relevant."""
    if grades is None:
        return math.nan, math.nan, math.nan
    relevant = {doc for doc, grade in grades.items() if grade > 0}
    in_context = [doc for doc in docs if doc in relevant]
    judged = [doc for doc in cited if grades.get(doc, -1) >= 0]
    return (
        _share(sum(doc in cited for doc in in_context), len(in_context)),
        _share(sum(doc in relevant for doc in judged), len(judged)),
        _share(sum(doc in cited for doc in relevant), len(relevant)),
    )


def _sentence_coverage(reading: Reading) -> float:
    holding = {one.sentence for one in reading.occurrences if one.sentence >= 0}
    return _share(len(holding), len(reading.sentences))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
