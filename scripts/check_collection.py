"""Holds python_topics to what its card promises: one line a fault, exit 1 if there is any.

python scripts/check_collection.py                               the collection alone
python scripts/check_collection.py --run my.trec                 how much of a run's top 10 was judged
python scripts/check_collection.py --run my.trec --sheet holes.csv    … and the rest as a sheet to fill in
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.datasets.python_topics import DATA, STATED_TEXTS, records, squeeze, table, text_digest

LABELS = {
    "type": ("howto", "definition", "lookup", "comparison", "error", "vague", "keyword"),
    "wording": ("plain", "colloquial", "typo"),
}
UNSUPPORTED = {"fabricated_id", "wrong_document", "unsupported_claim", "uncited_claim", "wrong_format"}
LEAST = {"questions": 150, "unanswerable": 20, "with evidence": 120, "answers": 80, "faulty answers": 40}
SECOND_PASS = 0.2  # share of the pairs judged twice, at least
WHOLE, LISTED = 0.95, 0.3  # share of a topic's word shingles that makes it contained in another; that is listed
DEPTH = 10
CHANGE_DAY, DAYS = 40, 60  # answers turn worse after the first of them; the second is the last


@dataclass(frozen=True)
class Collection:
    """The files of the collection as read, and the texts they speak of."""

    topics: Mapping[str, str]
    stated: bool  # whether these are the texts that the figures are stated for
    questions: dict[str, dict[str, Any]]
    grades: dict[str, dict[str, str]]
    second: dict[tuple[str, str], str]
    quotations: list[dict[str, Any]]
    near: list[dict[str, str]]
    dates: list[dict[str, str]]
    answers: list[dict[str, Any]]
    digest: str


def read(topics: Mapping[str, str], folder: Path = DATA) -> Collection:
    grades: dict[str, dict[str, str]] = {}
    for row, _ in table("judgements.tsv", folder):
        grades.setdefault(row["query"], {})[row["topic"]] = row["grade"]
    return Collection(
        topics=topics,
        stated=text_digest(topics) == STATED_TEXTS,
        questions={row["_id"]: row for row, _ in records("questions.jsonl", folder)},
        grades=grades,
        second={(row["query"], row["topic"]): row["grade"] for row, _ in table("second_pass.tsv", folder)},
        quotations=[row for row, _ in records("quotations.jsonl", folder)],
        near=[row for row, _ in table("near_duplicates.tsv", folder)],
        dates=[row for row, _ in table("dates.tsv", folder)],
        answers=[row for row, _ in records("answers.jsonl", folder)],
        digest=(folder / "questions.sha256").read_text(encoding="utf-8").strip(),
    )


def faults(collection: Collection) -> list[str]:
    """Everything that is wrong, one line each."""
    checks = (questions, judgements, containment, evidence, second_pass, near_duplicates, dates, answers, amounts)
    return [f"{check.__name__}: {fault}" for check in checks for fault in check(collection)]


def questions(collection: Collection) -> Iterator[str]:
    texts = "".join(f"{query}\t{row['text']}\n" for query, row in collection.questions.items())
    if hashlib.sha256(texts.encode()).hexdigest() != collection.digest:
        yield "ids and texts differ from questions.sha256; questions are never changed after they were fixed"
    for query, row in collection.questions.items():
        words = len(row["text"].split())
        length = "short" if words <= 5 else "medium" if words <= 10 else "long"
        expected = LABELS | {"length": (length,), "answers": (_answers_label(collection, query),)}
        yield from (f"{query}: {k} is {row[k]!r}, expected {v}" for k, v in expected.items() if row[k] not in v)


def _answers_label(collection: Collection, query: str) -> str:
    """Single = all topics of grade 2 and 3 are one family of near-duplicates; several = independent ones; none."""
    found = {topic for topic, grade in collection.grades.get(query, {}).items() if grade in {"2", "3"}}
    inside = _contained(collection)
    roots = {topic for topic in found if not any(topic in inside.get(part, ()) for part in found - {topic})}
    twins = {topic for topic in found if any(topic in inside.get(o, ()) for o in inside.get(topic, ()))}
    return "none" if not found else "single" if len(roots) + bool(twins) == 1 else "several"


def _contained(collection: Collection) -> dict[str, set[str]]:
    inside: dict[str, set[str]] = {}
    for row in collection.near:
        if float(row["share"]) >= WHOLE:
            inside.setdefault(row["topic"], set()).add(row["within"])
    return inside


def judgements(collection: Collection) -> Iterator[str]:
    yield from (f"unknown question {query}" for query in collection.grades.keys() - collection.questions.keys())
    for query, row in collection.questions.items():
        grades = collection.grades.get(query, {})
        if not grades:
            yield f"{query} is not judged"
        yield from (f"{query}, {topic}: grade {g!r}, expected 0 to 3" for topic, g in grades.items() if g not in "0123")
        if collection.stated:
            yield from (f"{query}: unknown topic {topic}" for topic in grades.keys() - collection.topics.keys())
        best = max(grades.values(), default="0")
        if row["answerable"] and best != "3":
            yield f"{query} is answerable but its best grade is {best}"
        if not row["answerable"] and best != "0":
            yield f"{query} is not answerable but has grade {best}"


def containment(collection: Collection) -> Iterator[str]:
    """A text that holds another whole cannot help less than it."""
    for part, wholes in _contained(collection).items():
        for query, grades in collection.grades.items():
            for whole in wholes:
                if grades.get(part, "0") > grades.get(whole, "0"):
                    yield f"{query}: {whole} has a lower grade than {part}, which it contains"


def evidence(collection: Collection) -> Iterator[str]:
    squeezed = {name: squeeze(text) for name, text in collection.topics.items()}
    known = collection.questions
    for row in collection.quotations:
        place = f"{row['query']}, group {row['group']}"
        if not known.get(row["query"], {}).get("answerable"):
            yield f"{place}: no answerable question of this id"
        for topic in row["topics"]:
            if collection.stated and (topic not in squeezed or squeezed[topic].find(row["quote"]) is None):
                yield f"{place}: {topic} does not hold {row['quote'][:60]!r}"
            if collection.grades.get(row["query"], {}).get(topic, "0") < "2":
                yield f"{place}: evidence in {topic}, which has no grade of 2 or more"
    without = {q for q, row in known.items() if row["answerable"]} - {row["query"] for row in collection.quotations}
    yield from (f"{query} is answerable but quotes nothing" for query in sorted(without))


def second_pass(collection: Collection) -> Iterator[str]:
    pairs = sum(map(len, collection.grades.values()))
    if len(collection.second) < SECOND_PASS * pairs:
        yield f"{len(collection.second)} of {pairs} pairs judged twice, expected {SECOND_PASS:.0%}"
    for (query, topic), grade in collection.second.items():
        if topic not in collection.grades.get(query, {}) or grade not in "0123":
            yield f"{query}, {topic}: not a judged pair with a grade from 0 to 3"


def near_duplicates(collection: Collection) -> Iterator[str]:
    if not collection.stated:
        return
    shingles = {name: _shingles(text) for name, text in collection.topics.items()}
    listed = {(row["topic"], row["within"]): row["share"] for row in collection.near}
    found = {
        (a, b): f"{share:.2f}"
        for a in shingles
        for b in shingles
        if a != b and (share := len(shingles[a] & shingles[b]) / len(shingles[a])) >= LISTED
    }
    for pair in sorted(listed.keys() | found.keys()):
        if listed.get(pair) != found.get(pair):
            yield f"{pair[0]} within {pair[1]}: {listed.get(pair)} is listed, {found.get(pair)} measured"


def _shingles(text: str, words: int = 8) -> set[tuple[str, ...]]:
    every = re.findall(r"\w+", text)
    return {tuple(every[at : at + words]) for at in range(max(1, len(every) - words + 1))}


def dates(collection: Collection) -> Iterator[str]:
    if collection.stated and [row["topic"] for row in collection.dates] != sorted(collection.topics):
        yield "not one row for every topic"
    of_release: dict[str, str] = {}
    for row in collection.dates:
        datetime.fromisoformat(row["date"])
        if of_release.setdefault(row["release"], row["date"]) != row["date"]:
            yield f"{row['topic']}: Python {row['release']} has two dates"


def answers(collection: Collection) -> Iterator[str]:
    first = datetime.fromisoformat(collection.answers[0]["time"]).date()
    bad: dict[bool, list[bool]] = {False: [], True: []}
    for row in collection.answers:
        day = (datetime.fromisoformat(row["time"]).date() - first).days + 1
        bad[day > CHANGE_DAY].append(row["fault"] != "none")
        if not 1 <= day <= DAYS or row["query_id"] not in collection.questions:
            yield f"{row['id']}: day {day} or question {row['query_id']} is out of range"
        yield from (f"{row['id']}: {fault}" for fault in _markers(row))
    before, after = (sum(bad[late]) / len(bad[late]) for late in (False, True))
    if before > 0.25 or after < 0.7:
        yield f"faulty answers: {before:.0%} until day {CHANGE_DAY}, {after:.0%} later; expected at most 25% and 70%"


def _markers(row: Mapping[str, Any]) -> Iterator[str]:
    """Whether the labels of an answer agree with its text."""
    if row["fault"] not in UNSUPPORTED | {"none", "refusal"}:
        yield f"unknown fault {row['fault']!r}"
    at = 0
    for marker in row["markers"]:
        at = row["answer"].find(marker["text"], at) + len(marker["text"])
        if at < len(marker["text"]):
            yield f"{marker['text']} does not stand in the answer in this place"
        if marker["valid"] != (bool(marker["ids"]) and set(marker["ids"]) <= set(row["context"])):
            yield f"{marker['text']} is labelled valid={marker['valid']} against its context"
    broken = any(not marker["valid"] for marker in row["markers"])
    unsupported = any(not claim["supported"] for claim in row["claims"])
    if broken != (row["fault"] in {"fabricated_id", "wrong_format"}) or unsupported != (row["fault"] in UNSUPPORTED):
        yield f"its markers or claims contradict the fault {row['fault']}"


def amounts(collection: Collection) -> Iterator[str]:
    counts = summary(collection)
    yield from (f"{counts[name]} {name}, expected {least}" for name, least in LEAST.items() if counts[name] < least)


def summary(collection: Collection) -> dict[str, int]:
    return {
        "questions": len(collection.questions),
        "unanswerable": sum(not row["answerable"] for row in collection.questions.values()),
        "with evidence": len({row["query"] for row in collection.quotations}),
        "judged pairs": sum(map(len, collection.grades.values())),
        "judged twice": len(collection.second),
        "answers": len(collection.answers),
        "faulty answers": sum(row["fault"] != "none" for row in collection.answers),
    }


def agreement(collection: Collection) -> dict[str, float]:
    """Cohen's kappa between the two passes: plain, linearly and quadratically weighted (Cohen 1968)."""
    counts = np.zeros((4, 4))
    for (query, topic), grade in collection.second.items():
        counts[int(collection.grades[query][topic]), int(grade)] += 1
    expected = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    apart = np.abs(np.subtract.outer(np.arange(4), np.arange(4))).astype(float)
    weights = {"kappa": (apart > 0).astype(float), "linear": apart, "quadratic": apart**2}
    return {name: 1 - (weight * counts).sum() / (weight * expected).sum() for name, weight in weights.items()}


