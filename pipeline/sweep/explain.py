"""Hydra's and OmegaConf's messages as one line that a person can act on."""

from __future__ import annotations

import dataclasses
import re
import shlex

from hydra.errors import HydraException, OverrideParseException
from omegaconf.errors import OmegaConfBaseException

from pipeline.config import one_line, unknown_key
from pipeline.knobs import Knobs

NOISE = re.compile(
    r"\s*(Set the environment variable HYDRA_FULL_ERROR=1.*|full_key: .*|object_type=.*|See https?://\S+.*)"
)


def explain(error: Exception) -> str:
    """One line for an error of Hydra or OmegaConf, with the form that works where the grammar was the trouble."""
    if isinstance(error, OverrideParseException):
        return _grammar(error)
    text = _text(error)
    missing = re.search(r"Could not override '([^']+)'|Key '([^']+)' is not in struct|Key '([^']+)' not in", text)
    if missing:
        return _unknown(next(filter(None, missing.groups())), text)
    group = re.search(
        r"In '[^']*': Could not find '([^']+)' Available options in '([^']+)': (.+?)(?: Config search path:|$)", text
    )
    if group:
        name, options = group.group(1).rpartition("/")[2], " ".join(group.group(3).split())
        return f"{group.group(2)}={name}: no such option; there are {', '.join(options.split())}"
    convert = re.search(r"Value '(.*)' of type '\w+' could not be converted to (\w+)", text)
    if convert:
        key = re.search(r"full_key: (\S+)", str(error.__cause__ or error))
        kind = {"Integer": "a whole number", "Float": "a number", "Boolean": "true or false"}.get(
            convert.group(2), convert.group(2)
        )
        where = key.group(1) if key else _overridden(text)
        return f"{where}={convert.group(1)}: expected {kind}"
    ambiguous = re.search(r"Ambiguous value for argument '([^']+)'", text)
    if ambiguous:
        key, _, value = ambiguous.group(1).partition("=")
        return f"{key}={value}: several values; add -m to sweep over them, or write '{key}=[{value}]' for one list"
    return text


def _text(error: Exception) -> str:
    parts = [str(error)]
    if isinstance(error.__cause__, (HydraException, OmegaConfBaseException)):
        parts.append(str(error.__cause__))
    lines = [NOISE.sub("", line).strip() for part in parts for line in part.splitlines()]
    return " ".join(line for line in lines if line) or one_line(error)


def _overridden(text: str) -> str:
    found = re.search(r"Error merging override ([^=\s]+)=", text)
    return found.group(1).lstrip("+") if found else "the value"


def _unknown(key: str, text: str) -> str:
    known = sorted(field.name for field in dataclasses.fields(Knobs))
    if "." not in key:
        full = re.search(r"Error merging override \+*([\w.@/]+)=|Could not override '([^']+)'", text)
        key = next(filter(None, full.groups())) if full else key
    head, _, tail = key.rpartition(".")
    if head:
        return f"{key}: unknown key of {head}; python -m pipeline.run --cfg job shows the keys that {head} has"
    return unknown_key(key, tail, known, "")


def _grammar(error: OverrideParseException) -> str:
    """Paths with ~, blanks, =, accents or a URL need two pairs of quotes: the shell's and Hydra's."""
    given = str(error.override)
    key, separator, value = given.partition("=")
    if not separator:
        return f"{given!r}: expected name=value, for instance chunk_size=256"
    bare = value.strip("'\"").replace("\\", "\\\\").replace('"', '\\"')
    quoted = shlex.quote(f'{key}="{bare}"')
    return f"{given}: a value with blanks, ~, =, accents or a URL needs quotes; write {quoted}"
