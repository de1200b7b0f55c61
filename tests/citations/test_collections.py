"""Real answers with marks that somebody else counted."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

from pipeline.citations import context_of, parse, read

TOPICS = Path(__file__).resolve().parents[2] / "pipeline" / "datasets" / "python_topics_data" / "answers.jsonl"


def expertqa(collections):
    with gzip.open(collections / "expertqa" / "answers.jsonl.gz", "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def test_every_mark_of_expertqa_is_found_and_nothing_else(collections):
    found = 0
    for row in expertqa(collections):
        marks = [int(number) for number in re.findall(r"\[(\d+)\]", row["answer"])]
        occurrences = parse(row["answer"], [f"ref{i}" for i in range(1, len(row["references"]) + 1)])
        assert [int(one.cited) for one in occurrences] == marks, row["id"]
        found += len(marks)
    assert found == 1334


def test_the_claims_of_expertqa_cite_what_their_labels_say(collections):
    cited = dangling = 0
    for row in expertqa(collections):
        for claim in row["claims"]:
            context = [f"ref{i}" for i in range(1, len(row["references"]) + 1)]
            numbers = {int(one.cited) for one in parse(claim["text"], context)}
            assert sorted(numbers) == sorted(set(claim["citations"])), claim["text"]
            cited += len(numbers)
            dangling += sum(number > len(context) for number in numbers)
    assert cited == 1227
    assert dangling in {0, 2}


def test_sentences_of_expertqa_lose_no_text(collections):
    for row in expertqa(collections):
        sentences = read(row["answer"], context_of(["a"])).sentences
        assert "".join(row["answer"][one.start : one.end] for one in sentences) == row["answer"]


def test_every_format_of_python_topics_is_read_as_labelled():
    formats = Counter()
    for line in TOPICS.read_text("utf-8").splitlines():
        row = json.loads(line)
        marked = [(m["text"], name, m["valid"]) for m in row["markers"] for name in m["ids"]]
        found = parse(row["answer"], row["context"], titles=row["titles"])
        assert [(x.text, x.doc_id or x.cited, x.resolution == "valid") for x in found] == marked, row["id"]
        formats.update(one.format for one in found)
    assert set(formats) == {"bracket_number", "doc_id", "source_ref", "footnote", "caret", "source_title"}
