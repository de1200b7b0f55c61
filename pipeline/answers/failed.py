"""What went wrong with each answer of a job, as a file: written with its results, read when the sweep ends."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from pipeline.citations import FAILURES, Failures, Retrieval
from pipeline.errors import DataError
from pipeline.storage.entries import write_text
from pipeline.storage.job_files import defused

if TYPE_CHECKING:
    from pipeline.answers.precomputed import Joined

FILE = "failures.csv"
UNKNOWN = "unknown query"  # stands for retrieval where nothing can be said of it
DIGITS = 12  # of the digest of the file of answers: enough to tell files apart


@dataclass(frozen=True)
class FailureRecord:
    """The failures of one job's answers, as its folder tells them."""

    failures: tuple[Failures, ...]
    unknown: int  # further answers, to queries that the dataset does not have
    file: str  # digest of the file of answers


def failure_facts(joined: Joined) -> dict[str, float]:
    """Shares of the answers with each failure and with none, and how many answers there are."""
    table, total = joined.failure_table, len(joined.answers)
    shares = {f"failures/{name.replace(' ', '_')}": count / total for name, count in table.counts.items()}
    return {
        "answers": float(total),
        "answers_to_unknown_queries": float(len(joined.unknown)),
        "answers_not_judged": float(sum(one.retrieval == "not judged" for one in joined.failures)),
        "failures/none": table.clean_share,
        **shares,
    }


def write_failures(folder: Path, joined: Joined) -> None:
    """`failures.csv`: a row an answer, those to unknown queries included; ids and words, no text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["query_id", "answer_id", "cause", "failures", "retrieval", "citations", "file"])
    for answer, found in zip(joined.answers, joined.failures, strict=True):
        citations = "good" if found.citations_good else "bad"
        cells = [found.cause, "; ".join(found.names), found.retrieval, citations]
        writer.writerow([defused(answer.query_id), defused(answer.id), *cells, joined.digest[:DIGITS]])
    for answer in joined.unknown:
        writer.writerow([defused(answer.query_id), defused(answer.id), "", "", UNKNOWN, "", joined.digest[:DIGITS]])
    write_text(folder / FILE, stream.getvalue())


def read_failures(folder: Path) -> FailureRecord | None:
    """What `failures.csv` of a job holds; None where the job has no answers. DataError where it was changed."""
    path = folder / FILE
    if not path.is_file():
        return None
    found: list[Failures] = []
    unknown, file = 0, ""
    with path.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream), start=2):
            try:
                file = row["file"]
                if row["retrieval"] == UNKNOWN:
                    unknown += 1
                else:
                    found.append(_failures(row))
            except (KeyError, ValueError, AttributeError) as error:
                raise DataError("was changed into something else; run the job again", path=path, line=number) from error
    return FailureRecord(tuple(found), unknown, file)


def _failures(row: Mapping[str, str]) -> Failures:
    names = tuple(filter(None, row["failures"].split("; ")))
    if not set(names) <= set(FAILURES) or row["retrieval"] not in get_args(Retrieval):
        raise ValueError(f"{row['failures']} / {row['retrieval']}")
    return Failures(names, cast("Retrieval", row["retrieval"]), row["citations"] == "good")
