"""Control charts as a PNG, and one HTML page that holds it: no scripts, nothing loaded from elsewhere."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.citations.charts import Point, Series
from pipeline.report.text import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PNG, PAGE = "monitoring.png", "monitoring.html"
TITLES = {
    "citation_validity": "Validity of citations (mean of answers)",
    "cites_nothing": "Answers that cite nothing",
    "format_changed": "Answers whose citations cannot be read",
}
_INK, _ALARM, _CALM, _LINE = "#1f2933", "#c62828", "#1565c0", "#9aa5b1"
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#1f2933;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:2rem 0 .4rem}p{margin:.3rem 0}
.quiet{color:#52606d}.alarm{border-left:4px solid #c62828;padding:.4rem .9rem;margin:1rem 0;background:#fdf3f3}
.calm{border-left:4px solid #1a7f37;padding:.4rem .9rem;margin:1rem 0;background:#f2f9f4}
img{width:100%;height:auto;border:1px solid #e4e7eb}blockquote{margin:.4rem 0;padding:.3rem .8rem;background:#fff;
border:1px solid #e4e7eb;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.15rem .8rem;text-align:right;
border-bottom:1px solid #e4e7eb}td:first-child,th:first-child{text-align:left}.bad{color:#c62828;font-weight:600}
"""


def write_monitoring(
    folder: Path,
    series: Sequence[Series],
    times: Sequence[tuple[str, str]],
    alarms: Sequence[Mapping[str, object]],
    note: str,
) -> None:
    """`monitoring.png` and `monitoring.html`; `alarms`: series, said, examples (where, answer), newest last."""
    folder.mkdir(parents=True, exist_ok=True)
    _picture(folder / PNG, series, times)
    (folder / PAGE).write_text(_page(folder / PNG, series, times, alarms, note), encoding="utf-8")


def _picture(path: Path, series: Sequence[Series], times: Sequence[tuple[str, str]]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 2.7 * len(series)), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(series), 1, sharex=True, squeeze=False)
    for axes, one in zip(panels[:, 0], series, strict=True):
        _chart(axes, one)
    last = panels[-1, 0]
    shown = _ticks(len(times))
    last.set_xticks([i + 1 for i in shown], [_day(times[i][0]) or str(i + 1) for i in shown])
    last.set_xlabel("batch, by the time of its first answer")
    figure.savefig(path)


def _chart(axes: Axes, series: Series) -> None:
    points = [point for point in series.points if not math.isnan(point.mean)]
    axes.set_title(TITLES.get(series.name, series.name), loc="left", fontsize=10, color=_INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.margins(y=0.18)
    if not points:
        axes.text(0.5, 0.5, "no full batch yet", transform=axes.transAxes, ha="center", color=_LINE)
        return
    axes.plot([p.batch + 1 for p in points], [p.mean for p in points], color=_LINE, linewidth=1.2, zorder=1)
    for state, colour, mark in (("baseline", "white", "o"), ("normal", _CALM, "o"), ("too few", "white", "s")):
        some = [p for p in points if p.state == state]
        axes.scatter(_x(some), [p.mean for p in some], c=colour, marker=mark, edgecolors=_CALM, s=30, zorder=2)
    alarms = [p for p in points if p.state == "alarm"]
    axes.scatter(_x(alarms), [p.mean for p in alarms], c=_ALARM, marker="D", s=42, zorder=3)
    if series.baseline is not None:
        axes.axhline(series.baseline.mean, color=_INK, linewidth=0.8, linestyle=(0, (5, 3)))
        judged = [p for p in points if not math.isnan(p.limit)]
        axes.step(_x(judged), [p.limit for p in judged], where="mid", color=_ALARM, linewidth=0.9, linestyle=":")
        axes.axvspan(0.5, max(series.baseline.batches) + 1.5, color="#f1f4f8", zorder=0)


def _x(points: Sequence[Point]) -> list[int]:
    return [point.batch + 1 for point in points]


def _ticks(count: int) -> list[int]:
    """At most a dozen places, evenly."""
    step = max(1, math.ceil(count / 12))
    return list(range(0, count, step))


def _day(time: str) -> str:
    return time[:10]


def _page(
    picture: Path,
    series: Sequence[Series],
    times: Sequence[tuple[str, str]],
    alarms: Sequence[Mapping[str, object]],
    note: str,
) -> str:
    data = base64.b64encode(picture.read_bytes()).decode("ascii")
    newest = {str(one["series"]): one for one in alarms}
    said = "".join(_alarm(one) for one in newest.values()) or '<div class="calm"><p>No alarm.</p></div>'
    span = f"{_day(times[0][0])} to {_day(times[-1][1])}" if times and times[0][0] else f"{len(times)} batches"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width"><title>Citations over time</title>'
        f"<style>{_STYLE}</style></head><body><h1>Citations over time</h1>"
        f'<p class="quiet">{_text(span)} · {_text(note)}</p>'
        f'<img alt="Control charts of {len(series)} series, {len(times)} batches" src="data:image/png;base64,{data}">'
        '<p class="quiet">Grey: baseline. Dashed: its mean. Dotted: from here one batch alone alarms.'
        f" Diamonds: alarms.</p>{said}"
        f"<h2>Batches</h2>{_table(series, times)}</body></html>\n"
    )


def _alarm(alarm: Mapping[str, object]) -> str:
    examples = alarm.get("examples")
    rows = examples if isinstance(examples, list) else []
    quotes = "".join(_quote(row) for row in rows)
    return f'<div class="alarm"><p><strong>{_text(alarm["said"])}</strong></p>{quotes}</div>'


def _quote(row: Mapping[str, object]) -> str:
    return f'<blockquote>{_text(row["answer"])}<br><span class="quiet">{_text(row["where"])}</span></blockquote>'


def _table(series: Sequence[Series], times: Sequence[tuple[str, str]]) -> str:
    head = "".join(f"<th>{_text(TITLES.get(one.name, one.name))}</th>" for one in series)
    rows = "".join(
        f"<tr><td>{i + 1} · {_text(_day(times[i][0]))}</td>{''.join(_cell(one.points[i]) for one in series)}</tr>"
        for i in reversed(range(len(times)))
    )
    return f"<table><tr><th>batch</th>{head}</tr>{rows}</table>"


def _cell(point: Point) -> str:
    if math.isnan(point.mean):
        return "<td>–</td>"
    return f"<td{' class=bad' if point.state == 'alarm' else ''}>{point.mean:.1%} of {point.count}</td>"


def _text(value: object) -> str:
    return escape(clean(str(value)))
