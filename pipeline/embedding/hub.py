"""Models of the hub: what is here already first, then the hub itself, with short time-outs."""

from __future__ import annotations

import json
import logging
import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Literal

from pipeline.errors import ModelError

SECONDS = 3.0
FILES = ["*.json", "*.txt", "*.model", "*.jinja", "*.safetensors"]
TRUSTED_FILES = [*FILES, "*.bin", "*.py"]
OTHER_RUNTIMES = ["onnx/*", "openvino/*"]

logger = logging.getLogger(__name__)


def hub_folder(model: str, *, offline: Literal["auto", "always", "never"], trust: bool, fetch: bool) -> Path | None:
    """The local snapshot of `org/name[@revision]`; None = not here, but the hub has it (only with `fetch=False`).

    `auto`: the local copy if there is one, else the hub. `always`: the local copy alone. `never`: the hub's newest
    revision, even if there is a copy. HF_HUB_OFFLINE forbids the hub as well. ModelError in one line.
    """
    name, _, revision = model.partition("@")
    forbidden = offline == "always" or _environment_forbids()
    here = _snapshot(name, revision or None)
    if here is not None and (offline != "never" or forbidden):
        return here
    if forbidden:
        why = "embedding.offline=always" if offline == "always" else "HF_HUB_OFFLINE is set"
        raise ModelError(
            f"the model {model!r} is not on this machine and {why}; download it elsewhere "
            f"(hf download {name}) and give its folder as embedding.model=./folder, or allow the hub"
        )
    _ask(model, name, revision or None, trust)
    return _download(model, name, revision or None, trust) if fetch else None


def _environment_forbids() -> bool:
    return any(
        os.environ.get(key, "").upper() in ("1", "ON", "YES", "TRUE")
        for key in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    )


def _snapshot(name: str, revision: str | None) -> Path | None:
    """The local snapshot if it is whole enough to load: a configuration and weights."""
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True))
    except OSError:  # LocalEntryNotFoundError among them: nothing is here
        return None
    configured = (folder / "modules.json").is_file() or (folder / "config.json").is_file()
    weighted = any(path.suffix in (".safetensors", ".bin") for path in folder.rglob("*"))
    return folder if configured and weighted else None


def _ask(model: str, name: str, revision: str | None, trust: bool) -> None:
    """ModelError unless the hub answers in time, has the model, and has weights of it that may be loaded.

    Asked without huggingface_hub, whose downloads repeat a refused connection for half a minute.
    """
    from huggingface_hub import constants, get_token

    path = f"/api/models/{name}/revision/{urllib.parse.quote(revision or 'main', safe='')}"
    token = get_token()
    request = urllib.request.Request(
        constants.ENDPOINT + path, headers={"Authorization": f"Bearer {token}"} if token else {}
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            listed = json.load(answer)["siblings"]
    except urllib.error.HTTPError as error:
        raise ModelError(
            f"the hub does not give out the model {model!r} (HTTP {error.code}); check the name, or log in with "
            "`hf auth login` if it is private or gated"
        ) from None
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"the model {model!r} is not on this machine and the hub cannot be reached ({_line(error)}); download it "
            f"elsewhere (hf download {name}) and give its folder as embedding.model=./folder, or use a packaged model "
            "(minilm, wordllama_256)"
        ) from None
    if not trust and not any(str(file.get("rfilename")).endswith(".safetensors") for file in listed):
        raise ModelError(
            f"the model {model!r} has no safetensors weights on the hub; name a revision that has them "
            f"({name}@refs/pr/N), or set embedding.trust_remote_code=true to load pickled ones"
        )


def _download(model: str, name: str, revision: str | None, trust: bool) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.utils import disable_progress_bars

    logger.info("downloading %s from the hub", model)
    disable_progress_bars()
    try:
        folder = snapshot_download(
            name,
            revision=revision,
            etag_timeout=SECONDS,
            allow_patterns=TRUSTED_FILES if trust else FILES,
            ignore_patterns=OTHER_RUNTIMES,
        )
    except (HfHubHTTPError, OSError) as error:
        raise ModelError(f"the download of {model!r} broke off ({_line(error)}); run the same command again") from None
    return Path(folder)


def _line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
