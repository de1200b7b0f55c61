"""What may stand behind a number: multipliers, units with their size, ordinal endings, months."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

SCALES: Mapping[str, int] = {
    **dict.fromkeys(("hundred", "百"), 10**2),
    **dict.fromkeys(("thousand", "thousands", "tausend", "mil", "mille", "mila", "duizend", "k", "千"), 10**3),
    **dict.fromkeys(("million", "millions", "mn", "mio", "millionen", "millones", "milioni", "miljoen"), 10**6),
    **dict.fromkeys(("billion", "billions", "bn", "mrd", "milliarden", "milliard", "milliards", "miliardi"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "tn"), 10**12),
    **dict.fromkeys(("万", "萬"), 10**4),
    **dict.fromkeys(("亿", "億"), 10**8),
}
MONEY_SCALES: Mapping[str, int] = {"m": 10**6, "b": 10**9, "t": 10**12}
"""$5m: behind a currency, letters that mean a unit elsewhere."""


def _numbered(words: str, first: int, step: int = 1) -> dict[str, int]:
    """Word -> first, first + step, …; words parted by | share a number."""
    groups = words.split()
    return {word: first + step * place for place, group in enumerate(groups) for word in group.split("|")}


NUMBER_WORDS: Mapping[str, int] = {
    **_numbered("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen", 0),
    **_numbered("sixteen seventeen eighteen nineteen", 16),
    **_numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
}
ORDINALS = frozenset({"st", "nd", "rd", "th"})
CONNECTORS = frozenset({"to", "and", "or", "bis", "und", "à", "et", "a", "y"})
"""Between the two numbers of "5 to 10 million": the multiplier and the unit count for both."""

MONTHS: Mapping[str, int] = _numbered(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct"
    " november|nov december|dec",
    1,
)


class Unit(NamedTuple):
    """Quantities are compared within one dimension, after multiplication by `size`."""

    dimension: str
    size: Decimal


def _units(dimension: str, sizes: Mapping[str, str]) -> dict[str, Unit]:
    return {name: Unit(dimension, Decimal(size)) for names, size in sizes.items() for name in names.split()}


UNITS: Mapping[str, Unit] = {
    **_units("percent", {"% percent pct prozent percentage": "1", "‰": "0.1"}),
    # "pounds" is no unit here: money or weight, the text alone does not say.
    **_units("usd", {"$ usd dollar dollars": "1"}),
    **_units("eur", {"€ eur euro euros": "1"}),
    **_units("gbp", {"£ gbp": "1"}),
    **_units("jpy", {"¥ jpy yen": "1"}),
    **_units("inr", {"₹ inr rupee rupees": "1"}),
    **_units(
        "length",
        {
            "km kms kilometer kilometers kilometre kilometres 公里": "1000",
            "m meter meters metre metres 米": "1",
            "cm centimeter centimeters centimetre centimetres": "0.01",
            "mm millimeter millimeters millimetre millimetres": "0.001",
            "mile miles mi": "1609.344",
            "ft foot feet": "0.3048",
            "inch inches": "0.0254",
        },
    ),
    **_units(
        "mass",
        {
            "kg kgs kilogram kilograms 公斤": "1",
            "g gram grams": "0.001",
            "mg milligram milligrams": "0.000001",
            "tonne tonnes": "1000",
            "lb lbs": "0.45359237",
        },
    ),
    **_units(
        "time",
        {
            "ms millisecond milliseconds": "0.001",
            "s sec secs second seconds": "1",
            "min mins minute minutes": "60",
            "h hr hrs hour hours": "3600",
            "day days": "86400",
            "week weeks": "604800",
        },
    ),
    **_units("months", {"month months": "1", "year years yr yrs": "12"}),
    **_units("celsius", {"celsius": "1"}),
    **_units("fahrenheit", {"fahrenheit": "1"}),
}
CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "inr"})
