"""Answers joined to an experiment: the same queries, the same table."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from pipeline.answers.failed import failure_facts
from pipeline.answers.output import write_joined
from pipeline.answers.precomputed import Precomputed, extended, join
from pipeline.citations import Settings
from pipeline.datasets.python_topics import PythonTopics
from pipeline.errors import DataError, PipelineError, SettingError
from pipeline.records import Context, Corpus, Dataset, Digests, Qrels, Queries, Retrieved, Run, ScoreTable
from pipeline.stats import StatsOptions, standing, verdict
from tests.conftest import ROOT

TOPICS = ROOT / "pipeline" / "datasets" / "python_topics_data" / "answers.jsonl"


def dataset() -> Dataset:
    ids = ("a", "b", "c")
    corpus = Corpus(ids, ids, ("", "", ""), np.full(3, "NaT", "datetime64[s]"), ({}, {}, {}))
    # q1: a relevant, b irrelevant; q2: c relevant; q3: not judged
    qrels = Qrels(np.array([0, 2, 3, 3]), np.array([0, 1, 2], np.int32), np.array([1, 0, 1], np.int32))
    return Dataset("toy", "1", corpus, Queries(("q1", "q2", "q3"), ("", "", "")), qrels, None, Digests(*"abcde"))


def retrieved(rows) -> Retrieved:
    items = np.array(rows, np.int32)
    run = Run("document", items, np.where(items >= 0, 1.0, np.nan))
    empty = np.full((3, 1), -1, np.int32)
    return Retrieved(run, run, Context(empty, empty, empty), np.zeros(0), {}, {})


def answers_of(tmp_path, *rows):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return Precomputed(str(path)).load()


ROWS = (
    {"id": 1, "query_id": "q1", "answer": "A [1].", "context": ["a", "b"]},
    {"id": 2, "query_id": "q1", "answer": "A [2][9].", "context": ["a", "b"]},
    {"id": 3, "query_id": "q2", "answer": "A [1].", "context": ["b"]},
)


def test_answers_stand_in_the_table_of_their_queries(tmp_path):
    joined = join(answers_of(tmp_path, *ROWS), dataset(), Settings())
    validity = joined.table.values[joined.table.measures.index("citation_validity")]
    # q1: mean of 1 and 1/2; q2: 1; q3 has no answer
    assert validity.tolist()[:2] == [0.75, 1.0]
    assert np.isnan(validity[2])
    assert joined.table.undefined["citation_validity"] == {"no answer to the query": 1}
    relevance = joined.table.values[joined.table.measures.index("cited_relevance")]
    # q1: a relevant 1, b irrelevant 0; q2: b is not judged there
    assert relevance[0] == 0.5
    assert np.isnan(relevance[1])


def test_an_answer_without_a_value_beside_one_with_a_value_leaves_no_query_undefined(tmp_path):
    silent = {"id": 4, "query_id": "q2", "answer": "Nothing cited here.", "context": ["b"]}
    joined = join(answers_of(tmp_path, *ROWS, silent), dataset(), Settings())
    # q2 is defined by its other answer; of q1 both answers are, and q3 has none
    assert joined.table.undefined["citation_validity"] == {"no answer to the query": 1}


def test_answers_to_queries_nobody_judged_are_counted_as_such(tmp_path):
    others = [{"id": i, "query_id": "q3", "answer": "A [1].", "context": ["a"]} for i in (5, 6)]
    facts = failure_facts(join(answers_of(tmp_path, *ROWS, *others), dataset(), Settings()))
    assert (facts["answers"], facts["answers_not_judged"]) == (5.0, 2.0)
    # q2's context lacks c, its relevant document: bad retrieval, and judged
    assert facts["failures/not_retrieved"] == 0.2


def test_what_was_retrieved_decides_whose_fault_it_is(tmp_path):
    answers = answers_of(tmp_path, *ROWS)
    found = join(answers, dataset(), Settings(), retrieved=retrieved([[0, 1], [2, 1], [-1, -1]]))
    assert found.failures[2].names == ("not in context",)
    lost = join(answers, dataset(), Settings(), retrieved=retrieved([[0, 1], [0, 1], [-1, -1]]))
    assert lost.failures[2].names == ("not retrieved",)


def test_one_table_holds_rankings_and_citations(tmp_path):
    joined = join(answers_of(tmp_path, *ROWS), dataset(), Settings())
    scores = ScoreTable(("nDCG@10",), ("q1", "q2", "q3"), np.array([[1.0, 0.5, np.nan]]), {"nDCG@10": {"x": 1}})
    both = extended(scores, joined.table)
    assert both.measures[:2] == ("nDCG@10", "citation_validity")
    assert both.values.shape == (len(both.measures), 3)
    with pytest.raises(DataError, match="answers cover 3 queries, the scores 2"):
        extended(ScoreTable(("x",), ("q1", "q2"), np.zeros((1, 2))), joined.table)


def test_answers_to_other_queries_are_counted_or_refused(tmp_path):
    stranger = {"id": 9, "query_id": "zz", "answer": "A [1].", "context": ["a"]}
    joined = join(answers_of(tmp_path, *ROWS, stranger), dataset(), Settings())
    assert "1 of 4 answers are to queries that the dataset does not have" in joined.notes
    assert "1 answers share their query with another one: a query counts their mean" in joined.notes
    with pytest.raises(DataError, match=r":1: no answer is to a query of toy: query_id 'zz'; the dataset has q1"):
        join(answers_of(tmp_path, stranger), dataset(), Settings())


def test_formats_that_do_not_fit_end_before_anything_runs(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({**ROWS[0], "id": i}) + "\n" for i in range(9)))
    with pytest.raises(SettingError, match=r"set citations\.formats=bracket_number"):
        Precomputed(str(path), Settings(("caret",))).load()
    assert len(Precomputed(str(path), Settings(("caret",)), preflight=False).load().answers) == 9
    with pytest.raises(PipelineError, match=r"no such file"):
        Precomputed("nothing.jsonl").load()


def test_two_systems_are_compared_like_two_rankings(tmp_path):
    rows = [{"query_id": f"q{i}", "answer": "A [1].", "context": ["a"]} for i in range(60)]
    worse = [{**row, "answer": "A [9]."} if i % 2 else row for i, row in enumerate(rows)]
    corpus = dataset().corpus
    queries = Queries(tuple(sorted(f"q{i}" for i in range(60))), ("",) * 60)
    qrels = Qrels(np.zeros(61, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    data = Dataset("toy", "1", corpus, queries, qrels, None, Digests(*"abcde"))
    tables = {
        name: join(answers_of(tmp_path, *lines), data, Settings()).table
        for name, lines in (("new", rows), ("old", worse))
    }
    stand = standing(tables, baseline="old", primary="citation_validity", seed=0, options=StatsOptions(resamples=999))
    assert stand.comparisons[0].verdict == "better"
    assert stand.comparisons[0].difference == pytest.approx(0.5)
    assert "citation_validity" in " ".join(verdict(stand))


def test_the_files_hold_every_citation_with_its_reason(tmp_path):
    write_joined(tmp_path, join(answers_of(tmp_path / ".", *ROWS), dataset(), Settings()))
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert rows[1]["failures"] == ["not cited", "cited irrelevant", "fabricated id"]
    assert rows[1]["citations"][1]["reason"] == "place 9 of 2"
    found = json.loads((tmp_path / "citations.json").read_text())
    assert found["means"]["citation_validity"]["answers"] == 3
    assert found["failures"]["fabricated id"]["answers"] == 1


def test_every_fault_of_python_topics_that_a_parser_can_see_is_seen():
    rows = {row["id"]: row for row in map(json.loads, TOPICS.read_text("utf-8").splitlines())}
    answers = Precomputed(str(TOPICS)).load()
    joined = join(answers, PythonTopics().load(), Settings())
    for answer, one, failures in zip(joined.answers, joined.cited, joined.failures, strict=True):
        row = rows[answer.id]
        marked = [(m["text"], name, m["valid"]) for m in row["markers"] for name in m["ids"]]
        found = [(x.text, x.doc_id or x.cited, x.resolution == "valid") for x in one.report.occurrences]
        assert found == marked, answer.id
        assert ("fabricated id" in failures.names) == (row["fault"] == "fabricated_id")
        assert ("format broken" in failures.names) == (row["fault"] == "wrong_format")
        declines = row["fault"] == "refusal" or row["format"] == "none"
        assert (one.report.state == "abstained") == declines


@pytest.mark.parametrize("path", sorted((ROOT / "conf" / "citations").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_option_builds(path):
    node = OmegaConf.load(path)
    formats = (
        node.formats
        if isinstance(node.formats, str)
        else [instantiate(one) if OmegaConf.is_config(one) else one for one in node.formats]
    )
    built = Settings(**{**{k: v for k, v in node.items() if k not in ("_target_", "formats")}, "formats": formats})
    assert built.numbering == "auto"
