"""All families of measures in one table: name, words, what they need, when they are undefined, what holds of them.

A new measure is one function with its row here, and one worked example in docs/measures.md: its golden test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from pipeline.metrics import budgets, gains, pools, recency, users
from pipeline.metrics.contexts import Filled
from pipeline.metrics.measure import Counted, Measure, Value
from pipeline.metrics.ranked import Ranked
from pipeline.records import Floats

View = TypeVar("View")


@dataclass(frozen=True)
class Param:
    """A parameter: `P(rel=2)@5`. No default = it must be given, as in `example`. `low` <= value <= `high` for numbers.

    `of_scale`: it is the highest grade of the dataset's scale, and may be left to the dataset.
    """

    name: str
    kind: type[bool] | type[int] | type[float]
    default: Value | None = None
    low: float = 0.0
    high: float = float("inf")
    example: str = ""
    of_scale: bool = False


REL = Param("rel", int, 1, low=1)
JUDGED_ONLY = Param("judged_only", bool, False)
PERSISTENCE = Param("p", float, low=0.001, high=0.999, example="0.8")
WHOLE = Param("whole", bool, False)
ALL = Param("all", bool, False)
HALF_LIFE = Param("half_life", float, low=0.01, high=1e9, example="30")  # days
HIGHEST = Param("max", int, low=1, high=30, example="3", of_scale=True)

# Relations that hold of a family and that one test checks for all of them. In each, "better" is a higher grade.
BOUNDED = "lies in [0, 1]"
POSITIVE = "is never below 0"
SWAP = "never falls when a better hit moves up past a worse one"
PERFECT = "is 1 for all relevant documents first, best first, where the cutoff lets them in"
ZERO = "is 0 without a relevant hit"
BELOW = "does not see hits below its cutoff"
CUTOFF = "never falls with the cutoff"
TAIL = "does not see unlisted hits appended to the list"
GROWS = "never falls when a hit is appended to the list"
REPLACE = "never falls when an irrelevant hit makes way for a relevant document that was missed"
BINARY = "sees only whether a grade reaches the level"
HOLES = "does not see unlisted hits anywhere in the list"
TIES = "is smallest and largest over tie orders for the worst and the best grades first, or the reverse"
SPLIT = "does not change when a chunk is split in two"
REPEAT = "does not change when text is appended that the context already holds"
LONGER = "never falls when a chunk is appended to the context"

COMMON = frozenset({BOUNDED, SWAP, ZERO, BELOW, CUTOFF, GROWS, REPLACE, TIES})
GRADED = (COMMON - {CUTOFF}) | {PERFECT, TAIL}
SUMMED = (COMMON - {BOUNDED}) | {POSITIVE, TAIL}
SETS = frozenset({BOUNDED, ZERO, SWAP, REPLACE, BINARY, TIES})
BUDGET = frozenset({BOUNDED, CUTOFF, SPLIT, REPEAT, LONGER})


@dataclass(frozen=True)
class Family(Generic[View]):
    """One kind of measure, for any cutoff and parameters."""

    name: str
    word: str
    compute: Callable[[View, Measure], Floats]
    relations: frozenset[str]
    cutoff: Literal["required", "optional", "none"] = "required"
    params: tuple[Param, ...] = (REL, JUDGED_ONLY)
    domain: Literal["relevant", "judged", "spans", "any"] = "relevant"  # of the queries where it is defined
    pool: Literal["any", "judged", "sampled"] = "any"  # judged: more than positives; sampled: pooled ones unjudged too
    dated: bool = False  # needs dates and the day of the query
    nan_reason: str = ""  # why `compute` itself may give NaN


RANKED: tuple[Family[Ranked], ...] = (
    Family("nDCG", "ndcg", gains.ndcg, GRADED, "optional", (JUDGED_ONLY,)),
    Family("nDCG_exp", "ndcg_exp", gains.ndcg_exp, GRADED, "optional", (JUDGED_ONLY,)),
    Family("DCG", "dcg", gains.dcg, SUMMED, "optional", (JUDGED_ONLY,)),
    Family("DCG_exp", "dcg_exp", gains.dcg_exp, SUMMED, "optional", (JUDGED_ONLY,)),
    Family("R", "recall", gains.recall, COMMON | {PERFECT, TAIL, BINARY}),
    Family("P", "precision", gains.precision, (COMMON - {CUTOFF}) | {TAIL, BINARY}),
    Family("Success", "success", gains.success, COMMON | {PERFECT, TAIL, BINARY}),
    Family("RR", "mrr", gains.reciprocal_rank, COMMON | {PERFECT, TAIL, BINARY}, "optional"),
    Family("AP", "map", gains.average_precision, COMMON | {PERFECT, TAIL, BINARY}, "optional"),
    Family(
        "Rprec", "r_precision", gains.r_precision, (COMMON - {BELOW, CUTOFF}) | {PERFECT, TAIL, BINARY}, "none",
    ),
    Family(
        "bpref", "bpref", pools.bpref, (COMMON - {BELOW, CUTOFF}) | {PERFECT, TAIL, HOLES, BINARY},
        "none", (REL,), pool="judged",
    ),
    Family(
        "infAP", "infap", pools.inferred_ap, frozenset({BOUNDED, ZERO, TAIL, GROWS, BINARY}),
        "none", (REL,), pool="sampled",
    ),
    Family("SetP", "set_precision", users.set_precision, SETS, "none"),
    Family("SetR", "set_recall", users.set_recall, SETS | {PERFECT, TAIL, GROWS}, "none"),
    Family("SetF", "set_f", users.set_f, SETS, "none"),
    Family("ERR", "err", users.expected_reciprocal_rank, COMMON | {TAIL}, "optional", (HIGHEST, JUDGED_ONLY)),
    Family(
        "RBP", "rbp", users.rank_biased_precision, COMMON | {TAIL, BINARY}, "optional", (PERSISTENCE, REL, JUDGED_ONLY),
    ),
    Family(
        "RBPres", "rbp_residual", pools.rbp_residual, frozenset({BOUNDED, BELOW, TAIL, TIES}),
        "optional", (PERSISTENCE,),
    ),
    Family(
        "Judged", "judged", pools.judged_share, frozenset({BOUNDED, BELOW, TIES}),
        params=(), domain="judged", pool="judged", nan_reason="nothing retrieved",
    ),
    Family(
        "nDCG_t", "ndcg_t", recency.decayed_ndcg, frozenset({BOUNDED, ZERO, BELOW, TAIL, GROWS}),
        "optional", (HALF_LIFE,), dated=True, nan_reason="no relevant document by the query's day",
    ),
    Family(
        "Freshness", "freshness", recency.freshness, frozenset({BOUNDED, BELOW, TAIL}),
        "optional", (HALF_LIFE,), dated=True, nan_reason="no relevant hit",
    ),
)  # fmt: skip

BUDGETED: tuple[Family[Filled], ...] = (
    Family("R", "recall", budgets.document_recall, BUDGET, params=(REL,)),
    Family(
        "Rspan", "span_recall", budgets.span_recall, BUDGET,
        params=(WHOLE,), domain="spans", nan_reason="no evidence span",
    ),
    Family(
        "Full", "full_evidence", budgets.full_evidence, BUDGET,
        params=(WHOLE, ALL), domain="spans", nan_reason="no evidence span",
    ),
    Family(
        "Pspan", "span_precision", budgets.span_precision, frozenset({BOUNDED, SPLIT}),
        params=(WHOLE,), domain="spans", nan_reason="no evidence span",
    ),
    Family(
        "U", "u_measure", budgets.reading_utility, frozenset({BOUNDED, SPLIT, REPEAT}),
        params=(), domain="spans", nan_reason="no evidence span",
    ),
    Family(
        "Repeated", "repeated", budgets.repeated_share, frozenset({BOUNDED, SPLIT}),
        params=(WHOLE,), domain="any", nan_reason="nothing retrieved",
    ),
    Family("Filled", "filled", budgets.filled_share, frozenset({BOUNDED, SPLIT, LONGER}), params=(), domain="any"),
)  # fmt: skip

AnyFamily: TypeAlias = Family[Ranked] | Family[Filled]


def _table() -> dict[tuple[str, Counted], AnyFamily]:
    table: dict[tuple[str, Counted], AnyFamily] = {}
    for ranked in RANKED:
        table[ranked.name, "ranks"] = ranked
    for budgeted in BUDGETED:
        table[budgeted.name, "tokens"] = budgeted
    if len(table) != len(RANKED) + len(BUDGETED):
        raise ValueError("two families of measures share a name")
    return table


FAMILIES = _table()
"""(name, what the cutoff counts) -> family."""
