"""A text cut into raw pieces by script: words, numbers, dates, and signs that are units. Offsets are of the text."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Literal, NamedTuple, TypeAlias

from pipeline.errors import SettingError
from pipeline.support.function_words import FUNCTION_WORDS

Kind: TypeAlias = Literal["word", "number", "iso", "date", "sign"]

# Scripts that set no blanks between words, and Hangul, whose words carry their particles: a character is a word.
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_KINDS: dict[str, Kind] = {
    "word": "word",
    "alone": "word",
    "number": "number",
    "iso": "iso",
    "date": "date",
    "sign": "sign",
}
_BLANKS = " \u00a0\u2009\u202f"
_ARABIC_SIGNS = re.compile("[\u0640\u064b-\u065f\u0670]")  # vowel signs and the stroke that lengthens a word


class Piece(NamedTuple):
    """Characters [start, end) of the text."""

    kind: Kind
    start: int
    end: int


def pieces(text: str) -> list[Piece]:
    """All pieces in text order; between two of them stand only blanks and punctuation."""
    found = _pattern().finditer(text)
    return [Piece(_KINDS[str(one.lastgroup)], one.start(), one.end()) for one in found]


def function_words(language: str) -> frozenset[str]:
    """Words that say nothing by themselves; SettingError for a language without a list."""
    if language not in FUNCTION_WORDS:
        raise SettingError(f"no function words for language {language!r}; known are {', '.join(FUNCTION_WORDS)}")
    return FUNCTION_WORDS[language]


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """NFKC, casefold, plain apostrophes, Arabic without its optional signs."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold()).replace("’", "'")
    return _ARABIC_SIGNS.sub("", folded) or folded


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A folded word without 's and without the s of a plural (Harman 1991: the S-stemmer)."""
    word = word.removesuffix("'s")
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    return word[:-1]


@cache
def _pattern() -> re.Pattern[str]:
    """One pattern, linear in the text: every alternative is decided by the characters it starts with."""
    marks = "".join(re.escape(chr(c)) for c in range(0x300, 0x10000) if unicodedata.category(chr(c))[0] == "M")
    letter, more = rf"[^\W\d_{_ALONE}]", rf"[^\W_{_ALONE}]"
    return re.compile(
        r"(?P<iso>(?<![\d.,/-])\d{4}-\d{1,2}-\d{1,2}(?![\d-]))"
        r"|(?P<date>(?<![\d.,/-])\d{1,2}(?P<by>[./])\d{1,2}(?P=by)\d{4}(?![\d./]))"
        rf"|(?P<number>\d{{1,3}}(?:[{_BLANKS}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*)"
        rf"|(?P<alone>[{_ALONE}][{marks}]*)"
        rf"|(?P<word>{letter}(?:{more}|[{marks}])*(?:['’](?:s|t|re|ve|ll)\b)?)"
        r"|(?P<sign>[%‰°$€£¥₹])"
    )
