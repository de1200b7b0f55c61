"""A line of production becomes a row of history; what cannot be used becomes a counted row, never an exception."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

from pipeline.answers.reading import cited
from pipeline.answers.rows import answer_of
from pipeline.citations import Settings
from pipeline.errors import DataError
from pipeline.records import Answer

EXCERPT = 240  # characters of an answer that an alarm shows


@dataclass(frozen=True)
class Row:
    """One answer of history."""

    key: str  # the same answer has the same key, wherever it is read
    answer_id: str
    time: str
    stratum: str
    where: str
    state: str  # cited, uncited, format broken, abstained, empty, missing, or unreadable
    citations: int
    valid: int
    bracketed: bool  # holds text in brackets or a near miss, read as a citation or not
    excerpt: str  # the start of the answer, or why it cannot be read

    @property
    def validity(self) -> float:
        """Share of valid citations; NaN without any."""
        return self.valid / self.citations if self.citations else math.nan

    @property
    def speaks(self) -> bool:
        """Whether it answers at all."""
        return self.state in ("cited", "uncited", "format broken")


def answer_from(raw: bytes, source: str, number: int) -> Answer:
    """The answer on a line; DataError for anything that cannot be used."""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"byte 0x{raw[error.start]:02x} is not UTF-8", path=source, line=number) from error
    return answer_of(text, f"{source}:{number}", number)


def key_of(raw: bytes) -> str:
    """The same for the same line."""
    return hashlib.sha256(raw).hexdigest()[:32]


def scored(raw: bytes, answer: Answer, settings: Settings) -> Row:
    """The row of an answer; DataError where its context cannot be used."""
    found = cited(answer, settings)
    report = found.report
    return Row(
        key=key_of(raw),
        answer_id=answer.id,
        time=answer.time,
        stratum=answer.stratum,
        where=answer.where,
        state=report.state,
        citations=report.total_citations,
        valid=report.valid_citations,
        bracketed=report.total_citations > 0 or bool(report.near_misses) or _brackets(answer.text or ""),
        excerpt=(answer.text or "")[:EXCERPT],
    )


def unreadable(raw: bytes, where: str, error: DataError) -> Row:
    """The row of a line that cannot be used: counted, shown, not scored."""
    return Row(key_of(raw), "", "", "", where, "unreadable", 0, 0, False, str(error)[:EXCERPT])


def _brackets(text: str) -> bool:
    """Whether something in brackets stands in a text without citations."""
    return any(opening in text and closing in text for opening, closing in ("[]", "【】", "［］", "{}", "<>"))
