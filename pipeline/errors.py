"""What can go wrong, and the exit code each kind ends with. A message is one line: what, expected, what to do."""

from __future__ import annotations

from pathlib import Path


class PipelineError(Exception):
    """Anything the user can act on; shown as one line, never as a traceback."""

    exit_code = 2


class SettingError(PipelineError, ValueError):
    """A setting that cannot be used."""


class DataError(PipelineError):
    """A file that cannot be used: `path:line: what is wrong, what was expected, what to do`."""

    def __init__(self, message: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        place = "" if path is None else f"{path}:" if line is None else f"{path}:{line}:"
        super().__init__(f"{place} {message}".strip())


class ComparisonError(PipelineError):
    """Two results that must not be compared."""


class ModelError(PipelineError):
    """A model that cannot be had; the message says what to install or where to put it."""


class MissingExtraError(PipelineError):
    """An optional dependency that is not installed; the message names the extra."""


class EnvironmentFault(PipelineError):
    """Disk, permission, network or store: nothing wrong with the input."""

    exit_code = 3


class TrackingFault(EnvironmentFault):
    """The work is done and on disk, but the tracking store did not take its copy."""

    exit_code = 4
