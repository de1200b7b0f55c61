"""What must stand beside a verdict: unread text, unjudged hits, failed jobs, measures that favour small chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline import metrics
from pipeline.citations import of_answers
from pipeline.records import JobRecord, Standing, SweepRecord
from pipeline.storage.sweep_files import handle

READ_ENOUGH = 0.98  # below this share of the text, what a model did not read may decide the comparison

FILLED = 0.95  # share of the largest budget from which it counts as filled
UNFILLED = 0.1  # contexts that differ by more in the share of the budget they fill are no fair comparison


def cautions(sweep: SweepRecord, standing: Standing | None) -> tuple[str, ...]:
    """One sentence each, the gravest first."""
    done = [job for job in sweep.jobs if job.state == "done"]
    lines = [*_unfinished(sweep), *_unread(done), *_later(done), *_unfilled(sweep, done)]
    if standing is not None:
        lines += [
            *_unjudged(sweep, standing),
            *_chunk_sizes(sweep, standing, done),
            *_tied(standing, done),
            *_beside(done),
        ]
    return tuple(lines)


def _unfinished(sweep: SweepRecord) -> Iterator[str]:
    failed = [job for job in sweep.jobs if job.state == "failed"]
    if failed:
        names = ", ".join(job.name for job in failed[:3]) + (" …" if len(failed) > 3 else "")
        yield f"{len(failed)} of {len(sweep.jobs)} jobs failed and are not ranked: {names}"
    open_ones = [job for job in sweep.jobs if job.state in ("planned", "running", "killed")]
    if open_ones:
        name = handle(Path(sweep.folder))
        yield f"{len(open_ones)} of {len(sweep.jobs)} jobs did not end; go on: python -m pipeline.run resume={name}"


def _unread(done: Sequence[JobRecord]) -> Iterator[str]:
    for model in dict.fromkeys(job.settings["embedding"] for job in done):
        short = {
            job.settings["chunk_size"]: job.facts["read_share"]
            for job in done
            if job.settings["embedding"] == model and job.facts.get("read_share", 1.0) < READ_ENOUGH
        }
        if not short:
            continue
        limit = next(job.facts.get("read_limit") for job in done if job.settings["embedding"] == model)
        shares = ", ".join(
            f"{1 - share:.0%} at {size}" for size, share in sorted(short.items(), key=lambda kv: kv[1], reverse=True)
        )
        reads = "" if limit is None else f" reads {limit:.0f} tokens of a chunk"
        yield f"{model}{reads}; of the text it never saw: {shares}"


def _later(done: Sequence[JobRecord]) -> Iterator[str]:
    dated = "dated after the day of their question (as_of): nobody could have found them then"
    count, worst = _most(done, "later_hits")
    if count:
        yield (
            f"{count:,.0f} hits of {worst} are {dated}; measures of recency leave them out unless later=clamp, all"
            " others count them"
        )
    count, worst = _most(done, "later_removed")
    if count:
        yield f"decay.later=exclude took {count:,.0f} hits out of the ranking of {worst}, {dated}"


def _most(done: Sequence[JobRecord], fact: str) -> tuple[float, str]:
    """The largest value of a fact that counts, and the first job that has it."""
    every = ((job.facts.get(fact, 0.0), job.name) for job in done)
    return max(every, key=lambda found: found[0], default=(0.0, ""))


def _tied(standing: Standing, done: Sequence[JobRecord]) -> Iterator[str]:
    for job in done:
        ends = [job.facts.get(f"ties/{standing.primary}/{end}") for end in ("low", "high", "queries")]
        if job.name == standing.best and None not in ends and ends[2]:
            yield (
                f"equal scores leave {standing.primary} of {job.name} open between {ends[0]:.3f} and {ends[1]:.3f}:"
                f" {ends[2]:,.0f} queries"
            )


def _unfilled(sweep: SweepRecord, done: Sequence[JobRecord]) -> Iterator[str]:
    filled = {job.name: job.facts["filled"] for job in done if "filled" in job.facts}
    if not filled or min(filled.values()) >= FILLED:
        return
    budget = max((m.cutoff or 0) for m in _retrieval_measures(sweep) if m.counted == "tokens")
    least, most = (pick(filled, key=lambda name: filled[name]) for pick in (min, max))
    ends = f"rankings end before {budget:,} tokens"
    if filled[most] - filled[least] >= UNFILLED:
        yield f"{ends}: {least} fills {filled[least]:.0%} of them, {most} {filled[most]:.0%}"
    else:
        yield f"{ends}: at least {filled[least]:.0%} and at most {filled[most]:.0%} of them are filled"


def _unjudged(sweep: SweepRecord, standing: Standing) -> Iterator[str]:
    if sweep.dataset.get("judgements") != "pooled":
        return
    jobs = {job.name: job for job in sweep.jobs if job.state == "done"}
    best, baseline = jobs.get(standing.best), jobs.get(standing.baseline)
    if best is None or not best.facts.get("unjudged_at_10"):
        return
    other = ""
    if baseline is not None and baseline is not best:
        other = f" ({baseline.name}: {baseline.facts['unjudged_at_10']:,.0f})"
    yield (
        f"{best.facts['unjudged_at_10']:,.0f} of {best.facts['hits_at_10']:,.0f} top-10 hits of {best.name}"
        f" were never judged and count as wrong{other}"
    )


def _chunk_sizes(sweep: SweepRecord, standing: Standing, done: Sequence[JobRecord]) -> Iterator[str]:
    if len({job.settings["chunk_size"] for job in done} - {"none"}) < 2:
        return
    if of_answers(standing.primary) or "spans" in metrics.needs(metrics.parse(standing.primary)):
        return
    span_measures = [str(measure) for measure in _retrieval_measures(sweep) if "spans" in metrics.needs(measure)]
    if not span_measures:
        yield (
            f"{standing.primary} counts documents, and small chunks touch more of them by construction:"
            " without evidence spans in the dataset no chunk size is decided"
        )
        return
    measure = next((name for name in span_measures if "2048" in name), span_measures[0])
    means = {
        name: values[measure] for name, values in standing.means.items() if values.get(measure) == values.get(measure)
    }
    if means:
        leads = max(means, key=lambda name: means[name])
        best = standing.best
        where = f"there {leads} leads with {means[leads]:.3f}"
        if leads != best:
            where += f", {best} has {means[best]:.3f}" if best in means else f", {best} has none"
        yield f"only evidence in the context decides a chunk size: {measure}; {where}; primary={measure} tests it"


def _beside(done: Sequence[JobRecord]) -> Iterator[str]:
    if any(job.facts.get("jobs_beside") for job in done):
        yield "latencies were taken while other jobs ran: compare them with care"


def _retrieval_measures(sweep: SweepRecord) -> list[metrics.Measure]:
    """Those of rankings and contexts; measures of citations are words of their own."""
    return [metrics.parse(name) for name in sweep.measures if not of_answers(name)]
