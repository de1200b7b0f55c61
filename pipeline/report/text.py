"""Text in columns of a terminal: widths in cells, never in characters; no control character gets through."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

WIDTH = 80  # columns that every printed line keeps to

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str) -> str:
    r"""`text` on one line, with control and direction characters shown as `\x1b` or `\u202e`."""
    return "".join(_shown(char) if unicodedata.category(char) in _UNPRINTABLE else char for char in _one_line(text))


def fit(text: str, width: int) -> str:
    """`text` cut in its middle to `width` cells, so that its beginning and its end stay readable."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    tail = (width - 1) // 2
    end = text
    while cell_len(end) > tail:
        end = end[1:]
    return set_cell_size(text, width - 1 - cell_len(end)).rstrip() + "…" + end


def fit_end(text: str, width: int) -> str:
    """The beginning of `text` in at most `width` cells."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…"


def left(text: str, width: int) -> str:
    """`text` in exactly `width` cells, flush left."""
    return set_cell_size(fit(text, width), width)


def right(text: str, width: int) -> str:
    """`text` in exactly `width` cells, flush right."""
    short = fit(text, width)
    return " " * (width - cell_len(short)) + short


def labelled(label: str, text: str, indent: int = 9) -> list[str]:
    """`text` wrapped behind `label`, with following lines indented.

    A link stays whole, because a broken one opens nothing: where it does not fit behind the label it gets a line of
    its own, and only a link may be wider than that.
    """
    head = f"{label:<{indent}}"
    cleaned = clean(text)
    if "://" in cleaned and " " not in cleaned and cell_len(cleaned) > WIDTH - indent:
        return [*([label] if label else []), f"  {cleaned}"]
    pieces = wrap(cleaned, WIDTH - indent)
    return [(f"{' ' * indent if i else head}{piece}").rstrip() for i, piece in enumerate(pieces)]


def number(value: float, digits: int = 3) -> str:
    """`0.612`; `-` where undefined."""
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def signed(value: float) -> str:
    """`+0.088`; `-` where undefined."""
    return "-" if math.isnan(value) else f"{value:+.3f}"


def bare(value: float) -> str:
    """`+.051`: signed and without the zero before the point, for narrow columns."""
    return f"{value:+.3f}".replace("0.", ".", 1) if abs(round(value, 3)) < 1 else f"{value:+.2f}"


def probability(p: float | None) -> str:
    """`.041`, `<.001`, `1.000`; `-` where there is none. Never 0."""
    if p is None or math.isnan(p):
        return "-"
    return "<.001" if p < 0.0005 else f"{p:.3f}".removeprefix("0")


def duration(seconds: float) -> str:
    """`0.4 s`, `41 s`, `2 min 41 s`, `1 h 02 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _one_line(text: str) -> str:
    return text.translate(dict.fromkeys(map(ord, "\t\n\r\v\f\x85\u2028\u2029"), " "))


def _shown(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` cells; only a link (`://`) may be longer, because a broken link opens nothing."""
    lines = [""]
    for word in text.split(" "):
        for piece in [word] if "://" in word else _pieces(word, width):
            joined = f"{lines[-1]} {piece}" if lines[-1] else piece
            if lines[-1] and cell_len(joined) > width:
                lines.append(piece)
            else:
                lines[-1] = joined
    return lines


def _pieces(word: str, width: int) -> list[str]:
    """One word as pieces that fit: textwrap counts characters, wide ones take two cells."""
    if cell_len(word) <= width:
        return [word]
    return textwrap.wrap(word, width if cell_len(word) == len(word) else width // 2)


def sentences(lines: Sequence[str]) -> list[str]:
    """Lines that were wrapped for the terminal, put together again where a page does its own wrapping."""
    whole: list[str] = []
    for line in lines:
        if whole and not whole[-1].endswith((".", "?", "!")):
            whole[-1] += f" {line}"
        else:
            whole.append(line)
    return whole
