"""The functions people know from the textbook harness, by the same names and with the same results.

Lists and dictionaries of strings in, numbers out; every special case is the textbook's: nothing relevant scores 0,
an answer without citations is faithful (1.0), a mean of nothing raises. The vectorised measures of `pipeline.metrics`
under `policy: seed` give the same values.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from statistics import mean

CITATION_PATTERNS = {
    "bracket_number": r"\[(\d+)\]",
    "doc_id": r"\[doc_id\s+(\w+)\]",
    "source_ref": r"\[\[ref:(\w+)\]\]",
    "footnote": r"\[fn:(\d+)\]",
}
"""Name -> regular expression whose one group is the cited document id."""


def precision_at_k(retrieved: Sequence[str], relevant: Set[str], k: int) -> float:
    """Relevant among the first k, divided by k even if fewer came back; 0 where k is 0. A repeated id counts again."""
    if k == 0:
        return 0.0
    return sum(1 for doc_id in retrieved[:k] if doc_id in relevant) / k


def recall_at_k(retrieved: Sequence[str], relevant: Set[str], k: int) -> float:
    """Share of the relevant documents among the first k; 0 where nothing is relevant. A repeated id counts once."""
    if not relevant:
        return 0.0
    return len(set(retrieved[:k]) & relevant) / len(relevant)


def reciprocal_rank(retrieved: Sequence[str], relevant: Set[str]) -> float:
    """1 / rank of the first relevant document, 0 where there is none."""
    for rank, doc_id in enumerate(retrieved, start=1):
        if doc_id in relevant:
            return 1.0 / rank
    return 0.0


def average_precision(retrieved: Sequence[str], relevant: Set[str]) -> float:
    """Sum of the precision at each relevant document, divided by all relevant ones; 0 where nothing is relevant."""
    if not relevant:
        return 0.0
    hits = 0
    total = 0.0
    for rank, doc_id in enumerate(retrieved, start=1):
        if doc_id in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant)


def ndcg_at_k(retrieved: Sequence[str], relevant: Mapping[str, int], k: int) -> float:
    """DCG@k with gain 2^grade - 1, divided by that of all judged documents in the best order; 0 where that is 0.

    `relevant`: document id -> grade.
    """
    ideal = _dcg(sorted(relevant.values(), reverse=True)[:k])
    if ideal == 0:
        return 0.0
    return _dcg([relevant.get(doc_id, 0) for doc_id in retrieved[:k]]) / ideal


def _dcg(grades: Sequence[int]) -> float:
    """Sum over ranks of (2^grade - 1) / log2(rank + 1), in rank order."""
    score = 0.0
    for rank, grade in enumerate(grades, start=1):
        score += (2**grade - 1) / math.log2(rank + 1)
    return score


def bootstrap_ci(
    scores_a: Sequence[float],
    scores_b: Sequence[float],
    n_bootstrap: int = 1000,
    confidence: float = 0.95,
    *,
    rng: random.Random | None = None,
) -> tuple[float, float, float]:
    """Mean of the resampled differences of means A - B, and the ends of their percentile interval.

    Queries are resampled in pairs. `rng` = where the draws come from; None = the `random` module's own generator,
    as in the textbook, so `random.seed` decides. `pipeline.stats` has the interval that verdicts rest on.
    """
    randint = random.randint if rng is None else rng.randint
    count = len(scores_a)
    differences = []
    for _ in range(n_bootstrap):
        drawn = [randint(0, count - 1) for _ in range(count)]
        differences.append(mean([scores_a[i] for i in drawn]) - mean([scores_b[i] for i in drawn]))
    differences.sort()
    alpha = (1 - confidence) / 2
    low = differences[int(alpha * n_bootstrap)]
    high = differences[int((1 - alpha) * n_bootstrap)]
    return mean(differences), low, high


@dataclass
class CitationReport:
    """How an answer cites its context."""

    total_citations: int
    valid_citations: int
    invalid_citations: int  # cited ids that are not in the context
    context_docs: int
    cited_docs: int  # distinct context documents that are cited
    coverage: float  # cited_docs / context_docs, 0 without context
    faithfulness: float  # valid_citations / total_citations, 1 without citations
    uncited_docs: list[str]  # in the order of the context
    invalid_refs: list[str]  # in the order of the answer


def evaluate_citations(
    answer: str,
    context_doc_ids: Sequence[str],
    citation_pattern: str = CITATION_PATTERNS["doc_id"],
) -> CitationReport:
    """The citations of `answer` that `citation_pattern` finds, checked against the context."""
    cited = re.findall(citation_pattern, answer)
    context = set(context_doc_ids)
    valid = [doc_id for doc_id in cited if doc_id in context]
    invalid = [doc_id for doc_id in cited if doc_id not in context]
    distinct = set(valid)
    return CitationReport(
        total_citations=len(cited),
        valid_citations=len(valid),
        invalid_citations=len(invalid),
        context_docs=len(context_doc_ids),
        cited_docs=len(distinct),
        coverage=len(distinct) / len(context_doc_ids) if context_doc_ids else 0.0,
        faithfulness=len(valid) / len(cited) if cited else 1.0,
        uncited_docs=[doc_id for doc_id in context_doc_ids if doc_id not in distinct],
        invalid_refs=invalid,
    )


def evaluate_with_pattern(answer: str, context_ids: Sequence[str], pattern_name: str = "doc_id") -> CitationReport:
    """The same with a pattern of CITATION_PATTERNS by name; KeyError for another name."""
    return evaluate_citations(answer, context_ids, CITATION_PATTERNS[pattern_name])


@dataclass
class QueryResult:
    """One query: what came back, what is relevant, and the answer where there is one."""

    query_id: str
    retrieved_ids: list[str]
    relevant_ids: set[str]
    relevance_grades: dict[str, int]
    generated_answer: str = ""
    context_doc_ids: list[str] = field(default_factory=list)


@dataclass
class EvalReport:
    """Means over queries; those of citations over the queries with answer and context, 0 where there are none.

    nDCG, precision and recall are cut at the `k` of `evaluate_batch`, whatever their names say.
    """

    num_queries: int
    mean_ndcg_10: float
    mean_mrr: float
    mean_precision_10: float
    mean_recall_10: float
    mean_map: float
    mean_citation_faithfulness: float
    mean_citation_coverage: float


def evaluate_batch(results: Sequence[QueryResult], k: int = 10) -> EvalReport:
    """The report over all queries; statistics.StatisticsError where there are none."""
    citations = [
        evaluate_citations(one.generated_answer, one.context_doc_ids)
        for one in results
        if one.generated_answer and one.context_doc_ids
    ]
    return EvalReport(
        num_queries=len(results),
        mean_ndcg_10=mean([ndcg_at_k(one.retrieved_ids, one.relevance_grades, k) for one in results]),
        mean_mrr=mean([reciprocal_rank(one.retrieved_ids, one.relevant_ids) for one in results]),
        mean_precision_10=mean([precision_at_k(one.retrieved_ids, one.relevant_ids, k) for one in results]),
        mean_recall_10=mean([recall_at_k(one.retrieved_ids, one.relevant_ids, k) for one in results]),
        mean_map=mean([average_precision(one.retrieved_ids, one.relevant_ids) for one in results]),
        mean_citation_faithfulness=mean([one.faithfulness for one in citations]) if citations else 0.0,
        mean_citation_coverage=mean([one.coverage for one in citations]) if citations else 0.0,
    )
