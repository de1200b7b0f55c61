"""The files of a finished sweep that people open: tables, figure, report."""

from __future__ import annotations

from pathlib import Path

from pipeline.report.failures import failure_rows, failures_html
from pipeline.report.plots import forest_html, forest_plot, forest_thumbnail
from pipeline.report.tables import write_csv, write_tables
from pipeline.report.terminal import EndView, render_end
from pipeline.report.text import clean, sentences


def write_report(folder: Path, view: EndView) -> None:
    """The tables, report.md; where there are comparisons, forest.png, forest_small.png and forest.html.

    Where there are answers and judgements, failures.csv and failures.html.
    """
    write_tables(folder, view.sweep, view.standing)
    figure = view.standing is not None and bool(view.standing.comparisons)
    if view.standing is not None and figure:
        forest_plot(view.standing, folder / "forest.png")
        forest_thumbnail(view.standing, folder / "forest_small.png")
        (folder / "forest.html").write_text(forest_html(view.standing, sentences(view.verdict)), encoding="utf-8")
    if view.failures is not None:
        write_csv(folder / "failures.csv", failure_rows(view.failures))
        (folder / "failures.html").write_text(failures_html(view.failures), encoding="utf-8")
    (folder / "report.md").write_text(report_md(view, figure=figure), encoding="utf-8")


def report_md(view: EndView, *, figure: bool) -> str:
    """Markdown: the verdict first, the terminal's text, the figure, the command that made it."""
    said = "\n".join(f"- {_inline(line)}" for line in sentences(view.verdict))
    image = "\n![differences to the baseline](forest.png)\n" if figure else ""
    text = render_end(view).replace("```", "'''")
    command = clean(view.sweep.command).replace("```", "'''")
    title = _inline(f"Sweep {view.sweep.id} on {view.sweep.dataset.get('name', '?')}")
    return f"# {title}\n\n{said}\n{image}\n```\n{text}```\n\n```\n{command}\n```\n"


def _inline(text: str) -> str:
    """Text that Markdown shows as it is."""
    marked = "".join(f"\\{char}" if char in "\\`*_[]#|" else char for char in clean(text))
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
