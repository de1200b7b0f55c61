"""All families of measures in one table: name, words, what they need, when they are undefined.

A new measure is one function and one row here (and its golden test).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from pipeline.metrics import budgets, gains
from pipeline.metrics.contexts import Filled
from pipeline.metrics.measure import Counted, Measure, Value
from pipeline.metrics.ranked import Ranked
from pipeline.records import Floats

View = TypeVar("View")


@dataclass(frozen=True)
class Param:
    """A parameter: `P(rel=2)@5`. None as default = it must be given. `low` <= value <= `high` for numbers."""

    name: str
    kind: type[bool] | type[int] | type[float]
    default: Value | None
    low: float = 0.0
    high: float = float("inf")


REL = Param("rel", int, 1, low=1)
JUDGED_ONLY = Param("judged_only", bool, False)


@dataclass(frozen=True)
class Family(Generic[View]):
    """One kind of measure, for any cutoff and parameters."""

    name: str
    word: str
    compute: Callable[[View, Measure], Floats]
    cutoff: Literal["required", "optional", "none"] = "required"
    params: tuple[Param, ...] = (REL, JUDGED_ONLY)
    domain: Literal["relevant", "judged", "spans"] = "relevant"
    needs_judged: bool = False  # has no meaning where only positives are listed
    nan_reason: str = ""  # why `compute` itself may give NaN


RANKED: tuple[Family[Ranked], ...] = (
    Family("nDCG", "ndcg", gains.ndcg, "optional", (JUDGED_ONLY,)),
    Family("nDCG_exp", "ndcg_exp", gains.ndcg_exp, "optional", (JUDGED_ONLY,)),
    Family("DCG", "dcg", gains.dcg, "optional", (JUDGED_ONLY,)),
    Family("DCG_exp", "dcg_exp", gains.dcg_exp, "optional", (JUDGED_ONLY,)),
    Family("R", "recall", gains.recall),
    Family("P", "precision", gains.precision),
    Family("Success", "success", gains.success),
    Family("RR", "mrr", gains.reciprocal_rank, "optional"),
    Family("AP", "map", gains.average_precision, "optional"),
    Family("Rprec", "r_precision", gains.r_precision, "none"),
    Family(
        "Judged", "judged", gains.judged_share, params=(), domain="judged", needs_judged=True,
        nan_reason="nothing retrieved",
    ),
)  # fmt: skip

BUDGETED: tuple[Family[Filled], ...] = (
    Family("R", "recall", budgets.document_recall, params=(REL,)),
    Family("Rspan", "span_recall", budgets.span_recall, params=(), domain="spans", nan_reason="no evidence span"),
)

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
