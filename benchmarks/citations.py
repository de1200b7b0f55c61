"""Answers a second of the whole reading, beside the regular expressions of other tools on the same answers.

    python benchmarks/citations.py

Answers are made here: 10 citations each, five formats in turn, 20 documents of context. Behind them the slowest
answers of 20 kB, each the best of nine readings, so that what else the machine does counts little.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Sequence

from long_answers import LONG, context, random_answers

from pipeline.citations import Settings, context_of, parse, read, report, score_table

COUNT, CITATIONS, DOCUMENTS = 10_000, 10, 20
LIMIT = 50  # ms for an answer of 20 kB
FORMS = ("[{}]", "[doc_id d{}]", "[[ref:d{}]]", "[fn:{}]", "[^{}]")
PEERS = {  # what each looks for; none resolves, places or explains what it finds
    "[n] (ALCE)": r"\[\d+",
    "[n] (CiteEval, groundkit)": r"\[(\d+)\]",
    "[n], [n, m] (acclaim)": r"\[(\d+(?:\s*,\s*\d+)*)\]",
    "[doc_id X] (the textbook)": r"\[doc_id\s+(\w+)\]",
}
TRICKY = (  # answer, context, documents cited rightly
    ("[1, 2]", ("a", "b"), ["a", "b"]),
    ("[1; 2]", ("a", "b"), ["a", "b"]),
    ("[1][2]", ("a", "b"), ["a", "b"]),
    ("[1-3]", ("a", "b", "c"), ["a", "b", "c"]),
    ("[1–3]", ("a", "b", "c"), ["a", "b", "c"]),
    ("［1］", ("a",), ["a"]),
    ("【1】", ("a",), ["a"]),
    ("【4:0†source】", ("a",), ["a"]),
    ("[^1]", ("a",), ["a"]),
    ("[fn:1]", ("a",), ["a"]),
    ("[3f2504e0-4f89-11d3-9a0c-0305e82c3301]", ("3f2504e0-4f89-11d3-9a0c-0305e82c3301",), None),
    ("[guide.pdf]", ("guide.pdf",), None),
    ("[ 1 ]", ("a",), ["a"]),
    ("[\n1\n]", ("a",), ["a"]),
    ("[doc-12]", ("doc-12",), None),
    ("[guide](x.pdf)", ("a",), []),
    ("use `a[0]` here", ("a",), []),
    ("```\nx[1]\n```", ("a",), []),
    ("In [2024] it", ("a",), []),
    ("[doc_id 7]", ("7",), ["7"]),
    ("[[ref:k1]]", ("k1",), ["k1"]),
    ("So¹.", ("a",), ["a"]),
    ("[1", ("a",), []),
    ("[km/h]", ("a",), []),
    ("[0]", ("a",), []),
    ("[7]", ("a", "b"), []),
    ("[E1, E2]", ("E1", "E2"), None),
    ("[guide.pdf#page=3]", ("guide.pdf",), None),
)


def answers() -> list[tuple[str, list[str]]]:
    rng = random.Random(0)
    ids = [f"d{i}" for i in range(1, DOCUMENTS + 1)]
    made = []
    for i in range(COUNT):
        form = FORMS[i % len(FORMS)]
        sentences = (
            f"The answer to this part of the question is number {rng.random():.3f} {form.format(rng.randint(1, 21))}."
            for _ in range(CITATIONS)
        )
        made.append((" ".join(sentences), ids))
    return made


def timed(name: str, work: Callable[[], object]) -> None:
    before = time.process_time()
    work()
    seconds = time.process_time() - before
    print(f"| {name} | {seconds:.2f} | {COUNT / seconds:,.0f} |")


def right(pattern: str) -> int:
    """How many tricky answers a peer's expression gets right, its numbers read as places, its words as ids."""
    return sum(_cited(pattern, answer, ids) == wanted(ids, cited) for answer, ids, cited in TRICKY)


def wanted(ids: Sequence[str], cited: list[str] | None) -> list[str]:
    return list(ids) if cited is None else cited


def _cited(pattern: str, answer: str, ids: Sequence[str]) -> list[str]:
    found = [part.strip("[ ") for match in re.findall(pattern, answer) for part in match.split(",")]
    by_place = [ids[int(one) - 1] if one.isdecimal() and 0 < int(one) <= len(ids) else one for one in found]
    return [one for one in by_place if one in ids]


def slowest() -> None:
    """The slowest answers of 20 kB."""
    kinds = {name: answer[:20_000] for name, answer in LONG.items()}
    kinds |= {f"random signs {i}": answer for i, answer in enumerate(random_answers(200))}
    taken = {name: min(_milliseconds(answer) for _ in range(9)) for name, answer in kinds.items()}
    above = sum(value > LIMIT for value in taken.values())
    print(f"\n{len(kinds)} answers of 20 kB, {above} of them above {LIMIT} ms; the slowest, in ms of a core:")
    for name, value in sorted(taken.items(), key=lambda item: -item[1])[:10]:
        print(f"  {name:32} {value:5.1f}")


def _milliseconds(answer: str) -> float:
    fresh = context()
    before = time.process_time()
    read(answer, fresh)
    return 1000 * (time.process_time() - before)


def main() -> None:
    made = answers()
    same = context_of(made[0][1])
    print("| what | seconds of a core for 10,000 answers | answers a second |")
    print("|---|---|---|")
    for name, pattern in PEERS.items():
        compiled = re.compile(pattern)
        timed(f"findall {name}", lambda compiled=compiled: [compiled.findall(answer) for answer, _ in made])
    timed("parse (found, resolved, placed)", lambda: [parse(answer, ids) for answer, ids in made])
    apart = [(answer, [*ids, f"only-{i}"]) for i, (answer, ids) in enumerate(made)]
    timed("parse, no two contexts alike", lambda: [parse(answer, ids) for answer, ids in apart])
    settings = Settings()
    timed(
        "report and score table",
        lambda: score_table([str(i) for i in range(COUNT)], [report(answer, same, settings) for answer, _ in made]),
    )
    print(f"\nof {len(TRICKY)} tricky answers right:")
    for name, pattern in PEERS.items():
        print(f"  {name:28} {right(pattern)}")
    ours = sum([one.doc_id for one in parse(a, ids) if one.doc_id] == wanted(ids, cited) for a, ids, cited in TRICKY)
    print(f"  {'pipeline.citations.parse':28} {ours}")
    slowest()


if __name__ == "__main__":
    main()
