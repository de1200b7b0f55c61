"""A measure is a value: it prints, compares and hashes as its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pipeline.errors import SettingError

Value: TypeAlias = bool | int | float | str
Counted: TypeAlias = Literal["ranks", "tokens"]


def shown(value: Value) -> str:
    """A parameter's value as names spell it: 30, 0.8, True."""
    return str(value).removesuffix(".0")


@dataclass(frozen=True)
class Measure:
    """What is measured: `nDCG@10`, `P(rel=2)@5`, `R@2048tok`.

    `cutoff` counts ranks or context tokens, as `counted` says; None = the whole ranking. `params` stand in
    ascending order of their names and leave out values that equal the default, so equal measures are equal values.
    """

    name: str
    cutoff: int | None = None
    params: tuple[tuple[str, Value], ...] = ()
    counted: Counted = "ranks"

    def __post_init__(self) -> None:
        if self.cutoff is not None and self.cutoff < 1:
            raise SettingError(f"measure {self.name}: the cutoff must be at least 1; got {self.cutoff}")

    def __str__(self) -> str:
        inner = ",".join(f"{key}={shown(value)}" for key, value in self.params)
        cut = "" if self.cutoff is None else f"@{self.cutoff}{'tok' if self.counted == 'tokens' else ''}"
        return f"{self.name}{f'({inner})' if inner else ''}{cut}"

    def integer(self, name: str, default: int) -> int:
        """The whole-number parameter `name`."""
        return int(dict(self.params).get(name, default))

    def number(self, name: str, default: float) -> float:
        """The parameter `name` as a float."""
        return float(dict(self.params).get(name, default))

    def flag(self, name: str) -> bool:
        """Whether the switch `name` is on."""
        return bool(dict(self.params).get(name, False))
