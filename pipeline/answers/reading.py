"""The citations of an `Answer`: those in its text, and those its provider sent beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.citations import (
    PROVIDERS,
    AnswerReport,
    Context,
    Orphan,
    Reading,
    Sentence,
    Settings,
    context_of,
    read,
    report,
)
from pipeline.errors import DataError, SettingError
from pipeline.records import Answer


class Cited(NamedTuple):
    """An answer read."""

    report: AnswerReport
    orphans: tuple[Orphan, ...]  # structured citations that do not fit the text
    context: Context
    sentences: tuple[Sentence, ...]


def cited(answer: Answer, settings: Settings, grades: Mapping[str, int] | None = None) -> Cited:
    """The report of an answer; DataError with its place where its context or format cannot be used."""
    try:
        context = context_of(
            answer.context, titles=answer.titles or None, urls=answer.urls or None, spelling=settings.spelling
        )
        reading = read(answer.text, context, settings)
    except SettingError as error:
        raise DataError(f"{answer.where or answer.id}: {error}") from error
    orphans: tuple[Orphan, ...] = ()
    if answer.structured:
        reading, orphans = _with_structured(answer, reading, context, settings)
    return Cited(
        report(answer.text, context, settings, grades=grades, reading=reading), orphans, context, reading.sentences
    )


def _with_structured(
    answer: Answer, reading: Reading, context: Context, settings: Settings
) -> tuple[Reading, tuple[Orphan, ...]]:
    """Structured citations, and the marks in the text that none of them covers."""
    if answer.provider not in PROVIDERS:
        raise DataError(f"{answer.where}: provider {answer.provider!r} is unknown; known are {', '.join(PROVIDERS)}")
    found = PROVIDERS[answer.provider](answer.text or "", answer.structured, context, settings.language)
    covered = bytearray(len(answer.text or ""))
    for one in found.occurrences:
        covered[one.start : one.end] = b"\1" * (one.end - one.start)
    alone = [one for one in reading.occurrences if not any(covered[one.start : one.end])]
    placed = [
        one._replace(sentence=_sentence(reading, one.end - 1 if one.end else 0)) if one.sentence >= 0 else one
        for one in found.occurrences
    ]
    together = tuple(sorted([*alone, *placed], key=lambda one: (one.start, one.cited_start)))
    return Reading(together, reading.sentences, reading.left_out, reading.numbering), found.orphans


def _sentence(reading: Reading, place: int) -> int:
    return next((i for i, one in enumerate(reading.sentences) if one.start <= place < one.end), -1)
