"""What a judge model said of an answer elsewhere, on its line: `judge`, its raw reply or {"reply", "statements"}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.errors import DataError
from pipeline.records import Answer, Judge
from pipeline.storage.json_objects import shown
from pipeline.support import Verdicts, verdicts


def judge_of(row: Mapping[str, Any], where: str) -> Judge | None:
    """The reply, None where there is none; DataError for what is neither text nor such an object."""
    given = row.get("judge")
    if given is None:
        return None
    if isinstance(given, str):
        return Judge(given)
    if not isinstance(given, dict) or not isinstance(given.get("reply"), str):
        expected = 'the reply as text, or {"reply": "1. yes 2. no", "statements": 2}'
        raise DataError(f"{where}: 'judge' is {shown(given)}, expected {expected}; null = none")
    count = given.get("statements")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise DataError(f"{where}: 'statements' of 'judge' is {shown(count)}, expected a whole number from 1")
    return Judge(given["reply"], count)


def read_judge(answer: Answer) -> Verdicts | None:
    """The verdicts of the judge's reply; None where there is none."""
    return None if answer.judge is None else verdicts(answer.judge.reply, answer.judge.statements)


def unread(known: Sequence[Answer]) -> list[str]:
    """Replies of a judge that cannot be counted: how many, and the first with its beginning."""
    replies = [(one, said) for one in known if (said := read_judge(one)) is not None]
    wrong = [(one, said) for one, said in replies if said.error]
    if not wrong:
        return []
    first, said = wrong[0]
    what = f"{first.where or first.id}: {said.error}: {' '.join(said.head.split())!r}"
    return [f"{len(wrong)} of {len(replies)} replies of the judge cannot be counted; the first: {what}"]
