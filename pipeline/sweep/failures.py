"""What went wrong with the answers of a sweep, from the files of its jobs."""

from __future__ import annotations

from pathlib import Path

from pipeline.answers.failed import read_failures
from pipeline.citations import failure_table, ranked
from pipeline.records import SweepRecord
from pipeline.report.failures import Failing, FailureView, judged


def failures(sweep: SweepRecord) -> FailureView | None:
    """Configurations with answers by their share without a failure; None without answers or without judgements.

    An experiment averaged over seeds is told by its first seed.
    """
    done = [job for job in sweep.jobs if job.state == "done"]
    records = {job.name: found for job in done if (found := read_failures(Path(job.folder))) is not None}
    tables = {name: failure_table(found.failures) for name, found in records.items()}
    rows = tuple(Failing(name, tables[name], records[name].unknown) for name in ranked(tables))
    if not judged(rows):
        return None
    return FailureView(rows, one_file=len(rows) > 1 and len({found.file for found in records.values()}) == 1)
