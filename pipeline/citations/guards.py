"""Where no citation can stand: code. Every rule is linear in the length of the text."""

from __future__ import annotations

import re
from bisect import bisect_right

HIDDEN = "\0"  # what stands for a character that must not be read

_FENCE = re.compile(r"^[ \t>]*(?:[-*+] |\d{1,3}[.)] )?[ \t]*(`{3,}|~{3,})(.*)$", re.MULTILINE)
_TICKS = re.compile(r"(?<!\\)`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_TAGS = re.compile(r"(?i)<(code|pre)\b[^<>]{0,200}>")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Places of fenced blocks (also unterminated), code spans and <code>, ascending and apart."""
    fences = _fences(text) if "```" in text or "~~~" in text else []
    ticked = _inline(text, fences) if "`" in text else []
    return _merged([*fences, *ticked, *(_tagged(text) if "<" in text else [])])


def hide(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these places hidden, of the same length; line breaks stay."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += [text[at:start], re.sub(r"[^\n]", HIDDEN, text[start:end])]
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _fences(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for line in _FENCE.finditer(text):
        mark, rest = line[1], line[2]
        if opened is None:
            if mark[0] == "~" or "`" not in rest:
                opened = (line.start(), mark)
        elif mark[0] == opened[1][0] and len(mark) >= len(opened[1]) and not rest.strip():
            spans.append((opened[0], line.end()))
            opened = None
    if opened is not None:
        spans.append((opened[0], len(text)))
    return spans


def _inline(text: str, fences: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A run of backticks up to the next run of the same length in the same paragraph (CommonMark 6.1)."""
    starts = [start for start, _ in fences]
    runs = [
        found.span()
        for found in _TICKS.finditer(text)
        if not ((at := bisect_right(starts, found.start()) - 1) >= 0 and found.start() < fences[at][1])
    ]
    breaks = [found.start() for found in _BLANK_LINE.finditer(text)]
    breaks = sorted([*breaks, *starts])
    following: dict[tuple[int, int], int] = {}
    nexts: list[int | None] = [None] * len(runs)
    for i in range(len(runs) - 1, -1, -1):
        key = (runs[i][1] - runs[i][0], bisect_right(breaks, runs[i][0]))
        nexts[i] = following.get(key)
        following[key] = i
    spans: list[tuple[int, int]] = []
    i = 0
    while i < len(runs):
        closing = nexts[i]
        if closing is None:
            i += 1
            continue
        spans.append((runs[i][0], runs[closing][1]))
        i = closing + 1
    return spans


def _tagged(text: str) -> list[tuple[int, int]]:
    """<code> and <pre> up to their closing tag, or to the end of the text."""
    spans: list[tuple[int, int]] = []
    at = 0
    while (opened := _TAGS.search(text, at)) is not None:
        closing = re.compile(rf"(?i)</{opened[1]}\s{{0,9}}>").search(text, opened.end())
        end = len(text) if closing is None else closing.end()
        spans.append((opened.start(), end))
        at = end
    return spans


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
