"""Text to index terms: folding, words, identifiers, bigrams where there are no blanks, stop words, stems.

The rule, in order:
1. The text is folded: Unicode NFKC and casefold; typographic apostrophes become plain ones.
2. A word is a run of letters, marks, digits and `_`. More belongs to a word in these cases:
   `C++`, `C#`      `++` or `#` right after a letter;
   `.NET`           a dot before a letter, itself after neither word nor dot (so not in `end.Next` or `...and`);
   `3.11`, `v1.2`   a dot between digits;
   `don't`          an apostrophe between letters, in English alone; elsewhere it parts words (`l'homme`).
3. Hyphens, slashes and all else part words. A single a-z that only a sign parts from its neighbour is no word:
   `e-mail` is `mail`, `T-cell` is `cell`, `i.e.` is nothing; `vitamin C`, `TNF-α` and `IL-6` keep both.
4. A name with `_` is the whole and its parts: `foo_bar` is `foo_bar`, `foo`, `bar`; `__init__` is `__init__`, `init`;
   `x_max` is `x_max`, `max`.
5. Chinese, Japanese and Korean script gives overlapping pairs of characters; a character alone is itself.
6. Stop words go; the rest is stemmed, but for words with a digit, `_` or a sign (once per distinct word).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import ClassVar

from pipeline.errors import SettingError

NO_LANGUAGE = "none"
STOPWORDS = {  # language -> name in bm25s.stopwords (MIT licence; the English list is Lucene's)
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "english": "STOPWORDS_EN",
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}
STEMMED = (  # Snowball algorithms in PyStemmer (stemmers BSD-3-Clause)
    *("arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek"),
    *("hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese"),
    *("romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish"),
)
PAIRED = (  # scripts cut into pairs: kana, Han, Hangul
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)


@dataclass(frozen=True)
class Analyzer:
    """What BM25 takes for a term. Documents and queries go through the same one."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("bm25s", "PyStemmer")

    language: str = "english"  # of the stop words and the stemmer; none = neither
    stopwords: bool = True  # leave out the language's stop words
    stem: bool = True  # reduce words to their stems

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.language == NO_LANGUAGE:
            object.__setattr__(self, "stopwords", False)
            object.__setattr__(self, "stem", False)
        elif self.language not in STEMMED:
            near = get_close_matches(str(self.language), STEMMED, n=1)
            raise SettingError(
                f"bm25.language={self.language!r}: "
                + (f"did you mean {near[0]}? " if near else "")
                + f"expected one of {', '.join(STEMMED)}, or none (right for Chinese, Japanese and Korean)"
            )
        elif self.stopwords and self.language not in STOPWORDS:
            raise SettingError(
                f"bm25.language={self.language}: there is no stop-word list for it; set bm25.stopwords=false"
            )

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of every text, in text order."""
        pattern = _pattern(self.language == "english")
        stopped = _stopwords(self.language) if self.stopwords else frozenset()
        stem = _stemmer(self.language) if self.stem else str
        known: dict[str, tuple[str, ...]] = {}
        analysed = []
        for text in texts:
            words = pattern.findall(fold(text))
            for word in words:
                if word not in known:
                    known[word] = tuple(_stemmed(part, stem) for part in _parts(word) if part not in stopped)
            analysed.append([term for word in words for term in known[word]])
        return analysed


def fold(text: str) -> str:
    """NFKC and casefold, with plain apostrophes."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.replace("’", "'").replace("ʼ", "'")


def _stemmed(word: str, stem: Callable[[str], str]) -> str:
    """The stem of a word; identifiers and numbers stay as they are."""
    return word if re.search(r"[\d_+#.]", word) else stem(word)


def _parts(word: str) -> Iterator[str]:
    """What one match of the pattern stands for (rules 4 and 5)."""
    if re.match(f"[{PAIRED}]", word):
        yield from (word[i : i + 2] for i in range(max(len(word) - 1, 1)))
        return
    if word.strip("_"):
        yield word
    if "_" in word:
        yield from (part for part in word.split("_") if len(part) > 1)


@cache
def _pattern(apostrophes: bool) -> re.Pattern[str]:
    """Rules 2, 3 and 5 as one pattern: every match is one word or one run of paired script."""
    marks, letter = _marks(), f"[^\\W\\d_{PAIRED}]"
    word = f"[^\\W{PAIRED}]+(?:[{marks}]+[^\\W{PAIRED}]*)*"
    endings = [r"(?<=[^\W\d])\+\+", r"(?<=[^\W\d_])#(?!\w)", r"(?<=\d)(?:\.\d+)+"]
    if apostrophes:
        endings.append(f"(?<=[^\\W\\d_])(?:'{letter}+)+")
    signs = "/-" if apostrophes else "/'-"
    before = f"(?<!\\w)[a-z](?=[{signs}]\\w|\\.{letter})"
    after = f"(?<=\\w[.{signs}])[a-z](?![\\w+#])"
    return re.compile(
        f"[{PAIRED}]+|(?<![\\w.])\\.(?={letter}){word}|(?!{before}|{after}){word}(?:{'|'.join(endings)})?"
    )


@cache
def _marks() -> str:
    """All combining marks of the Basic Multilingual Plane: words hold them (Hindi vowels), `re` thinks not."""
    return "".join(re.escape(chr(c)) for c in range(0x300, 0x10000) if unicodedata.category(chr(c))[0] == "M")


@cache
def _stopwords(language: str) -> frozenset[str]:
    from bm25s import stopwords

    return frozenset(map(fold, getattr(stopwords, STOPWORDS[language])))


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    return stem
