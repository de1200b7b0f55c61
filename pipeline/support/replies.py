"""What a judge model said about every statement, read from its raw reply. No model is called here.

A verdict that is missing or unclear is never "supported": the reply is then an error, counted, with its beginning kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.support.loose_json import NotJsonError, loads
from pipeline.support.verdict_words import Verdict, bare, behind_label, classify, plain

HEAD = 80  # characters of a reply that are kept with an error
_LONGEST = 200_000  # characters of a reply
_MOST = 10_000  # statements

_THOUGHT = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![^\s.,;!?*])(?:\(|\*\*|#+ )?(?:statement |claim )?(\d{1,4})(?:[.):]|\*\*|\s[-–])(?=[\s*\"'a-z]|\Z)"
)
_NEXT = re.compile(r"[\s,]*")
_JSON = re.compile(r"```\w*\s*(?=[{\[])|[{\[]")
_LISTS = ("verdicts", "statements", "results", "answers", "claims", "evaluations", "judgements", "judgments", "labels")
_ONE = (
    "verdict",
    "label",
    "supported",
    "faithful",
    "attributable",
    "judgement",
    "judgment",
    "answer",
    "result",
    "score",
)


@dataclass(frozen=True)
class Verdicts:
    """Verdicts in the order of the statements. With an `error` nothing may be counted."""

    found: tuple[Verdict, ...]
    statements: int  # that were asked about
    error: str = ""
    head: str = ""  # the beginning of a reply that is an error
    repaired: bool = False  # its JSON was mended

    @property
    def share(self) -> float:
        """Share of the statements that are supported; NaN with an error."""
        return math.nan if self.error else self.found.count("yes") / self.statements

    @property
    def reason(self) -> str:
        """Why the share is what it is, in words: from the same verdicts."""
        if self.error:
            return self.error
        against = [str(place) for place, one in enumerate(self.found, 1) if one == "no"]
        said = f"{len(self.found) - len(against)} of {self.statements} statements supported"
        return f"{said}; not supported: {', '.join(against)}" if against else said


def verdicts(reply: str | None, statements: int | None = None) -> Verdicts:
    """The verdicts of a reply on so many statements; None = as many as it speaks of.

    Read, in this order: JSON (fenced, single-quoted, with prose around, cut off), numbered verdicts ("1. Yes. 2. No"),
    one verdict for one statement, a list ("Yes, No, Yes", or one a line). Time: linear in the reply.
    """
    text = reply or ""
    if statements is not None and not 1 <= statements <= _MOST:
        return _failed(text, 0, f"{statements} statements; expected 1 to {_MOST}")
    said = _without_thought(text)
    unreadable = _unreadable(said)
    if said is None or unreadable:
        return _failed(text, statements, unreadable)
    try:
        found, repaired = _json(said) or (_text(said, statements), False)
    except NotJsonError as error:
        return _failed(text, statements, f"malformed JSON: {error}")
    return _checked(text, found, statements, repaired)


def _unreadable(said: str | None) -> str:
    if said is None:
        return "the reply ends inside its reasoning"
    if len(said) > _LONGEST:
        return f"a reply of {len(said)} characters; at most {_LONGEST}"
    return "" if plain(said) else "empty reply"


def _failed(reply: str, statements: int | None, error: str, found: Sequence[Verdict] = ()) -> Verdicts:
    return Verdicts(tuple(found), statements or 0, error, reply[:HEAD])


def _checked(reply: str, found: Sequence[Verdict], statements: int | None, repaired: bool) -> Verdicts:
    wanted = len(found) if statements is None else statements
    if not found:
        return _failed(reply, statements, "no verdict in the reply")
    if len(found) != wanted:
        return _failed(reply, wanted, f"{len(found)} verdicts for {wanted} statements", found)
    unclear = found.count("unknown")
    if unclear:
        return _failed(reply, wanted, f"{unclear} of {wanted} verdicts are neither yes nor no", found)
    return Verdicts(tuple(found), wanted, repaired=repaired)


def _without_thought(reply: str) -> str | None:
    """The reply behind its reasoning (<think>…</think>); None where that does not end."""
    signs = list(_THOUGHT.finditer(reply))
    if not signs:
        return reply
    return reply[signs[-1].end() :] if signs[-1][1] else None


# --- JSON ----------------------------------------------------------------------------------------------------------


def _json(said: str) -> tuple[list[Verdict], bool] | None:
    """Verdicts of the objects or lists of a reply, and whether they were mended; None = the reply is no JSON."""
    first = _JSON.search(said)
    if first is None:
        return None
    start = first.start() if first[0] in "{[" else first.end()
    if first[0] in "{[" and not _meant(said, start):
        return None
    found: list[Verdict] = []
    repaired = False
    while said[start : start + 1] in ("{", "["):
        loose = loads(said, start)
        found += _held(loose.value) or []
        repaired |= loose.repaired
        following = _NEXT.match(said, loose.end)
        start = following.end() if following else loose.end
    if not found:
        raise NotJsonError("no verdicts in it")
    return found, repaired


def _meant(said: str, start: int) -> bool:
    """Whether a bracket opens JSON: at the start, or in prose as an object, a list of objects, or behind a colon."""
    before = said[:start].rstrip()
    return not before or before[-1] == ":" or re.match(r"(?:\{\s*[\"']|\[\s*\{)", said[start : start + 40]) is not None


def _held(value: object) -> list[Verdict] | None:
    """Verdicts of an object or list; None = it holds none."""
    if isinstance(value, list):
        found = [_single(one) for one in value]
        return None if not found or all(one is None for one in found) else [one or "unknown" for one in found]
    if not isinstance(value, dict):
        return None
    for name in _LISTS:
        if isinstance(value.get(name), (list, dict)):
            return _held(value[name])
    if value and all(str(key).isdecimal() and len(str(key)) < 6 for key in value):
        return _held([value[key] for key in sorted(value, key=lambda key: int(str(key)))])
    one = _single(value)
    return None if one is None else [one]


def _single(value: object) -> Verdict | None:
    """One verdict: a word, true or false, 1 or 0, or an object with one; None = none there."""
    if isinstance(value, dict):
        value = {str(key).lower(): one for key, one in value.items()}
        name = next((name for name in _ONE if name in value), None)
        return None if name is None else _single(value[name]) or "unknown"
    if isinstance(value, str):
        return classify(value)
    if isinstance(value, (bool, int, float)) and value in (0, 1):
        return "yes" if value else "no"
    return "unknown" if value is None or isinstance(value, (int, float)) else None


# --- text ----------------------------------------------------------------------------------------------------------


def _text(said: str, statements: int | None) -> list[Verdict]:
    numbered = _numbered(said)
    if numbered:
        return numbered
    listed = _listed(said)
    if len(listed) > 1 or statements is None or statements > 1:
        return listed
    return [classify(said)]


def _numbered(said: str) -> list[Verdict]:
    """Verdicts behind 1, 2, 3, … (or from 0): a number counts only where it is the next one."""
    text = plain(said)
    starts: list[tuple[int, int]] = []
    following: set[int] = {0, 1}
    for sign in _NUMBER.finditer(text):
        if int(sign[1]) in following and _opens(text, sign.start()):
            starts.append((sign.start(), sign.end()))
            following = {int(sign[1]) + 1}
    if not starts:
        return []
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return [classify(text[begin:end]) for (_, begin), end in zip(starts, ends, strict=True)]


def _opens(text: str, place: int) -> bool:
    """Whether an item may begin there: in a new line, behind punctuation, or behind a verdict."""
    line = text[max(0, place - 40) : place].rpartition("\n")[2].rstrip(" *_(")
    return not line or line[-1] in ".,;:!?)\"'" or bare(line.split()[-1])


def _listed(said: str) -> list[Verdict]:
    """Verdicts in a list of nothing else, or one a line; else the one verdict of the whole reply."""
    text = behind_label(plain(said))
    parts = [part for part in re.split(r"[,;.!|\n]+", text) if part.strip(" *_`\"'")]
    if parts and all(bare(part) for part in parts):
        return [classify(part) for part in parts]
    lines = [classify(line) for line in text.splitlines() if line.strip()]
    return lines if len(lines) > 1 and "unknown" not in lines else [classify(said)]
