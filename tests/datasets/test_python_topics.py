"""python_topics loads over every Python at hand, and its checker goes red for each promise that is broken."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pipeline.datasets.python_topics import (
    DATA,
    STATED_FOR,
    STATED_TEXTS,
    PythonTopics,
    collection,
    resolve,
    squeeze,
    text_digest,
)
from pipeline.datasets.python_topics import Quotation as Quote
from pipeline.errors import DataError

ROOT = Path(__file__).resolve().parents[2]
PRINT = "import json; from pydoc_data.topics import topics; print(json.dumps(topics))"
DIGEST = "33683d98cdd13b98"


def _load_checker():
    spec = importlib.util.spec_from_file_location("check_collection", ROOT / "scripts" / "check_collection.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


checker = _load_checker()


def _topics_of(version: str) -> dict[str, str] | None:
    """The texts of another Python, by its name on the path or by pyenv; None = not at hand."""
    for environment in (os.environ, os.environ | {"PYENV_VERSION": version}):
        if program := shutil.which(f"python{version}"):
            done = subprocess.run([program, "-c", PRINT], capture_output=True, text=True, env=environment, check=False)
            if done.returncode == 0:
                return json.loads(done.stdout)
    return None


@pytest.fixture(scope="module")
def stated() -> dict[str, str]:
    """The texts that the figures are stated for."""
    topics = _topics_of("3.11")
    if topics is None or text_digest(topics) != STATED_TEXTS:
        pytest.skip(f"no Python with the texts of {STATED_FOR} at hand")
    return topics


def test_the_default_loads_with_the_stated_digest(stated):
    dataset = collection(stated, "3.11")
    assert dataset.notes == ()
    assert (len(dataset.corpus.ids), len(dataset.queries.ids), len(dataset.qrels.docs)) == (79, 224, 5902)
    assert dataset.qrels.judgements == "pooled"
    assert not np.isnat(dataset.corpus.dates).any()
    assert dataset.digests.whole.startswith(DIGEST)


def test_the_component_reads_the_running_python():
    dataset = PythonTopics().load()
    assert (dataset.name, dataset.version) == ("python_topics", "1.0")
    assert set(dataset.grade_meanings) == {0, 1, 2, 3}


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_at_most_a_tenth_of_the_quotations_is_lost_in_any_version(version):
    topics = _topics_of(version)
    if topics is None:
        pytest.skip(f"no Python {version} at hand")
    dataset = collection(topics, version)
    lost = [note for note in dataset.notes if "quotations do not occur" in note]
    places = sum(len(row["topics"]) for row, _ in checker.records("quotations.jsonl"))
    named = lost[0].rsplit(": ", 1)[1].split(", ") if lost else []
    assert dataset.counts["spans"] == places - len(named)
    assert len(named) <= places / 10
    assert any("differ from those of" in note for note in dataset.notes) == (text_digest(topics) != STATED_TEXTS)


def test_a_span_holds_its_quotation(stated):
    # q002 asks for an explanation with a failing check; the answer is the extended form of assert.
    dataset = collection(stated, "3.11")
    row = int(np.flatnonzero(dataset.spans.query == dataset.queries.ids.index("q002"))[0])
    text = dataset.corpus.texts[dataset.spans.doc[row]][dataset.spans.start[row] : dataset.spans.end[row]]
    assert text.startswith("The extended form")
    assert text.endswith("AssertionError(expression2)")


def test_a_quotation_is_found_across_line_breaks_and_quotation_marks():
    # 'd' of "don’t" is character 4; blanks, line breaks and both kinds of quotation marks are not compared
    text = 'We "don’t\n  know"  yet'
    start, end = squeeze(text).find("don't `know`")
    assert text[start:end] == "don’t\n  know"
    assert squeeze(text).find("knew") is None
    assert squeeze(text).find(" ") is None


def test_a_lost_quotation_is_named_and_a_lost_topic_stays_judged(stated):
    rows = [Quote("q1", 1, ("a", "b", "gone"), "some words", "f:1")]
    spans, lost = resolve(rows, {"a": "some words", "b": "other words"})
    assert [(span.doc_id, span.start, span.end) for span in spans] == [("a", 0, 10)]
    assert lost == ["q1@b", "q1@gone"]
    fewer = collection({name: text for name, text in stated.items() if name != "assert"}, "3.99")
    assert fewer.qrels.missing == ("assert",)
    assert any("q001@assert" in note for note in fewer.notes)


def test_the_collection_keeps_every_promise(stated):
    assert checker.faults(checker.read(stated)) == []


BREAKS = {
    "a changed question": ("questions.jsonl", "exchange the values", "swap the values", "questions: ids and texts"),
    "a wrong slice": ("questions.jsonl", '"type": "howto"', '"type": "poem"', "questions: q002: type"),
    "a grade out of range": ("judgements.tsv", "q001\tassert\t3", "q001\tassert\t4", "q001, assert: grade '4'"),
    "no full answer": ("judgements.tsv", "q001\tassert\t3", "q001\tassert\t2", "best grade is 2"),
    "an unknown topic": ("judgements.tsv", "q001\tassert\t3", "q001\tasert\t3", "unknown topic asert"),
    "a container graded lower": ("judgements.tsv", "q034\tcompound\t3", "q034\tcompound\t1", "compound has a lower"),
    "a quotation from nowhere": ("quotations.jsonl", "The extended form", "The shortened form", "does not hold"),
    "a second grade out of range": ("second_pass.tsv", "\t3\n", "\t7\n", "second_pass: "),
    "a wrong share": ("near_duplicates.tsv", "break\tcontinue\t0.36", "break\tcontinue\t0.63", "0.36 measured"),
    "two dates of a release": ("dates.tsv", "try\t2022-10-24", "try\t2022-10-25", "3.11 has two dates"),
    "a marker that is not there": ("answers.jsonl", '"text": "[5]"', '"text": "[6]"', "does not stand in the answer"),
    "a hidden fault": ("answers.jsonl", '"fault": "wrong_document"', '"fault": "none"', "contradict the fault none"),
}


@pytest.mark.parametrize(("file", "old", "new", "message"), BREAKS.values(), ids=BREAKS)
def test_the_checker_names(file, old, new, message, stated, tmp_path):
    shutil.copytree(DATA, tmp_path / "data")
    path = tmp_path / "data" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert any(message in fault for fault in checker.faults(checker.read(stated, tmp_path / "data")))


def test_coverage_and_sheet_of_a_run_follow_from_its_unjudged_hits(stated, tmp_path):
    # q001 has assert judged and pass not: 1 of 2; q002 has assert judged: 1 of 1; mean 0.75, one hole
    run = tmp_path / "r.trec"
    run.write_text("q001 Q0 assert 1 9 x\nq001 Q0 pass 2 8 x\nq002 Q0 assert 1 7 x\n", encoding="utf-8")
    data = checker.read(stated)
    assert "pass" not in data.grades["q001"]
    found = checker.read_run(run)
    assert checker.judged_at_depth(data, found) == pytest.approx(0.75)
    assert checker.write_sheet(tmp_path / "sheet.csv", data, {run: found}) == 1
    assert 'q001,"my assert checks' in (tmp_path / "sheet.csv").read_text(encoding="utf-8")


def test_kappa_follows_its_definition(stated):
    # Two passes over 4 pairs: (0,0), (0,0), (3,3), (3,0). Observed 3/4, expected (2/4)(3/4) + (2/4)(1/4) = 1/2,
    # kappa (3/4 - 1/2) / (1 - 1/2) = 1/2; all disagreement is 3 steps wide, so the weighted ones are 1/2 as well.
    data = checker.read(stated)
    pairs = [("q001", "assert"), ("q002", "assert"), ("q001", "types"), ("q002", "types")]
    second = dict(zip(pairs, "3000", strict=True))
    grades = {"q001": {"assert": "3", "types": "0"}, "q002": {"assert": "3", "types": "0"}}
    small = checker.Collection(**{**vars(data), "grades": grades, "second": second})
    assert checker.agreement(small) == pytest.approx({"kappa": 0.5, "linear": 0.5, "quadratic": 0.5})


def test_the_card_states_what_is_there(stated):
    card = (ROOT / "docs" / "python_topics.md").read_text(encoding="utf-8")
    data = checker.read(stated)
    dataset = collection(stated, STATED_FOR)
    digests = [getattr(dataset.digests, part)[:16] for part in ("whole", "corpus", "queries", "qrels", "spans")]
    grades = [grade for row in data.grades.values() for grade in row.values()]
    sizes = [f"{grades.count('3')} of grade 3, {grades.count('2')} of 2, {grades.count('1')} of 1"]
    sizes += [f"{len(grades):,} pairs", f"{len(data.second):,} pairs", f"{len(data.quotations)} quotations"]
    kappas = [f"{value:.3f}" for value in checker.agreement(data).values()]
    missing = [fact for fact in (data.digest, *digests, *sizes, *kappas) if fact not in card]
    assert missing == []


def test_a_damaged_file_is_named_with_its_line(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n{"a": \n', encoding="utf-8")
    with pytest.raises(DataError, match=r"x\.jsonl:2: not JSON"):
        list(checker.records("x.jsonl", tmp_path))
    (tmp_path / "x.tsv").write_text("a\tb\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"x\.tsv:2: 1 cells, expected 2"):
        list(checker.table("x.tsv", tmp_path))