def read_run(path: Path) -> dict[str, list[str]]:
    """The top `DEPTH` topics of every question of a TREC run, plain or gzipped."""
    rows: dict[str, list[tuple[int, str]]] = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            query, _, topic, rank, *_ = line.split()
            rows.setdefault(query, []).append((int(rank), topic))
    return {query: [topic for _, topic in sorted(found)[:DEPTH]] for query, found in rows.items()}


def holes(collection: Collection, run: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Retrieved within `DEPTH`, never judged."""
    return [(q, topic) for q, found in run.items() for topic in found if topic not in collection.grades.get(q, {})]


def judged_at_depth(collection: Collection, run: Mapping[str, list[str]]) -> float:
    """Mean over the questions of the run of judged / retrieved within `DEPTH`."""
    open_places = Counter(query for query, _ in holes(collection, run))
    return float(np.mean([1 - open_places[query] / len(found) for query, found in run.items()]))


def write_sheet(path: Path, collection: Collection, runs: Mapping[Path, Mapping[str, list[str]]]) -> int:
    """The holes of all runs as CSV with an empty grade; how many there are."""
    pairs = sorted({pair for run in runs.values() for pair in holes(collection, run)})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("query", "question", "topic", "grade"))
        writer.writerows((q, collection.questions.get(q, {"text": ""})["text"], topic, "") for q, topic in pairs)
    return len(pairs)


def main() -> int:
    from pydoc_data.topics import topics

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, nargs="+", default=[], help="TREC runs, plain or .gz")
    parser.add_argument("--sheet", type=Path, help="where the unjudged pairs of the runs go")
    given = parser.parse_args()
    collection = read(topics)
    found = faults(collection)
    print(*found, sep="\n", end="\n" if found else "")
    print(", ".join(f"{count:,} {name}" for name, count in summary(collection).items()))
    print("agreement of the two passes:", ", ".join(f"{k} {v:.3f}" for k, v in agreement(collection).items()))
    runs = {path: read_run(path) for path in given.run}
    for path, run in runs.items():
        print(f"{path}: Judged@{DEPTH} {judged_at_depth(collection, run):.3f}, {len(holes(collection, run))} holes")
    if given.sheet:
        print(f"{given.sheet}: {write_sheet(given.sheet, collection, runs)} pairs to judge")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
