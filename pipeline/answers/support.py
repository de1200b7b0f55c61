"""Whether the cited texts bear an answer out: its sentences against the documents that each of them cites."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pipeline.answers.reading import Cited
from pipeline.records import Answer
from pipeline.support import Checked, CitedSentence, Source, check, source_of, without

COVERING = ("anthropic", "cohere")  # providers whose citations cover what they support, and are no marks


@dataclass(frozen=True)
class Texts:
    """The texts of a corpus by ascending id; an answer that brings the texts of its context goes by those."""

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    language: str = "en"

    def of(self, answer: Answer, doc_id: str) -> str | None:
        """The text of a document that the answer cites; None where nobody has it."""
        brought = (text for name, text in zip(answer.context, answer.texts, strict=False) if name == doc_id)
        text = next((text for text in brought if text is not None), None)
        place = bisect_left(self.ids, doc_id)
        if text is None and place < len(self.ids) and self.ids[place] == doc_id:
            return self.texts[place]
        return text


def checked(answer: Answer, cited: Cited, texts: Texts) -> tuple[Checked, ...]:
    """Every sentence with a valid citation, without its marks, and the best support of the documents it cites."""
    said = answer.text or ""
    by_sentence: dict[int, dict[str, None]] = {}
    for one in cited.report.occurrences:
        if one.doc_id is not None and one.sentence >= 0:
            by_sentence.setdefault(one.sentence, {})[one.doc_id] = None
    names = {name for docs in by_sentence.values() for name in docs}
    found = {name: text for name in names if (text := texts.of(answer, name)) is not None}
    unmarked = marks(cited)
    sentences = [
        CitedSentence(_bare(said, cited.sentences[place], unmarked), tuple(docs))
        for place, docs in sorted(by_sentence.items())
    ]
    sources = {name: _cut(text, texts.language) for name, text in found.items()}
    return tuple(check(sentences, sources, texts.language))


def marks(cited: Cited) -> list[tuple[int, int]]:
    """Characters of the answer that are citation marks."""
    return sorted({(one.start, one.end) for one in cited.report.occurrences if one.format not in COVERING})


def _bare(said: str, sentence: tuple[int, int], unmarked: Iterable[tuple[int, int]]) -> str:
    start, end = sentence
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in unmarked if a < end and b > start]
    return without(said[start:end], inside)


@lru_cache(maxsize=4096)
def _cut(text: str, language: str) -> Source:
    """Answers of one file cite the same documents again and again."""
    return source_of(text, language)
