"""Which context budgets an experiment rests on, told by its measures."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.metrics.measure import Measure

USUAL = 2048  # tokens
KEPT = 16_384  # tokens


def budgets(measures: Sequence[Measure]) -> tuple[int, ...]:
    """The budgets that are measured, in their order."""
    return tuple(m.cutoff for m in measures if m.counted == "tokens" and m.cutoff is not None)


def found_within(measures: Sequence[Measure]) -> int:
    """Context tokens within which a thing counts as found: USUAL if that is measured or nothing is, else the first."""
    known = budgets(measures)
    return USUAL if not known or USUAL in known else known[0]


def kept_tokens(measures: Sequence[Measure]) -> int:
    """Tokens of chunks whose ranks are kept: KEPT, or twice the largest budget, as tokenizers count differently."""
    return max(KEPT, 2 * max(budgets(measures), default=0))
