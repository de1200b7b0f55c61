"""One MLflow store: made once, reached within a bounded time, its faults told in one line."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.errors import EnvironmentFault
from pipeline.tracking.uri import is_server, redact

if TYPE_CHECKING:
    from mlflow import MlflowClient

T = TypeVar("T")

_QUIET = {  # defaults only: what the user exported stays
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "GIT_PYTHON_REFRESH": "quiet",
}


def load() -> None:
    """Imports MLflow without its own chatter: seconds that are no store's fault, so outside every time limit."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import mlflow

    for name in (mlflow.__name__, "alembic"):  # after the import, which sets the level of the first
        logging.getLogger(name).setLevel(logging.ERROR)


def client(uri: str) -> MlflowClient:
    """A client of the store at `uri`; a sqlite store gets its schema here."""
    from mlflow import MlflowClient

    whole = absolute(uri)
    return MlflowClient(tracking_uri=whole, registry_uri=whole)


def absolute(uri: str) -> str:
    """`uri` with the whole path of a sqlite file: MLflow keeps one open store for each address, wherever one stands."""
    file = sqlite_file(uri)
    if file is None or file.is_absolute():
        return uri
    scheme, _, rest = uri.partition(":///")
    return f"{scheme}:///{file.absolute()}{rest[len(str(file)) :]}" if rest.startswith(str(file)) else uri


def within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` returns, or TimeoutError after `seconds`; a call that hangs is left behind in a daemon thread."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as fault:  # handed to the caller, who waits in result()
            future.set_exception(fault)

    threading.Thread(target=work, name="tracking", daemon=True).start()
    return future.result(timeout=seconds)


@contextmanager
def told(
    uri: str, kind: type[EnvironmentFault], after: str = "", also: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Turns whatever a store raises, and `also`, into `kind`, one line: the store, what it said, the way out."""
    try:
        yield
    except (*_faults(), *also) as fault:
        said = _first_line(fault) or type(fault).__name__
        raise kind(f"MLflow store {redact(uri)}: {redact(said)}; {_way_out(uri, fault)}{after}") from fault


def experiment(client: MlflowClient, name: str, artifact_root: str | None) -> str:
    """Id of the experiment called `name`, made if missing; one in MLflow's bin is not taken out silently."""
    found = client.get_experiment_by_name(name)
    if found is None:
        return str(client.create_experiment(name, artifact_location=artifact_root))
    if found.lifecycle_stage != "active":
        restore = f"`mlflow experiments restore -x {found.experiment_id}`"
        raise OSError(f"the experiment {name} was deleted; {restore}, or give another tracking.experiment")
    return str(found.experiment_id)


def folder_name(name: str) -> str:
    """A flat folder name that no other experiment has: readable letters and a digest."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
    return f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def prepare(uri: str) -> None:
    """Makes the folder of a sqlite file; the schema comes with the first call of a client."""
    file = sqlite_file(uri)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)


@contextmanager
def alone(uri: str, seconds: float) -> Iterator[None]:
    """Holds a lock beside a sqlite file: two processes that make its schema at once break it for good."""
    file = sqlite_file(uri)
    if file is None:
        yield
        return
    from filelock import FileLock

    with FileLock(f"{file}.lock", timeout=seconds):
        yield


def sqlite_file(uri: str) -> Path | None:
    """The database file of a sqlite address; None for other stores and for `:memory:`."""
    scheme, _, rest = uri.partition(":///")
    if not scheme.startswith("sqlite") or rest in ("", ":memory:"):
        return None
    return Path(rest.partition("?")[0])


def _faults() -> tuple[type[BaseException], ...]:
    """What MLflow lets through from its layers; requests' errors are OSErrors."""
    kinds: list[Any] = [OSError, sqlite3.Error, ImportError, TimeoutError]
    from mlflow.exceptions import MlflowException

    kinds.append(MlflowException)
    try:
        from alembic.util import CommandError
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError:  # a client without SQLAlchemy talks to servers only
        return tuple(kinds)
    return (*kinds, CommandError, SQLAlchemyError)


def _first_line(fault: BaseException) -> str:
    if "Max retries exceeded" in str(fault):  # urllib3's sentence is 300 characters long and ends in an object address
        return "no connection"
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    line = lines[0] if lines else "no answer in time" if isinstance(fault, TimeoutError) else ""
    return line if len(line) <= 200 else line[:199] + "…"


def _way_out(uri: str, fault: BaseException) -> str:
    file = sqlite_file(uri)
    if "out-of-date database schema" in str(fault):
        way = f"back it up and run `mlflow db upgrade {redact(uri)}`"
    elif isinstance(fault, ImportError):
        way = "install that module" + (" (pip install 'psycopg[binary]')" if "psycopg" in str(fault) else "")
    elif is_server(uri):
        way = "start the server or mend MLFLOW_TRACKING_URI"
    elif file is None:
        way = "use sqlite:///outputs/mlflow.db or a server's http:// address"
    elif isinstance(fault, TimeoutError):
        way = f"end what holds {file}"
    elif isinstance(fault, OSError):
        way = "mend that, or give another tracking.uri or tracking.artifacts"
    else:
        way = f"move {file} away (a new store is made; the results stay in their folders)"
    return f"{way}, or run with tracking=none"
