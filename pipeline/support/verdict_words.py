"""One classifier for everything a judge says: its score and its reason come from the same reading."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["yes", "no", "unknown"]

_END_TOKENS = re.compile(r"<\|?/?(?:eos|s|end|im_end|endoftext|end_of_text|end_of_turn|eot_id)\|?>", re.IGNORECASE)
_BEFORE = "\\s\"'“”‘’`*_#>(\\[{\\-–—:=→✓✗✅❌"
_YES = r"yes|true|supported|entailed|faithful|grounded|attributable|correct"
_NO = (
    r"no|false|unsupported|not (?:supported|entailed|faithful|grounded|attributable|correct)|unfaithful|ungrounded"
    r"|contradicted|contradictory|hallucinated|incorrect"
)
_FIRST = re.compile(
    rf"[{_BEFORE}]*(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?!\w|['’]\w|\s*\?)"
    r"(?!(?<=\bno)\s(?!it|the|this|that|there|they|he|she|we|as|because|since|for|but|not|and|or)\w)"  # "no evidence …"
    r"(?P<or>\s*(?:/|and|or)\s*(?:yes|no)\b)?"
)
_LABEL = re.compile(
    r"(?:(?<![^\n])|(?<=[.!?] )|(?<=[*#]))(?:(?:my|the|final|overall)\s)*"
    r"(?:verdicts?|answers?|judge?ments?|label|conclusion|result)\b[^:\n.]{0,60}:"
)
_LAST = re.compile(rf"(?:[.:;?!\n→>=]|\s[-–—])[{_BEFORE}]*(?P<word>{_NO}|{_YES})[\s.!\"'”*_`)\]]*\Z")
_WHOLE = re.compile(rf"[{_BEFORE}]*(?:{_NO}|{_YES})[\s.!\"'”’*_`)\]}}]*")


def classify(text: str) -> Verdict:
    """The verdict behind the last label ("Verdict:"), or at the beginning of `text`, or alone at its end.

    "No, it never says yes." and "No, as of yesterday" are no; "yes.", "YES!" and "yes<eos>" are yes; "yes or no",
    "partially", "no evidence is needed", "I cannot say" and "" are unknown. "Not supported" is no.
    """
    said = plain(text)
    for part in (behind_label(said), said):
        found = _opening(part)
        if found != "unknown":
            return found
    last = _LAST.search(said[-80:])
    return _opening(last["word"]) if last else "unknown"


def bare(text: str) -> bool:
    """Whether `text` is a verdict and nothing else."""
    return _WHOLE.fullmatch(plain(text)) is not None


def behind_label(text: str) -> str:
    """What stands behind the last label ("verdicts in order:"), or all; lower case is expected."""
    labels = list(_LABEL.finditer(text))
    return text[labels[-1].end() :] if labels else text


def plain(text: str) -> str:
    """Lower case, without the tokens that end a reply."""
    return _END_TOKENS.sub(" ", text).lower().strip()


def _opening(said: str) -> Verdict:
    found = _FIRST.match(said)
    if found is None or found["or"]:
        return "unknown"
    return "no" if found["no"] else "yes"
