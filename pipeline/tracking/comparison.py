"""The comparison run of a sweep: verdict first, then figure, tables and files; and its verdicts on the job runs."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.records import Interval, JobRecord, Standing, SweepRecord
from pipeline.tracking.links import Links, links, share_key, view_tag
from pipeline.tracking.payload import Extras, Value, metric_name, verdict_metrics, verdict_tags
from pipeline.tracking.runs import NOTE_LENGTH, TABLE_TAG, Content, Target, find, job_key, log, log_dataset, log_files
from pipeline.tracking.view import charts, columns

FILES = (
    "leaderboard.csv",
    "comparisons.csv",
    "choosing.csv",
    "tuned.csv",
    "axes.csv",
    "variance.csv",
    "association.csv",
    "failures.csv",
    "failures.html",
    "forest.png",
    "forest_small.png",
    "forest.html",
    "report.md",
    "sweep.json",
    "dataset.json",
    "qrels.trec.gz",
)
ROWS = 5000  # of the per-query table, worst first: the page holds it whole

_COMPARISONS = "comparisons.json"
_LOSSES = "per_query.json"


def write_comparison(
    target: Target, sweep: SweepRecord, standing: Standing | None, said: tuple[tuple[str, ...], Path], extras: Extras
) -> Links:
    """The comparison run, made anew because what it says may have changed. `said` = verdict lines, sweep folder."""
    verdict, folder = said
    key = f"{Path(sweep.folder).name}/comparison"
    found = find(target, key)
    if found is not None:
        target.client.delete_run(found.info.run_id)
    runs = _runs(target, sweep)
    _save_view(target, sweep)
    tags = {"run_key": key, "sweep_id": sweep.id, "role": "comparison"}
    run = target.client.create_run(target.experiment, run_name=f"comparison of {sweep.id}", tags=tags)
    run_id = str(run.info.run_id)
    pages = links(target.server, target.experiment, sweep.id, run_id)
    log_dataset(target, run_id, sweep)
    tables = _tables(target, sweep, standing, extras)
    shown = Shown(figure=(folder / "forest_small.png").is_file(), failures=(folder / "failures.html").is_file())
    content = _content(sweep, standing, tables, note(verdict, pages, run_id, shown))
    log(target, run_id, content)
    log_files(target, run_id, [folder / name for name in FILES], tables)
    target.client.set_terminated(run_id)
    if standing is not None:
        for job, job_run in runs:
            _mark(target, job_run, job, standing)
    return pages


class Shown(NamedTuple):
    """Which pages the folder of a sweep has for its note."""

    figure: bool
    failures: bool


def note(verdict: tuple[str, ...], pages: Links, run_id: str, shown: Shown) -> str:
    """Markdown without a host: two lines of verdict, the small figure, links beside it. The rest is in forest.html.

    MLflow folds a note at 100 pixels and fades what is near the fold: two lines, 48 pixels and a margin are 97.
    """
    first = [f"**{_inline(text)}**" if i == 0 else _inline(text) for i, text in enumerate(verdict[:2])]
    run_page = pages.comparison.partition("?")[0]
    named = {"figure": f"{run_page}/artifacts/forest.html"} if shown.figure else {}
    named |= {"failures": f"{run_page}/artifacts/failures.html"} if shown.failures else {}
    named |= {"losses": f"{run_page}/artifacts/{_LOSSES}", "charts": pages.chart}
    listed = " · ".join(f"[{name}]({address[address.index('#') :]})" for name, address in named.items())
    image = f"![differences to the baseline](get-artifact?path=forest_small.png&run_uuid={run_id})"
    return "  \n".join([*first, f"{image} {listed}" if shown.figure else listed])[:NOTE_LENGTH]


def _inline(text: str) -> str:
    """Text that Markdown shows as it is; MLflow's own reader does not know a backslash before <."""
    marked = re.sub(r"([\\`*_\[\]#|!])", r"\\\1", " ".join(text.split())[:1000])
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _runs(target: Target, sweep: SweepRecord) -> list[tuple[JobRecord, str]]:
    """The job runs that stand, one search for all."""
    found = target.client.search_runs(
        [target.experiment], f"tags.sweep_id = '{sweep.id}' and tags.role = 'job'", max_results=10_000
    )
    by_key = {run.data.tags.get("run_key"): str(run.info.run_id) for run in found}
    keyed = [(job, by_key.get(job_key(sweep, job))) for job in sweep.jobs if job.state != "twin"]
    return [(job, run_id) for job, run_id in keyed if run_id is not None]


