"""Whether an answer declines to answer. Only an answer that cites nothing can: a denial with a source is a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.citations.occurrences import Sentence

MOST_SENTENCES = 4  # a longer answer says something else besides

_LIST_BEHIND = re.compile(r"\n[ \t]*\n|\n[^\n]{0,60}[:：][*_ \t]*\n")
_THINGS = r"(?:documents?|contexts?|sources?|passages?|texts?|materials?|articles?|excerpts?|information|data|results?)"
_CANNOT = r"(?:cannot|can't|can not|could not|couldn't)"
_SAYS = r"(?:contain|answer|cover|mention|provide|include|say|address|specify|discuss|give|state|have)"
_NOTHING = rf"(?:nothing|no (?:\w+ )?(?:{_THINGS}|mention|answer))"
_NO_VERB = r"(?:does not|do not|doesn't|don't|did not)"
_DECLINES = re.compile(
    "|".join(
        (
            r"\bI(?:'m| am)? (?:sorry|afraid)\b",
            r"\bI (?:do not|don't|did not|didn't) (?:know|have)\b",
            rf"\b(?:I|we) (?:{_CANNOT}|am (?:unable|not able) to|are unable to)"
            r" (?:find|answer|determine|provide|locate|say|tell|confirm)\b",
            rf"\bnone of the {_THINGS}\b.{{0,60}}\b(?:{_SAYS}|discusse|addresse)s?\b",
            rf"\b{_THINGS}\b.{{0,60}}\b{_NO_VERB} {_SAYS}\b",
            rf"\b(?:there is|there's|there are|I found|contains?) {_NOTHING}\b",
            r"\b(?:not enough|insufficient|no relevant) (?:information|context|evidence|data)\b",
            rf"\b{_CANNOT} be (?:answered|determined)\b",
            r"\b(?:no answer|unanswerable|not answerable)\b",
            r"\b(?:weiß ich nicht|kann ich nicht (?:beantworten|finden)|enthalten keine"
            r"|beantworten (?:das|die Frage) nicht"
            r"|keine (?:Informationen|Angaben))\b",
            r"\b(?:je ne (?:sais|trouve) pas|je ne peux pas répondre|ne contien(?:t|nent) pas|aucune information)\b",
            r"\b(?:no (?:lo )?sé|no puedo responder|no (?:contiene|contienen|menciona)|no hay información)\b",
            r"\b(?:non lo so|non posso rispondere|non contengono|nessuna informazione)\b",
            r"\b(?:não sei|não posso responder|não contêm|nenhuma informação)\b",
            r"\b(?:ik weet het niet|kan ik niet beantwoorden|bevatten geen|geen informatie)\b",
            r"我不知道|无法回答|没有(?:提到|提供|找到|相关)|わかりません|見つかりません|ありません(?:でした)?。?$",
        )
    ),
    re.IGNORECASE,
)


def abstains(answer: str, sentences: Sequence[Sentence], cited: bool) -> bool:
    """Whether the first sentence declines, in an answer without citations of at most `MOST_SENTENCES` sentences."""
    if cited or not sentences or len(sentences) > MOST_SENTENCES:
        return False
    # a reference list is part of the sentence before it
    first = _LIST_BEHIND.split(answer[sentences[0].start : sentences[0].end].strip(), maxsplit=1)[0]
    return len(first) <= 400 and _DECLINES.search(first.replace("’", "'")) is not None
