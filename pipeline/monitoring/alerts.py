"""Where an alarm goes: a web hook, with retries; plain http only to this machine."""

from __future__ import annotations

import http.client
import ipaddress
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping

from pipeline.errors import EnvironmentFault, SettingError

TRIES = 4
PAUSE = 1.0  # seconds before the second try, doubled before each further one
PATIENCE = 10.0  # seconds for one try


def check_hook(url: str) -> None:
    """SettingError for an address that is no web hook, or that would send alarms readable over a network."""
    try:
        parts = urllib.parse.urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:  # brackets that do not close, a port above 65535
        raise SettingError(f"webhook: {error}; expected https://host/path") from error
    if not whole:
        raise SettingError(f"webhook {_public(url)}: expected https://host/path")
    if parts.scheme == "http" and not _here(parts.hostname or ""):
        raise SettingError(f"webhook {_public(url)}: http is for this machine only; use https")


def send(url: str, payload: Mapping[str, object], pause: Callable[[float], None] = time.sleep) -> None:
    """Posts JSON; tries again after a fault of the network or the server. EnvironmentFault when all tries failed.

    Redirects are not followed: an alarm goes where the setting says, or nowhere.
    """
    check_hook(url)
    body = json.dumps(payload, ensure_ascii=False).encode("utf-8")
    opener = urllib.request.build_opener(_NoRedirect)
    said = ""
    for attempt in range(TRIES):
        if attempt:
            pause(PAUSE * 2 ** (attempt - 1))
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
        try:
            with opener.open(request, timeout=PATIENCE):
                return
        except urllib.error.HTTPError as error:
            said = f"answered {error.code}"
            error.close()
            if error.code < 500 and error.code != 429:
                break
        except (OSError, ValueError, http.client.HTTPException) as error:
            said = str(getattr(error, "reason", error)) or type(error).__name__
    raise EnvironmentFault(f"webhook {_public(url)}: {said}; the alarm stands in the history and in the JSON")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other that is not 2xx."""

    def redirect_request(self, *_: object) -> None:
        """Follows nothing."""
        return


def _here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _public(url: str) -> str:
    """Scheme and host: the path of a web hook is often its secret."""
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}" if parts.scheme else url[:40]
