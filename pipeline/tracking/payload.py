"""What one job and one sweep tell a store: pure, from records to names, numbers and texts that MLflow takes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from pipeline.citations import of_answers
from pipeline.metrics import parse, summary, word
from pipeline.records import Floats, JobRecord, Scalar, Standing, SweepRecord
from pipeline.tracking.uri import redact

PER_QUERY = "per_query.json"
INTERVAL = ("ci_low", "ci_high")  # of the primary measure; short, because the runs table cuts long names
LEAST_P = 0.0001  # smaller ones are shown as this: an upper bound, and never 0
PARAM_LENGTH = 500  # MLflow cuts at 6,000 with a log line; the whole configuration is in the manifest

_SECRET = re.compile(r"(^|[._-])(api_?key|password|passwd|secret|token|authorization)$", re.IGNORECASE)
_QUANTILES = ("p10", "p25", "median", "p75", "p90")
_MAIN_FACTS = ("read_share", "p50_ms")


Weights: TypeAlias = Sequence[float] | None  # traffic, one a query; None = all count alike


class Value(NamedTuple):
    """One number of a run. Never NaN, never infinite."""

    key: str
    value: float
    step: int = 0


@dataclass(frozen=True)
class Extras:
    """What the record of a job leaves out: curves (name -> cutoff -> mean), query texts by id, git commit."""

    curves: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""


NOTHING = Extras()


def metric_name(measure: str) -> str:
    """`nDCG@10` -> `ndcg_at_10`: MLflow refuses `@`; measures of citations are words already."""
    if of_answers(measure):
        return measure
    return word(parse(measure))


def _fact_name(fact: str) -> str:
    """Under `failures/` what went wrong with answers, everything else under `detail/`."""
    return safe_key(fact) if fact.startswith("failures/") else f"detail/{safe_key(fact)}"


def safe_key(name: str) -> str:
    """`name` with every character that MLflow refuses as `_`."""
    return re.sub(r"[^\w\-. :/]", "_", name)[:250]


def params(job: JobRecord, sweep: SweepRecord) -> dict[str, str]:
    """Every setting that any job of the sweep has, so that runs compare; `none` where this job has none."""
    names = sorted({name for other in sweep.jobs for name in other.settings})
    head = {"dataset": plain(sweep.dataset.get("name", "none"))}
    return head | {safe_key(name): _param(name, job.settings.get(name, "none")) for name in names}


def job_metrics(job: JobRecord, sweep: SweepRecord, extras: Extras) -> list[Value]:
    """The main group (primary measure, budget recall, read share, latency, queries), then `detail/` and `curve/`."""
    means = _means(job, sweep.weights)
    second = budget_measure(sweep)
    main = [m for m in (sweep.primary, second) if m in means]
    values = [Value(metric_name(m), short(means[m])) for m in main]
    values += [Value(f, short(job.facts[f])) for f in _MAIN_FACTS if f in job.facts]
    values += [Value(f"detail/{metric_name(m)}", v) for m, v in means.items() if m not in main]
    plain = _means(job) if sweep.weights is not None else {}
    values += [Value(f"detail/unweighted_{metric_name(m)}", v) for m, v in plain.items()]
    values += [Value(_fact_name(f), v) for f, v in job.facts.items() if f not in _MAIN_FACTS]
    values += list(_spread(job, sweep.primary, sweep.weights))
    values += [Value(f"curve/{safe_key(n)}", v, k) for n, curve in extras.curves.items() for k, v in curve.items()]
    return [value for value in values if math.isfinite(value.value)]


def verdict_metrics(name: str, standing: Standing) -> list[Value]:
    """What the comparison adds to a job: interval ends of the primary measure, difference, corrected p."""
    interval = standing.intervals.get(name, {}).get(standing.primary)
    values = (
        [] if interval is None else [Value(n, v) for n, v in zip(INTERVAL, (interval.low, interval.high), strict=True)]
    )
    for c in standing.comparisons:
        if c.treatment == name and c.measure == standing.primary and c.baseline == standing.baseline:
            values += [Value("difference", c.difference)]
            values += [] if c.p_corrected is None else [Value("p_corrected", max(c.p_corrected, LEAST_P))]
    return [Value(key, short(v)) for key, v, _ in values if math.isfinite(v)]


def verdict_tags(job: JobRecord, standing: Standing) -> dict[str, str]:
    """`verdict`: best, tied, worse (than the best), cannot tell or failed; `vs_baseline`: the comparison's words."""
    if job.state != "done":
        return {"verdict": job.state, "vs_baseline": job.state}
    compared = (c for c in standing.comparisons if c.treatment == job.name and c.measure == standing.primary)
    words = [c.verdict for c in compared if c.baseline == standing.baseline]
    against = "baseline" if job.name == standing.baseline else next(iter(words), "cannot tell")
    return {"verdict": _place(job.name, standing), "vs_baseline": against}


