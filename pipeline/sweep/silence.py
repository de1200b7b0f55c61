"""What a sweep says about questions without an answer."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.metrics.silence import MOST_ERROR
from pipeline.records import JobRecord, Standing, SweepRecord

TELLS = 0.7  # area from which a threshold is worth a sentence


def silence(sweep: SweepRecord, standing: Standing) -> tuple[str, ...]:
    """How well the best and the baseline tell them from others by their first score; nothing without such questions."""
    jobs = {job.name: job for job in sweep.jobs if job.state == "done" and "answer_auroc" in job.facts}
    named = [jobs[name] for name in dict.fromkeys((standing.best, standing.baseline)) if name in jobs]
    if not named:
        return ()
    areas = ", ".join(f"{job.name} {job.facts['answer_auroc']:.3f}" for job in named)
    told = f"Questions without an answer, told by the first score (AUROC, 0.5 = chance): {areas}."
    if named[0].facts["answer_auroc"] < TELLS:
        return (told,)  # a threshold on such a score keeps nothing apart
    return (" ".join([told, *_threshold(named[0])]),)


def _threshold(job: JobRecord) -> Iterator[str]:
    """What a threshold chosen on half of the questions does on the other half."""
    if "answer_threshold" not in job.facts:
        yield f"No threshold keeps answers without ground below {MOST_ERROR:.0%}."
        return
    error = job.facts.get("answer_error")
    wrong = "" if error is None else f", {error:.0%} of them without ground"
    yield (
        f"Above {job.facts['answer_threshold']:.4g}, chosen on one half, {job.name} answers"
        f" {job.facts['answer_coverage']:.0%} of the other half{wrong}."
    )
