"""What a person should know about answers beside their measures."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.answers.judged import unread
from pipeline.answers.reading import Cited
from pipeline.records import Answer, Answers


def remarks(answers: Answers, known: Sequence[Answer], read: Sequence[Cited]) -> list[str]:
    """Structured citations that fit nothing, replies of a judge that cannot be counted, and what is odd in the file.

    `known`: those of the answers that are measured; `read`: their citations.
    """
    said = []
    orphans = [(one, orphan) for one, found in zip(known, read, strict=True) for orphan in found.orphans]
    if orphans:
        first, orphan = orphans[0]
        said.append(
            f"{len(orphans)} structured citations do not fit their answer and count for nothing; the first:"
            f" {first.where}: {orphan.reason}"
        )
    said += unread(known)
    return said + [f"{count} answers: {what}" for what, count in answers.counts.items()]