def budget_measure(sweep: SweepRecord) -> str:
    """The recall of the context budget that stands beside the primary measure; "" = none was asked for."""
    budgets = [m for m in sweep.measures if m.endswith("tok") and m != sweep.primary]
    return next((m for m in budgets if m == "R@2048tok"), budgets[0] if budgets else "")


def per_query_table(job: JobRecord, primary: str, texts: Mapping[str, str]) -> str:
    """The scores as a table that MLflow pages, worst queries first; JSON in pandas' `split` form, undefined = null."""
    if job.scores is None:
        raise ValueError(f"job {job.number} has no scores; got state {job.state!r}, expected 'done'")
    table = job.scores
    names = sorted(table.measures, key=lambda measure: measure != primary)
    columns = np.array([table.values[table.measures.index(name)] for name in names]).T
    order = sorted(range(len(table.query_ids)), key=lambda q: (_last_if_nan(columns[q, 0]), table.query_ids[q]))
    heads = ["query", *names, *(["text"] if texts else [])]
    rows = [
        [table.query_ids[q], *map(_cell, columns[q]), *([texts.get(table.query_ids[q], "")] if texts else [])]
        for q in order
    ]
    return json.dumps({"columns": heads, "data": rows}, ensure_ascii=False)


def plain(value: Scalar) -> str:
    """A setting as MLflow compares it: numbers without decoration, `true`, `none`."""
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value in ("", "None") else str(value)


def short(value: float) -> float:
    """Four digits: the runs table shows all the digits it gets. The files keep every one."""
    if not math.isfinite(value):
        return value
    return round(value, 4) if 0.001 <= abs(value) < 1 else float(f"{value:.4g}")


def _place(name: str, standing: Standing) -> str:
    if name not in standing.means:
        return "cannot tell"
    if name not in standing.may_be_best:
        return "worse"
    return "tied" if len(standing.may_be_best) > 1 else "best"


def _param(name: str, value: Scalar) -> str:
    if _SECRET.search(name):
        return "***"
    text = redact(plain(value))
    return text if len(text) <= PARAM_LENGTH else text[: PARAM_LENGTH - 1] + "…"


def _means(job: JobRecord, weights: Weights = None) -> dict[str, float]:
    if job.scores is None:
        return {}
    found = {measure: summary(job.scores, measure, _array(weights)) for measure in job.scores.measures}
    return {measure: each.mean for measure, each in found.items() if each.n}


def _spread(job: JobRecord, primary: str, weights: Weights) -> Iterator[Value]:
    if job.scores is None or primary not in job.scores.measures:
        return
    found = summary(job.scores, primary, _array(weights))
    yield Value("queries", float(found.n))
    for name in _QUANTILES:
        yield Value(f"detail/{metric_name(primary)}_{name}", getattr(found, name))


def _array(weights: Weights) -> Floats | None:
    return None if weights is None else np.array(weights)


def _last_if_nan(value: float) -> float:
    return math.inf if math.isnan(value) else value


def _cell(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)
