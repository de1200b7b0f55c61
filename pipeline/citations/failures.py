"""What went wrong with an answer, from retrieval and citations together; and the two kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pipeline.citations.report import AnswerReport

FAILURES = {
    "not retrieved": "no relevant document was retrieved",
    "not in context": "a relevant document was retrieved, none reached the context",
    "abstained": "a relevant document is in the context, the answer declines",
    "no answer": "missing or empty",
    "format broken": "something like citations, none in a format that is read",
    "nothing cited": "an answer without citations",
    "not cited": "a relevant document is in the context, the answer cites others",
    "cited irrelevant": "cites a document judged irrelevant",
    "fabricated id": "cites what is not in the context",
    "ambiguous id": "a citation that may mean two documents",
}
"""Failure -> what it means, in the order of the pipeline: the first that holds is the cause."""

Retrieval: TypeAlias = Literal["good", "bad", "nothing to find", "not judged"]


@dataclass(frozen=True)
class Failures:
    """One answer: all failures that hold, in the order of the pipeline."""

    names: tuple[str, ...]
    retrieval: Retrieval  # good = a relevant document is in the context
    citations_good: bool  # cites, and everything it cites is there; or declines where nothing relevant is there

    @property
    def cause(self) -> str:
        """The first failure, or ""."""
        return self.names[0] if self.names else ""


@dataclass(frozen=True)
class FailureTable:
    """Many answers."""

    answers: int
    counts: Mapping[str, int]  # failure -> answers with it; one answer may have several
    causes: Mapping[str, int]  # failure -> answers of which it is the cause
    clean: int  # answers without a failure
    fields: Mapping[tuple[str, str], int]  # (retrieval in one word, citations good|bad) -> answers

    @property
    def clean_share(self) -> float:
        """Share of answers without a failure: what configurations are ranked by."""
        return self.clean / self.answers if self.answers else float("nan")


def failures_of(
    report: AnswerReport,
    *,
    context: Sequence[str],
    grades: Mapping[str, int] | None = None,
    retrieved: Sequence[str] | None = None,
) -> Failures:
    """The failures of one answer.

    `grades`: judgements of the query by document id, None = not judged; `retrieved`: what the retriever found, None =
    not known, then the context stands for it. A query without a relevant document has no failure of retrieval.
    """
    relevant = {doc for doc, grade in (grades or {}).items() if grade > 0}
    there = relevant & set(context)
    found = bool(relevant & set(context if retrieved is None else retrieved)) or bool(there)
    cited = {one.doc_id for one in report.occurrences if one.doc_id is not None}
    spoke = report.state in ("cited", "uncited", "format broken")
    held = {
        "not retrieved": bool(relevant) and not found,
        "not in context": found and not there,
        "abstained": report.state == "abstained" and bool(there),
        "no answer": report.state in ("missing", "empty"),
        "format broken": report.state == "format broken",
        "nothing cited": report.state == "uncited",
        "not cited": bool(there) and report.state == "cited" and not there & cited,
        "cited irrelevant": any((grades or {}).get(doc or "", 1) == 0 for doc in cited),
        "fabricated id": any(one.resolution == "invalid" for one in report.occurrences),
        "ambiguous id": report.ambiguous > 0,
    }
    good = report.state == "cited" and report.invalid_citations == 0
    declined = not spoke and report.state == "abstained" and not there
    retrieval: Retrieval = "good" if there else "bad" if relevant else "nothing to find"
    if grades is None:
        retrieval = "not judged"
    return Failures(tuple(name for name in FAILURES if held[name]), retrieval, good or declined)


def failure_table(failures: Sequence[Failures]) -> FailureTable:
    """All answers of one configuration."""
    counts = Counter(name for one in failures for name in one.names)
    causes = Counter(one.cause for one in failures if one.cause)
    return FailureTable(
        answers=len(failures),
        counts={name: counts[name] for name in FAILURES},
        causes={name: causes[name] for name in FAILURES},
        clean=sum(not one.names for one in failures),
        fields=dict(Counter((one.retrieval, "good" if one.citations_good else "bad") for one in failures)),
    )


def ranked(tables: Mapping[str, FailureTable]) -> tuple[str, ...]:
    """Configurations by their share of answers without a failure, best first.

    Ties by fewer answers of which the cause is the first stage, then by name: with one file of answers beside every
    ranking all shares are equal, and what was not retrieved is what differs.
    """
    first = next(iter(FAILURES))
    return tuple(sorted(tables, key=lambda name: (-tables[name].clean_share, tables[name].causes[first], name)))
