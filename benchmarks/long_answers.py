"""Kinds of answers of 20 kB that models and enemies write: what a parser may take long for."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from pipeline.citations import Context, context_of

_FRESH = itertools.count()
_SIGNS = "[ ] [[ ]] ( ) 【 】 ` ``` , ; - – . ^ : † 1 2 10 2024 a kb-1 doc_id ref: fn: Source: Title ¹ ²³ [1] <sup> 。"

LONG = {
    "opening brackets": "[" * 20_000,
    "pairs": "[1]" * 6_700,
    "nested": "[" * 10_000 + "]" * 10_000,
    "blanks in brackets": "[" + " " * 20_000,
    "many blanks in brackets": ("[" + " " * 299) * 66,
    "ticks": "`" * 20_000,
    "ticks of all lengths": " ".join("`" * i for i in range(1, 200)),
    "single ticks": "` " * 10_000,
    "fences": "```\n" * 5_000,
    "open code tags": "<code>" * 3_300,
    "code tags": "<code></code>" * 1_500,
    "sources": "(Source: " * 2_200,
    "unknown titles": "(Source: Some other title) " * 740,
    "different unknown titles": " ".join(f"(Source: Returns und refunds no {i})" for i in range(560)),
    "lists": "[" + "1, " * 99 + "] " + ("[" + "1," * 140 + "1] ") * 70,
    "ranges": "[1-5] " * 3_300,
    "locators": "[kb-1, p. 3; kb-2, pp. 4-5, § 7] " * 600,
    "words in brackets": ("[" + "word " * 59 + "] ") * 66,
    "ids with blanks": ("[kb-1 " + "word: " * 48 + "] ") * 66,
    "superscripts": "x¹² " * 5_000,
    "superscript run": "¹" * 20_000,
    "superscript commas": "¹," * 10_000,
    "urls": "https://e.org/((((((((( " * 830,
    "one url": "https://e.org/" + "(" * 19_900,
    "links": "[a](b" * 4_000,
    "link targets": "[a](" + "(b)" * 6_000,
    "line breaks": "\n" * 20_000,
    "full stops": ". " * 10_000,
    "blanks before a mark": (" " * 500 + "\n[1] ") * 39,
    "definitions": "[1]: x\n" * 2_800,
    "dashes": "-" * 20_000,
    "prose": "The quick brown fox jumps [1] over the lazy dog [2, 3]. " * 350,
    "letters": "a" * 20_000,
    "tags": "<sup>1" * 3_000,
    "double brackets": "[[ref:kb-1]]" * 1_600,
    "carets": "[^" * 10_000,
    "sentences of one mark": "A [1]. " * 2_860,
    "wide pairs": "［1］" * 6_700,
    "stops without blanks": "甲[1]。" * 4_000,
    "wide marks": "【1】" * 6_700,
    "commas": "[1," * 6_700,
    "superscripts behind words": "word¹ " * 3_400,
    "double pairs": "[[1]]" * 4_000,
    "ids": "[kb-1] " * 2_900,
    "unknown ids": "".join(f"[kb-{i}] " for i in range(2_200)),
    "other words": "".join(f"[{chr(97 + i % 26)}{i}]" for i in range(3_300)),
    "numbers": "".join(f"[{i}] " for i in range(3_200)),
    "numbers between wide brackets": "".join(f"【{i}】" for i in range(3_600)),
    "notes": "".join(f"[^{i}] " for i in range(2_900)),
    "numbers of five digits": "".join(f"[{i}]" for i in range(10_000, 12_900)),
    "lists of numbers": "".join(f"[{i}, {i + 1}; {i + 2}] " for i in range(1_300)),
    "unknown ids behind a prefix": "".join(f"[doc_id x{i}] [[ref:x{i}]]" for i in range(800)),
    "unknown titles in brackets": "".join(f"[Source: t{i}] " for i in range(1_400)),
    "words and numbers": "".join(f"[see {i} and x] " for i in range(1_200)),
    "escaped brackets": "".join(rf"\[{i}\]" for i in range(2_900)),
    "bare ranges": "[1-5]" * 4_000,
    "ranges of two marks": "[1]–[3], [2] – [4]. " * 1_000,
    "different ranges of two marks": "".join(f"[{i}]-[{i + 2}] " for i in range(1_700)),
    "chains": "[1]-[2]-" * 2_500,
    "cited list": " ".join(f"[{i}]" for i in range(900)) + "\n\n" + "".join(f"[{i}] a, b: c\n" for i in range(900)),
    "list of unknown titles": "[1]\n\nSources:\n" + "".join(f"[{i}] Returns und refunds {i}\n" for i in range(690)),
    "list after a title": "Rain [1].\nSources:\n" + "- Title here [1]\n" * 1_200,
    "headings": "x\n" + "Sources:\n" * 2_200,
    "heading with blanks": "x\nReferences" + " " * 19_900 + "x",
    "lines that go on": "A [1]\n\n[1] x\n" + "  y\n" * 4_900,
    "blank lines before a list": "A [1]\n" + "\n" * 19_000 + "[1] https://x",
    "full stops behind letters": "A. " * 6_700,
    "quotation marks": '."' * 10_000,
}


def context() -> Context:
    """A context of six documents; a new one each time, so that nothing is remembered of it."""
    return context_of(
        ["kb-1", "kb-2", "x[1]", "s, t", "5", f"new-{next(_FRESH)}"],
        titles=["Returns and refunds", "Shipping", "A", "B", "C", "D"],
        urls=[f"https://e.org/{i}" for i in range(6)],
    )


def random_answers(count: int) -> Iterator[str]:
    """Answers of 20 kB of the signs that citations are made of, drawn at random (seed 0)."""
    rng = random.Random(0)
    for _ in range(count):
        yield rng.choice(("", " ")).join(rng.choices([*_SIGNS.split(), "word", "\n"], k=20_000))[:20_000]
