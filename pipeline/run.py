"""python -m pipeline.run [-m] [group=option] [knob=value]: one experiment, or a sweep of them.

Exit codes: 0 all good; 1 some job failed; 2 bad input; 3 environment (disk, permission, store); 4 all done, but the
tracking store is incomplete; 130 interrupted; 143 terminated.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

QUIET = {
    "HYDRA_FULL_ERROR": "1",  # Hydra then hands its errors to us instead of printing them
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "OMP_WAIT_POLICY": "passive",  # threads that spin at barriers cost a busy machine twice the work
}


class Terminated(KeyboardInterrupt):
    """SIGTERM: ends a sweep as an interrupt does, so that its running job is told from one that hangs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    with _terminable():
        return _main(list(sys.argv[1:] if arguments is None else arguments))


def _main(given: list[str]) -> int:
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from pipeline.errors import PipelineError
    from pipeline.sweep import PLANNED, process, survive
    from pipeline.sweep.explain import explain
    from pipeline.sweep.foreign import check_folders

    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    PLANNED.clear()
    try:
        _refuse_secrets(given)
        check_folders(given)
        given = _stamp([_at_home(item) for item in given])
        survive.launch(
            first=lambda: _launch(given),
            again=lambda only: _launch(_stamp([f"resume={PLANNED[0][0]}", only])),
            folder=lambda: PLANNED[0][0],
        )
        if not PLANNED:
            return 0  # --help, --cfg and the like
        from pipeline.sweep.finish import finish

        return finish(*PLANNED[0])
    except (HydraException, OmegaConfBaseException) as error:  # first: some of them are OSErrors, too
        process.warn(explain(error))
        return 2
    except (PipelineError, OSError) as error:
        return _fault(error, PLANNED)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2 if error.code else 0
    except KeyboardInterrupt as interrupt:
        return _interrupted(PLANNED, 143 if isinstance(interrupt, Terminated) else 130)


def _launch(arguments: Sequence[str]) -> None:
    import hydra

    from pipeline.knobs import configuration
    from pipeline.sweep import task

    # Hydra takes its flags only before or after all overrides; people write -m where they think of it.
    flags = [item for item in arguments if item in ("-m", "--multirun")]
    sys.argv = [sys.argv[0], *flags[:1], *(item for item in arguments if item not in flags)]
    hydra.main(version_base="1.3", config_path=configuration(), config_name="config")(task)()


def _refuse_secrets(arguments: Sequence[str]) -> None:
    """The command line is kept with the results, by us and by Hydra: an address in it must not carry a password."""
    from pipeline.errors import SettingError
    from pipeline.tracking.uri import redact

    for item in arguments:
        if redact(item) != item:
            raise SettingError(
                f"{redact(item)}: the command is stored with the results, so it must hold no password or token; export"
                " MLFLOW_TRACKING_URI, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, and leave it out here"
            )


def _at_home(argument: str) -> str:
    """`output_dir` and `cache_dir` with their `~` expanded: Hydra would make a folder of that name."""
    name, _, value = argument.partition("=")
    bare = value.strip("'\"")
    if name not in ("output_dir", "cache_dir") or not bare.startswith("~"):
        return argument
    return f'{name}="{Path(bare).expanduser()}"'


def _stamp(arguments: list[str]) -> list[str]:
    """Chooses the folder name of this sweep (date, time and a short id to type), or takes that of the one resumed."""
    from pipeline.config import STAMP
    from pipeline.storage.sweep_files import find_sweep, read_plan

    wanted = next((value for name, _, value in (item.partition("=") for item in arguments) if name == "resume"), "")
    output = next((value for name, _, value in (item.partition("=") for item in arguments) if name == "output_dir"), "")
    if not wanted or wanted == "null":
        os.environ[STAMP] = f"{datetime.now():%Y-%m-%d-%H%M%S}-{secrets.token_hex(3)}"
        return arguments
    folder = find_sweep(Path(output.strip("'\"") or "outputs"), wanted)
    os.environ[STAMP] = folder.name
    kept = [item for item in arguments if not item.startswith("resume=")]
    stored = [item for item in read_plan(folder).arguments if not item.startswith("resume=")]
    return [*stored, *(item for item in kept if item not in stored), f"resume={folder.name.rpartition('-')[2]}"]


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM raises Terminated in here; elsewhere, and in other threads than the main one, nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(*_: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _fault(error: Exception, planned: Sequence[tuple[Path, object]]) -> int:
    """One line and the exit code for what ended the command; an OSError that is not the disk's is a bug and raised."""
    from pipeline.errors import EnvironmentFault, PipelineError
    from pipeline.storage.sweep_files import handle
    from pipeline.sweep import process

    if isinstance(error, PipelineError) and not isinstance(error, EnvironmentFault):
        process.warn(str(error))
        return error.exit_code
    said = str(error)
    if isinstance(error, OSError):
        if not process.is_disk_fault(error):
            raise error
        place = error.filename or (planned[0][0] if planned else "the results")
        said = f"{place}: cannot be written ({error.strerror}); make room or mend its permissions"
    go_on = f"; then go on: python -m pipeline.run resume={handle(planned[0][0])}" if planned else ""
    process.warn(f"{said}{go_on}")
    return error.exit_code if isinstance(error, PipelineError) else EnvironmentFault.exit_code


def _interrupted(planned: Sequence[tuple[Path, object]], code: int) -> int:
    from pipeline.storage.sweep_files import handle
    from pipeline.sweep import process
    from pipeline.sweep.finish import close_dead_jobs

    if planned:
        close_dead_jobs(planned[0][0], "interrupted")
        process.warn(f"stopped; to go on where it stopped: python -m pipeline.run resume={handle(planned[0][0])}")
    return code


if __name__ == "__main__":
    sys.exit(main())
