"""Addresses of stores: what may be shown of them, and whether they are on this machine."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def redact(text: str) -> str:
    """`text` without the passwords and tokens that addresses in it carry."""
    text = re.sub(r"(\w://)([^\s/@:?#]*):\S*@", r"\1\2:***@", text)
    text = re.sub(r"(\w://)[^\s/@:?#]+@", r"\1***@", text)
    return re.sub(r"([?&](?:[\w-]*(?:password|passwd|token|secret|key)))=[^&\s]+", r"\1=***", text, flags=re.IGNORECASE)


def is_local(uri: str) -> bool:
    """Whether the store is a file here or listens on loopback."""
    if uri.startswith(("sqlite:", "file:", "/", ".")):
        return True
    return (urlsplit(uri).hostname or "") in _LOOPBACK


def is_server(uri: str) -> bool:
    """Whether an MLflow server stands between us and the store."""
    return uri.startswith(("http://", "https://"))
