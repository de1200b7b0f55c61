"""Answers from a file, one line at a time: memory holds one answer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipeline.answers.rows import answer_of
from pipeline.errors import DataError
from pipeline.records import Answer, Answers
from pipeline.storage.text_lines import read_lines


def stream_answers(path: Path) -> Iterator[Answer]:
    """Every answer of a JSONL file (plain or gzipped), in order; blank lines are skipped.

    DataError in one line (`path:line: …`) for anything that cannot be used, an id that appears twice included,
    and for a file without an answer.
    """
    seen: dict[str, int] = {}
    for line in read_lines(path):
        if not line.text.strip():
            continue
        answer = answer_of(line.text, f"{path}:{line.number}", line.number)
        first = seen.setdefault(answer.id, line.number)
        if first != line.number:
            raise DataError(
                f"answer id {answer.id!r} stands in line {first} already; ids must be unique",
                path=path,
                line=line.number,
            )
        yield answer
    if not seen:
        raise DataError("holds no answer; expected one JSON object a line with 'answer' and 'context'", path=path)


def read_answers(path: Path) -> Answers:
    """All answers of a file; DataError where it holds none."""
    answers = tuple(stream_answers(path))
    return Answers(answers, file_digest(path), dict(counted(answers)))


def counted(answers: tuple[Answer, ...]) -> Counter[str]:
    """What a person should know about answers, beyond their citations."""
    counts: Counter[str] = Counter()
    for one in answers:
        distinct = set(one.context)
        counts["no answer"] += one.text is None
        counts["empty answer"] += one.text is not None and not one.text.strip()
        counts["no context"] += not one.context
        counts["repeated context ids"] += len(distinct) < len(one.context)
        whole = [int(name) for name in distinct if name.isdecimal() and len(name) <= 18]
        counts["context ids that differ by zeros only"] += len(set(whole)) < len(whole)
    return +counts


def file_digest(path: Path) -> str:
    """SHA-256 of the file's bytes."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except FileNotFoundError as error:
        raise DataError("no such file", path=path) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from error
    return digest.hexdigest()
