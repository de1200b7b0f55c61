"""What an id by itself is made of: its spelling, its file name, its number, what ids made like it look like."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pipeline.citations.spelling import Spelling

_EXTENSION = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|odt|rtf|txt|md|rst|html?|csv|tsv|jsonl?|xml|ya?ml|epub|eml|msg|py|ipynb|java|js|ts|sql"
    r"|png|jpe?g|gif|svg|mp[34]|log|tex|ps)$",
    re.IGNORECASE,
)
_RUNS = re.compile(r"[^\W\d_]+|\d+|.", re.DOTALL)
_HEX = re.compile(r"(?i)^(?=.*\d)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$|^(?=.*\d)[0-9a-f]{12,}$")
_SHORTEST_HEX = 12  # characters
_SIGNS = re.compile(r"[\[\]()（）,;、，；]")
MOST_DIGITS = 18  # of a whole number
_LOOSE = Spelling()


class Identifier(NamedTuple):
    """What an id by itself leads to."""

    key: str
    plain: str  # file name without folder and extension, where that is another name
    number: int | None
    shapes: tuple[tuple[str, str, str], ...]
    signs: bool  # brackets, semicolons or commas
    link: bool
    is_hex: bool


@lru_cache(maxsize=65_536)
def identifier(name: str, nfkc: bool, case: bool, blanks: bool) -> Identifier:
    """What this id leads to under the settings of a `Spelling`."""
    key = Spelling(nfkc, case, blanks).key(name)
    plain = file_name(key)
    return Identifier(
        key,
        plain if plain != key else "",
        whole_number(name),
        _kin_shapes(_LOOSE.key(name)),
        _SIGNS.search(name) is not None,
        name.lower().startswith(("http://", "https://")),
        is_hex(key),
    )


def file_name(key: str) -> str:
    """The file name alone, without its extension."""
    name = key.replace("\\", "/").rpartition("/")[2]
    return _EXTENSION.sub("", name) if "." in name else name


def has_extension(key: str) -> bool:
    """Whether it ends like a file name."""
    return _EXTENSION.search(key) is not None


def extensions_agree(one: str, other: str) -> bool:
    """Whether two file names do not contradict each other by their extensions."""
    first, second = _EXTENSION.search(one), _EXTENSION.search(other)
    return first is None or second is None or first.group() == second.group()


def is_hex(key: str) -> bool:
    """Whether it is a UUID or a long hexadecimal number."""
    return len(key) >= _SHORTEST_HEX and _HEX.match(key) is not None


def shape_of(key: str) -> tuple[str, str, str]:
    """Signature (letters a, digits 9, signs themselves), first run and last run; no first run = too plain."""
    runs = _RUNS.findall(key)
    signature = "".join("9" if run[0].isdigit() else "a" if run[0].isalpha() else run for run in runs)
    if len(runs) < 2:
        return signature, "", ""
    return signature, runs[0], runs[-1]


def _kin_shapes(key: str) -> tuple[tuple[str, str, str], ...]:
    signature, head, tail = shape_of(key)
    found = [(signature, head, "")] if head and head[0].isalpha() else []
    if tail and tail[0].isalpha() and len(signature) > 2:
        found.append((signature, "", tail))
    return tuple(found)


def whole_number(text: str) -> int | None:
    """The number that `text` is, in digits of any script; None for anything else."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None
