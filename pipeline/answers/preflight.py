"""The look at some answers of a file before anything is scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from pipeline.citations import Preflight, Sample, Settings, context_of, preflight
from pipeline.errors import DataError, SettingError
from pipeline.records import Answer

LOOKED_AT = 200  # answers; formats change between systems, not between neighbours


def look(answers: Iterable[Answer], settings: Settings, sample: int = LOOKED_AT) -> Preflight:
    """What the first `sample` answers with a text say about the settings."""
    spoken = islice((one for one in answers if one.text and not one.structured), sample)
    return preflight([_sample(one, settings) for one in spoken], settings)


def must_fit(answers: Sequence[Answer], settings: Settings, path: str) -> Preflight:
    """The same; SettingError where nothing is found though citations plainly stand there, or numbers conflict."""
    found = look(_spread(answers), settings)
    refuse(found, path)
    return found


def refuse(found: Preflight, path: str) -> None:
    """SettingError where the look found a problem, with its place once."""
    if found.problem:
        raise SettingError(found.problem if found.problem.startswith(f"{path}:") else f"{path}: {found.problem}")


def _spread(answers: Sequence[Answer]) -> Sequence[Answer]:
    """Answers from all over the file, in its order."""
    step = max(1, len(answers) // LOOKED_AT)
    return answers[::step]


def _sample(answer: Answer, settings: Settings) -> Sample:
    try:
        context = context_of(
            answer.context, titles=answer.titles or None, urls=answer.urls or None, spelling=settings.spelling
        )
    except SettingError as error:
        raise DataError(f"{answer.where}: {error}") from error
    return Sample(answer.text or "", context, answer.where)
