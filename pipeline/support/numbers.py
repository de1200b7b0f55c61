"""Numbers as they are written become what they mean: every reading a spelling allows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from pipeline.support.units import Unit

_LONGEST = 24  # digits; longer ones are names, and would be rounded
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*")
_MIXED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})+[.,]\d+")
_PLAIN = re.compile(r"\d+(?:[.,]\d+)?")


class Amount(NamedTuple):
    """One reading of a number: its value, and what it counts."""

    value: Decimal
    unit: Unit | None


def values(written: str, english: bool = True) -> list[Decimal]:
    """All numbers that `written` may be; [] = none but a name, as 3.11.2.

    `12 000` is 12000, and 12 and 0 as well: a blank may part two numbers. `1,000` is 1000 and `1.000` is 1 in
    English; elsewhere either may be either.
    """
    if len(written) > _LONGEST or "\n" in written:
        return []
    parts = written.split()
    found = [] if len(parts) == 1 else [_decimal("".join(parts).replace(",", "."))]
    for part in parts:
        found.extend(_one(part, english))
    return list(dict.fromkeys(found))


def _one(part: str, english: bool) -> list[Decimal]:
    """Readings of a number without blanks."""
    grouped = _GROUPED.fullmatch(part) is not None and not part.startswith("0")
    if _MIXED.fullmatch(part) and not grouped:
        at = max(part.rfind("."), part.rfind(","))
        return [_decimal(re.sub(r"\D", "", part[:at]) + "." + part[at + 1 :])]
    found = []
    if grouped and not (english and part.count(".") == 1):
        found.append(_decimal(re.sub(r"\D", "", part)))
    if _PLAIN.fullmatch(part) and not (english and grouped and "," in part):
        found.append(_decimal(part.replace(",", ".")))
    elif "," in part and "." not in part and not grouped:
        found.extend(_decimal(one) for one in part.split(","))
    return found


def offered(amounts: Iterable[Amount]) -> frozenset[str]:
    """The readings that a number of a source bears out."""
    return frozenset(
        reading
        for value, unit in amounts
        for reading in (f"n:{plain(value)}", _measured(value, unit) if unit else f"bare:{plain(value)}")
    )


def wanted(amounts: Iterable[Amount]) -> frozenset[str]:
    """The readings of which a claim needs one: its quantity, or the number alone where the source names no unit."""
    return frozenset(
        reading
        for value, unit in amounts
        for reading in ((_measured(value, unit), f"bare:{plain(value)}") if unit else (f"n:{plain(value)}",))
    )


def plain(value: Decimal) -> str:
    """The same for equal values: 1000000, 0.5, -3."""
    return f"{value.normalize():f}" if value else "0"


def _measured(value: Decimal, unit: Unit) -> str:
    return f"{unit.dimension}:{plain(value * unit.size)}"


def _decimal(digits: str) -> Decimal:
    return Decimal(digits)
