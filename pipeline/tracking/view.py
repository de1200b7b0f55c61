"""What the saved view of a sweep shows: columns, charts, colours."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.records import JobRecord, SweepRecord
from pipeline.tracking.payload import INTERVAL, budget_measure, metric_name, plain, safe_key

TRIPLE = ("retriever", "embedding", "chunk_size")
_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2")
_FAILED = "#bbbbbb"
_MORE = 4  # settings that vary beyond the usual three and still get a column


def columns(sweep: SweepRecord) -> list[str]:
    """The verdict beside the name, then settings, then numbers: what decides stands where nobody has to scroll."""
    key = metric_name(sweep.primary)
    second = budget_measure(sweep)
    numbers = (key, *INTERVAL, *([metric_name(second)] if second else []), "read_share", "p50_ms")
    more = [safe_key(name) for name in further(sweep)][:_MORE]
    return [
        *(f"tags.{name}" for name in ("verdict", "vs_baseline")),
        *(f"params.{name}" for name in (*TRIPLE, *more)),
        *(f"metrics.{name}" for name in (*numbers, "difference", "p_corrected")),
        "params.dataset",
    ]


def charts(sweep: SweepRecord) -> list[dict[str, object]]:
    """Primary measure as bars, its curve over cutoffs, quality against latency, all settings at once."""
    key = metric_name(sweep.primary)
    axes = [name for name in TRIPLE if name in varying(sweep)] + further(sweep)
    settings = [safe_key(name) for name in axes][:4] or ["retriever"]
    curve = {"xAxisKey": "step", "useGlobalXaxisKey": False, "xAxisScaleType": "log", "lineSmoothness": 0}
    return [
        {"type": "BAR", "metricKey": key},
        {
            "type": "SCATTER",
            "xaxis": {"key": "p50_ms", "type": "METRIC"},
            "yaxis": {"key": key, "type": "METRIC"},
        },
        {"type": "LINE", "metricKey": "curve/ndcg", **curve},
        {"type": "PARALLEL", "selectedParams": settings, "selectedMetrics": [key]},
    ]


def varying(sweep: SweepRecord) -> list[str]:
    """Settings that differ between jobs, in the order of their names."""
    names = sorted({name for job in sweep.jobs for name in job.settings})
    return [name for name in names if len({plain(job.settings.get(name, "none")) for job in sweep.jobs}) > 1]


def further(sweep: SweepRecord) -> list[str]:
    """Settings that differ between jobs of the same retriever, embedding and chunk size: not told by those three."""
    seen: dict[tuple[str, ...], set[str]] = {}
    for name in varying(sweep):
        for job in sweep.jobs:
            group = (name, *(plain(job.settings.get(part, "none")) for part in TRIPLE))
            seen.setdefault(group, set()).add(plain(job.settings.get(name, "none")))
    told = {group[0] for group, values in seen.items() if len(values) > 1}
    return [name for name in varying(sweep) if name in told and name not in TRIPLE]


def colour(job: JobRecord, sweep: SweepRecord) -> str:
    """One colour for each value of the first of retriever, embedding and chunk size that varies; grey = not done."""
    if job.state != "done":
        return _FAILED
    differing = varying(sweep)
    name = next((part for part in TRIPLE if part in differing), TRIPLE[0])
    return _COLOURS[_place(job.settings, sweep, name) % len(_COLOURS)]


def _place(settings: Mapping[str, object], sweep: SweepRecord, name: str) -> int:
    values = sorted({str(job.settings.get(name)) for job in sweep.jobs})
    value = str(settings.get(name))
    return values.index(value) if value in values else 0