def _mark(target: Target, run_id: str, job: JobRecord, standing: Standing) -> None:
    """Writes what changed and nothing else: a metric written twice would stand twice in its history."""
    data = target.client.get_run(run_id).data
    values = [value for value in verdict_metrics(job.name, standing) if data.metrics.get(value.key) != value.value]
    tags = {key: value for key, value in verdict_tags(job, standing).items() if data.tags.get(key) != value}
    if values or tags:
        log(target, run_id, Content(values, {}, tags))


def _save_view(target: Target, sweep: SweepRecord) -> None:
    tag = view_tag(sweep.id, columns(sweep), metric_name(sweep.primary), charts(sweep), int(time.time() * 1000))
    target.client.set_experiment_tag(target.experiment, f"mlflow.sharedViewState.{share_key(sweep.id)}", tag)


def _content(sweep: SweepRecord, standing: Standing | None, tables: dict[str, str], text: str) -> Content:
    listed = [{"path": name, "type": "table"} for name in tables]
    tags = {"mlflow.note.content": text, "mlflow.source.name": "rag-sweep", TABLE_TAG: json.dumps(listed)}
    params = {"primary": sweep.primary, "baseline": sweep.baseline, "command": sweep.command[:500]}
    values = [Value("experiments", float(sum(job.state != "twin" for job in sweep.jobs)))]
    if standing is not None:
        params["best"] = standing.best
        tags |= {"tuned_on": standing.tuned[0].tuned_on} if standing.tuned else {}
    return Content(values, params, tags)


def _tables(target: Target, sweep: SweepRecord, standing: Standing | None, extras: Extras) -> dict[str, str]:
    if standing is None or not standing.comparisons:
        return {}
    texts = extras.texts if target.full_texts else {}
    return {_COMPARISONS: comparisons_table(standing), _LOSSES: losses_table(sweep, standing, dict(texts))}


def comparisons_table(standing: Standing) -> str:
    """Every comparison with the baseline, then the best against its rivals, in pandas' `split` JSON."""
    heads = ["measure", "treatment", "baseline", "difference", "low", "high", "simultaneous_low", "simultaneous_high",
             "p", "p_corrected", "verdict", "wins", "ties", "losses", "queries", "note"]  # fmt: skip
    rows = []
    for c in (*standing.comparisons, *standing.rivals):
        leading = c.interval or c.t_interval
        joint = c.simultaneous_interval or Interval(math.nan, math.nan)
        row = asdict(c) | {"low": leading.low, "high": leading.high}
        row |= {"simultaneous_low": joint.low, "simultaneous_high": joint.high}
        rows.append([_cell(row[head]) for head in heads])
    return json.dumps({"columns": heads, "data": rows}, ensure_ascii=False)


def losses_table(sweep: SweepRecord, standing: Standing, texts: dict[str, str]) -> str:
    """Query by query against the baseline on the primary measure, greatest loss first."""
    jobs = {job.name: job for job in sweep.jobs if job.scores is not None and job.state == "done"}
    base = jobs.get(standing.baseline)
    rows = (
        []
        if base is None
        else [row for job in jobs.values() if job is not base for row in _deltas(base, job, sweep.primary)]
    )
    rows.sort(key=lambda row: (row[4], row[1], row[0]))
    heads = ["query", "configuration", "value", "baseline", "difference", "outcome", *(["text"] if texts else [])]
    data = [[*row, *([texts.get(str(row[0]), "")] if texts else [])] for row in rows[:ROWS]]
    return json.dumps({"columns": heads, "data": data}, ensure_ascii=False)


def _deltas(base: JobRecord, job: JobRecord, measure: str) -> list[tuple[str, str, float, float, float, str]]:
    ours, theirs = _values(job, measure), _values(base, measure)
    rows = []
    for query in ours.keys() & theirs.keys():
        delta = round(ours[query] - theirs[query], 6)
        outcome = "win" if delta > 0 else "loss" if delta < 0 else "tie"
        rows.append((query, job.name, round(ours[query], 6), round(theirs[query], 6), delta, outcome))
    return rows


def _values(job: JobRecord, measure: str) -> dict[str, float]:
    if job.scores is None or measure not in job.scores.measures:
        return {}
    row = job.scores.values[job.scores.measures.index(measure)]
    return {query: float(value) for query, value in zip(job.scores.query_ids, row, strict=True) if not np.isnan(value)}


def _cell(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value
