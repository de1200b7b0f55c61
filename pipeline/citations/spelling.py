"""When two spellings of an id, a title or a URL are the same."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_QUOTES = "\"'“”‘’«»`*_"
_URL = re.compile(r"(?i)^(?:https?:)?//([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$")
_TRACKING = re.compile(r"(?i)^(?:utm_\w+|gclid|fbclid|mc_[ce]id|ref_src)(?:=|$)")


@dataclass(frozen=True)
class Spelling:
    """What does not tell two ids apart; all False = letter for letter."""

    nfkc: bool = True  # ［１］ is [1]
    case: bool = True  # DOC-1 is doc-1
    blanks: bool = True  # blanks and line breaks around and inside
    zeros: bool = True  # 01 is 1

    def key(self, text: str) -> str:
        """Equal for texts that are the same id."""
        return _key(text, self.nfkc, self.case, self.blanks)

    def title_key(self, text: str) -> str:
        """The same for titles, which may stand in quotation marks or emphasis."""
        return self.key(text).strip(_QUOTES + " ") if self.blanks else self.key(text)


@lru_cache(maxsize=65_536)
def _key(text: str, nfkc: bool, case: bool, blanks: bool) -> str:
    if nfkc and not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if blanks:
        text = " ".join(text.split())
    return text.casefold() if case else text


STRICT = Spelling(nfkc=False, case=False, blanks=False, zeros=False)


def url_key(url: str) -> str:
    """Equal for URLs that lead to the same page.

    Without scheme, `www.`, default port, fragment, tracking parameters and the slash at the end; host in lower case.
    """
    found = _URL.match(url.strip())
    if found is None:
        return url.strip()
    host, path, query, _ = found.groups()
    host = host.rpartition("@")[2].lower().removeprefix("www.")
    host = re.sub(r":(?:80|443)$", "", host)
    kept = [part for part in (query or "").split("&") if part and not _TRACKING.match(part)]
    return host + path.rstrip("/") + ("?" + "&".join(kept) if kept else "")


def url_fragment(url: str) -> str:
    """What stands after # or nothing."""
    return url.partition("#")[2]
