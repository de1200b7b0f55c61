"""The forest plot: differences to the baseline, their intervals and the simultaneous ones, as PNG and as plain HTML."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.records import Comparison, Standing
from pipeline.report.text import clean, fit, probability, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 40  # rows of a figure that can still be read
SMALL = 3

_COLOURS = {"better": "#1a7f37", "worse": "#c62828", "equivalent": "#1565c0", "identical": "#1565c0"}
_UNSURE = "#757575"
SANDBOX = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class _Axis:
    """A linear scale from values to pixels."""

    low: float
    high: float
    left: float
    right: float

    def x(self, value: float) -> float:
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


def forest_rows(standing: Standing) -> tuple[Comparison, ...]:
    """Comparisons with the baseline on the primary measure, greatest difference first, `SHOWN` at most."""
    wanted = [c for c in standing.comparisons if c.measure == standing.primary and c.baseline == standing.baseline]
    drawn = [c for c in wanted if not math.isnan(c.difference)]
    return tuple(sorted(drawn, key=lambda c: (-c.difference, c.treatment))[:SHOWN])


def forest_plot(standing: Standing, path: Path) -> None:
    """Writes the PNG. Nothing to compare gives a figure that says so."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = forest_rows(standing)
    figure = Figure(figsize=(8.6, 1.5 + 0.36 * max(1, len(rows))), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for place, c in enumerate(reversed(rows)):
        colour = _COLOURS.get(c.verdict, _UNSURE)
        axes.plot(_outer(c), [place, place], color=colour, linewidth=0.9, solid_capstyle="butt")
        axes.plot(_ends(c), [place, place], color=colour, linewidth=2.6, solid_capstyle="butt")
        axes.plot([c.difference], [place], "o", color=colour, markersize=6)
        said = f"{signed(c.difference)}   p {probability(_p(c))}   {c.verdict}"
        axes.annotate(said, (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=9, color=colour)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [_literal(fit(clean(c.treatment), 44)) for c in reversed(rows)], fontsize=9)
    axes.set_ylim(-0.7, max(1, len(rows)) - 0.3)
    axes.set_xlabel(_literal(_caption(standing, rows)), fontsize=9)
    axes.set_title(_literal(_title(standing, rows)), fontsize=10, loc="left")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    _save(figure, path)


def forest_thumbnail(standing: Standing, path: Path) -> None:
    """Writes a PNG of the `SMALL` greatest differences, 48 pixels high: MLflow folds a note at 100 pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = forest_rows(standing)[:SMALL]
    figure = Figure(figsize=(3.9, max(1, len(rows)) * 0.16), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.36, 0.0, 0.27, 1.0))
    for place, c in enumerate(reversed(rows)):
        colour = _COLOURS.get(c.verdict, _UNSURE)
        axes.plot(_outer(c), [place, place], color=colour, linewidth=0.7, solid_capstyle="butt")
        axes.plot(_ends(c), [place, place], color=colour, linewidth=2.2, solid_capstyle="butt")
        axes.plot([c.difference], [place], "o", color=colour, markersize=4)
        said = f"{signed(c.difference)}  p {probability(_p(c))}  {c.verdict}"
        for text, x, shade in ((_literal(fit(clean(c.treatment), 24)), -1.33, "black"), (said, 1.03, colour)):
            where = axes.get_yaxis_transform()
            axes.text(x, place, text, transform=where, va="center", fontsize=7.5, color=shade)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_ylim(-0.5, max(1, len(rows)) - 0.5)
    axes.set_axis_off()
    _save(figure, path)


def forest_html(standing: Standing, heading: Sequence[str]) -> str:
    """One self-contained page: `heading` as paragraphs, the figure as SVG; all text escaped, nothing loaded."""
    rows = forest_rows(standing)
    paragraphs = "".join(f"<p>{escape(clean(line))}</p>" for line in heading)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{SANDBOX}">'
        f"<title>{escape(_title(standing, rows))}</title>"
        "<style>body{font:15px/1.45 system-ui,sans-serif;margin:2em;max-width:60em;color:#222}"
        "svg{width:100%;height:auto}p:first-of-type{font-weight:600}</style></head>"
        f"<body>{paragraphs}{_svg(standing, rows)}</body></html>\n"
    )


def _svg(standing: Standing, rows: Sequence[Comparison]) -> str:
    ends = [end for c in rows for end in (*_ends(c), *_outer(c))] + [0.0]
    pad = (max(ends) - min(ends)) * 0.08 or 0.1
    axis = _Axis(min(ends) - pad, max(ends) + pad, 280.0, 660.0)
    bottom = 40 + 30 * max(1, len(rows))
    zero = axis.x(0.0)
    marks = "".join(_svg_row(c, 40 + 30 * i, axis) for i, c in enumerate(rows))
    ticks = "".join(_tick(value, axis, bottom) for value in sorted({axis.low + pad, 0.0, axis.high - pad}))
    caption = escape(_caption(standing, rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {bottom + 50}" role="img" font-size="14">'
        f'<text x="0" y="16">{escape(_title(standing, rows))}</text>'
        f'<line x1="{zero:.1f}" x2="{zero:.1f}" y1="26" y2="{bottom}" stroke="#222"/>'
        f'{marks}{ticks}<text x="{axis.left:.0f}" y="{bottom + 42}">{caption}</text></svg>'
    )


def _svg_row(c: Comparison, y: int, axis: _Axis) -> str:
    colour = _COLOURS.get(c.verdict, _UNSURE)
    said = escape(f"{signed(c.difference)}  p {probability(_p(c))}  {clean(c.verdict)}")
    lines = "".join(
        f'<line x1="{axis.x(low):.1f}" x2="{axis.x(high):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="{w}"/>'
        for (low, high), w in ((_outer(c), 1), (_ends(c), 4))
    )
    return (
        f'<text x="0" y="{y + 5}">{escape(fit(clean(c.treatment), 36))}</text>{lines}'
        f'<circle cx="{axis.x(c.difference):.1f}" cy="{y}" r="5" fill="{colour}"/>'
        f'<text x="675" y="{y + 5}" fill="{colour}">{said}</text>'
    )


def _tick(value: float, axis: _Axis, bottom: int) -> str:
    return f'<text x="{axis.x(value):.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{value:+.2f}</text>'


def _ends(c: Comparison) -> tuple[float, float]:
    """Ends of the leading interval; the difference itself where there is none."""
    leading = c.interval or c.t_interval
    ends = (leading.low, leading.high)
    return (c.difference, c.difference) if any(map(math.isnan, ends)) else ends


def _outer(c: Comparison) -> tuple[float, float]:
    """Ends of the simultaneous interval; those of the leading one where there is none."""
    joint = c.simultaneous_interval
    return _ends(c) if joint is None or math.isnan(joint.low) else (joint.low, joint.high)


def _caption(standing: Standing, rows: Sequence[Comparison]) -> str:
    """What is drawn; of one comparison alone the simultaneous interval is no news."""
    joint = len(rows) > 1 and any(c.simultaneous_interval is not None for c in rows)
    drawn = "95 % interval (thick), simultaneous (thin)" if joint else "95 % interval"
    return f"difference in {clean(standing.primary)}: {drawn}; right of 0 = better"


def _p(c: Comparison) -> float:
    return c.p if c.p_corrected is None else c.p_corrected


def _title(standing: Standing, rows: Sequence[Comparison]) -> str:
    if not rows:
        return f"nothing to compare with {clean(standing.baseline)}"
    return f"{clean(standing.primary)} against {clean(standing.baseline)}, paired over {rows[0].queries:,} queries"


def _save(figure: Figure, path: Path) -> None:
    """Without the date, so that equal figures are equal files, and without a warning for each letter of no font."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(path, format="png", metadata={"Software": None})


def _literal(text: str) -> str:
    """Matplotlib reads `$…$` as a formula."""
    return text.replace("$", r"\$")
