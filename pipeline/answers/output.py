"""Files of scored answers: a row an answer to drill into, the failures, and the summary."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pipeline.answers.failed import write_failures
from pipeline.answers.precomputed import Joined
from pipeline.answers.reading import Cited
from pipeline.citations import FAILURES, CitationSummary, Failures
from pipeline.records import Answer
from pipeline.storage.entries import write_json, write_text
from pipeline.support import Checked

ANSWERS, SUMMARY = "answers.jsonl", "citations.json"


def write_joined(folder: Path, joined: Joined) -> None:
    """`answers.jsonl`: a row an answer; `citations.json`: means, intervals, counts, notes; `failures.csv`."""
    rows = zip(joined.answers, joined.cited, joined.failures, joined.checked, strict=True)
    lines = (json.dumps(answer_row(*row), ensure_ascii=False) + "\n" for row in rows)
    write_text(folder / ANSWERS, "".join(lines))
    write_failures(folder, joined)
    table = joined.failure_table
    write_json(
        folder / SUMMARY,
        {
            **summary_row(joined.summary),
            "failures": {
                name: {"answers": table.counts[name], "cause": table.causes[name], "means": FAILURES[name]}
                for name in FAILURES
            },
            "without_failure": table.clean,
            "retrieval_and_citations": {" / ".join(pair): count for pair, count in sorted(table.fields.items())},
            "notes": list(joined.notes),
        },
    )


def answer_row(answer: Answer, cited: Cited, failures: Failures, checked: Sequence[Checked]) -> dict[str, object]:
    """One answer with each of its citations and the reason of each, and the support of each sentence that has some."""
    report = cited.report
    return {
        "id": answer.id,
        "query_id": answer.query_id,
        "where": answer.where,
        "state": report.state,
        "cause": failures.cause,
        "failures": list(failures.names),
        "answer": answer.text,
        "context": list(answer.context),
        "citations": [
            {
                "start": one.start,
                "end": one.end,
                "text": one.text,
                "format": one.format,
                "cited": one.cited,
                "doc_id": one.doc_id,
                "resolution": one.resolution,
                "reason": one.reason,
                "sentence": one.sentence,
                "locator": one.locator,
            }
            for one in report.occurrences
        ],
        "near_misses": [{"start": one.start, "text": one.text, "like": one.like} for one in report.near_misses],
        "support": [_support_row(one) for one in checked],
        "orphans": [one.reason for one in cited.orphans],
        "values": dict(_values(report.__dict__)),
    }


def _support_row(checked: Checked) -> dict[str, object]:
    """A sentence, its support by the best of the documents that it cites (null = not known), and numbers not found."""
    found = checked.support
    return {
        "sentence": checked.sentence.text.strip(),
        "doc_ids": list(checked.sentence.doc_ids),
        "score": None if found is None else found.score,
        "missing": [] if found is None else list(found.missing),
    }


def summary_row(summary: CitationSummary) -> dict[str, object]:
    """The summary as JSON takes it: an undefined number is null."""
    return {
        "answers": summary.answers,
        "states": dict(summary.states),
        "formats": dict(summary.formats),
        "resolutions": dict(summary.resolutions),
        "means": {
            name: {
                "mean": _number(mean.macro),
                "micro": _number(mean.micro),
                "low": _number(mean.interval.low),
                "high": _number(mean.interval.high),
                "answers": mean.defined,
                "undefined": dict(mean.undefined),
            }
            for name, mean in summary.means.items()
        },
    }


def _values(fields: Mapping[str, object]) -> Iterator[tuple[str, float | None]]:
    for name, value in fields.items():
        if isinstance(value, (int, float)):
            yield name, _number(float(value))


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
