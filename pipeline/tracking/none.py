"""No tracking: the files alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pipeline.records import JobRecord, Standing, SweepRecord
from pipeline.tracking.links import Links
from pipeline.tracking.payload import NOTHING, Extras


@dataclass(frozen=True)
class NoMirror:
    """Takes everything and keeps nothing."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    def check(self, dataset_name: str) -> str:
        """Nothing to check, nothing to say."""
        del dataset_name
        return ""

    def mirror_job(self, job: JobRecord, sweep: SweepRecord, extras: Extras = NOTHING) -> str:
        """No run: ""."""
        del job, sweep, extras
        return ""

    def mirror_comparison(
        self,
        sweep: SweepRecord,
        standing: Standing | None,
        verdict: tuple[str, ...],
        folder: Path,
        extras: Extras = NOTHING,
    ) -> Links:
        """No pages."""
        del sweep, standing, verdict, folder, extras
        return Links()
