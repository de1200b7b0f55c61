"""Addresses that open MLflow on exactly one sweep, and the saved view behind them (no documented API: tested)."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

_MODE = "workflowType=machine_learning"


@dataclass(frozen=True)
class Links:
    """Where a person looks at a sweep; "" = there is no such page. `server` is what must answer there."""

    chart: str = ""
    table: str = ""
    short: str = ""  # the table inside MLflow's GenAI side bar: short enough for 80 columns
    comparison: str = ""
    plain: str = ""  # the sweep by filter alone, should a later MLflow not know saved views
    server: str = ""

    def every(self) -> tuple[str, ...]:
        """All pages, a line each with what it shows: for a file, where width does not matter."""
        pages = (
            ("charts", self.chart),
            ("table", self.table),
            ("comparison", self.comparison),
            ("by filter alone, if a saved view does not open", self.plain),
        )
        return tuple(f"{what}: {address}" for what, address in pages if address)

    def lines(self) -> tuple[str, ...]:
        """What the terminal prints: how to open MLflow where nothing answers yet, the table, the comparison."""
        if not self.short:
            return ()
        opened = "" if answers(self.server) else "nothing answers there yet: bash scripts/ui.sh opens it"
        comparison = self.comparison.partition("?")[0]
        return tuple(line for line in (opened, self.short, comparison) if line)


def links(server: str, experiment: str, sweep_id: str, comparison_run: str) -> Links:
    """The addresses. The saved view must stand before they are opened."""
    runs = f"{server}/#/experiments/{experiment}/runs"
    table = f"{runs}?{_MODE}&viewStateShareKey={quote(share_key(sweep_id), safe='')}"
    words = quote(view_filter(sweep_id), safe="")
    plain = f"{runs}?{_MODE}&compareRunsMode=CHART&searchFilter={words}"
    comparison = f"{runs}/{comparison_run}?{_MODE}" if comparison_run else ""
    short = f"{runs}?viewStateShareKey={quote(share_key(sweep_id), safe='')}"
    return Links(f"{table}&compareRunsMode=CHART", table, short, comparison, plain, server)


def public(uri: str) -> str:
    """The address of a server without user and password."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}".rstrip("/")


def share_key(sweep_id: str) -> str:
    """The name of the saved view in addresses and tags."""
    return f"sweep-{sweep_id}"


def view_filter(sweep_id: str) -> str:
    """The search that finds the jobs of one sweep."""
    return f"tags.sweep_id = '{sweep_id}' and tags.role = 'job'"


def answers(server: str, seconds: float = 0.5) -> bool:
    """Whether anything listens at this address."""
    parts = urlsplit(server)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", port), timeout=seconds):
            return True
    except OSError:
        return False


def view_tag(sweep_id: str, columns: Sequence[str], sort: str, charts: Sequence[Mapping[str, object]], now: int) -> str:
    """The JSON of a saved view: these columns (`params.chunk_size`), sorted by metric `sort`, and these charts.

    `now` in milliseconds. Charts need sections, and every section of automatic charts is folded away; the order of
    the sections holds only with isAccordionReordered.
    """
    shown = ["{}.`{}`".format(*column.split(".", 1)) for column in columns]
    fixed = ["attributes.`Run Name`", "runDateAndNestInfo"]
    folded = [
        {"uuid": f"f{i}", "name": n, "display": False} for i, n in enumerate(("curve", "detail", "Model metrics"))
    ]
    state = {
        "searchFilter": view_filter(sweep_id),
        "orderByKey": f"metrics.`{sort}`",
        "orderByAsc": False,
        "selectedColumns": shown,
        "columnOrder": fixed + shown,
        "columnWidths": {**{column: _width(column, sort) for column in shown}, fixed[0]: 175, fixed[1]: 62},
        "runsHiddenMode": "SHOW_ALL",
        "isAccordionReordered": True,
        "compareRunSections": [
            {"uuid": "s", "name": "Sweep", "display": True, "columns": 2, "cardHeight": 330},
            *folded,
        ],
        "compareRunCharts": [
            {"uuid": f"c{i}", "metricSectionId": "s", "runsCountToCompare": 100, **chart}
            for i, chart in enumerate(charts)
        ],
    }
    tag = {"name": f"Sweep {sweep_id}", "createdAt": now, "updatedAt": now, "state": json.dumps(state)}
    return json.dumps(tag)


def _width(column: str, sort: str) -> int:
    """Pixels: wide enough for the name of the column, and for the arrow where the table is sorted by it."""
    name = column.split("`")[1]
    return max(90 if name == "verdict" else 68, 24 + 7 * len(name)) + (24 if name == sort else 0)
