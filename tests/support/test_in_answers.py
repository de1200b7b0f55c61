"""The two measures of answers in the score table of an answers file."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from pipeline.answers.files import read_answers
from pipeline.answers.precomputed import join
from pipeline.answers.rows import answer_of
from pipeline.check_citations import main
from pipeline.citations import Settings
from pipeline.errors import DataError
from pipeline.records import Corpus, Dataset, Digests, Qrels, Queries

TOWER = {"id": "tower", "text": "The Eiffel tower opened in 1889. It is 330 metres tall."}
RIVER = {"id": "river", "text": "The Seine flows through Paris."}


def dataset(queries: int, documents: dict[str, str]) -> Dataset:
    ids = tuple(sorted(documents))
    names = tuple(f"q{n}" for n in range(queries))
    nothing = np.zeros(0, np.int32)
    return Dataset(
        name="built",
        version="1",
        corpus=Corpus(
            ids,
            tuple(documents[name] for name in ids),
            ("",) * len(ids),
            np.full(len(ids), "NaT", "datetime64[s]"),
            ({},) * len(ids),
        ),
        queries=Queries(names, names),
        qrels=Qrels(np.zeros(queries + 1, np.int64), nothing, nothing),
        spans=None,
        digests=Digests("", "", "", "", ""),
    )


def joined(tmp_path, rows, documents=None):
    path = tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": f"a{n}", "query_id": f"q{n}", **row}) for n, row in enumerate(rows)]
    path.write_text("\n".join(lines), "utf-8")
    return join(read_answers(path), dataset(len(rows), documents or {"x": "y"}), Settings())


def column(found, measure):
    return found.table.values[found.table.measures.index(measure)].tolist()


def test_cited_support_is_the_mean_over_sentences_with_a_citation(tmp_path):
    found = joined(
        tmp_path,
        [
            {"answer": "The tower opened in 1889 [1].", "context": [TOWER, RIVER]},  # all of it
            {"answer": "The tower opened in 1889 [1]. The Seine flows through Rome [2].", "context": [TOWER, RIVER]},
            {"answer": "The tower opened in 1887 [1].", "context": [TOWER, RIVER]},  # another year
            {"answer": "The Seine flows through Paris [1].", "context": [TOWER, RIVER]},  # said elsewhere
            {"answer": "The Seine flows through Paris [1][2].", "context": [TOWER, RIVER]},  # by one of two
            {"answer": "The tower opened in 1889. The Seine flows through Paris [2].", "context": [TOWER, RIVER]},
        ],
    )
    # Rome: words seine, flow, through ... 2 of 3 (through is a function word), pairs 1 of 2.
    rome = (2 / 3 + 1 / 2) / 2
    assert column(found, "cited_support") == pytest.approx([1.0, (1 + rome) / 2, 0.0, 0.0, 1.0, 1.0])


def test_the_number_of_the_mark_is_no_number_of_the_sentence(tmp_path):
    found = joined(tmp_path, [{"answer": "Tower [1] opened 1889 [1].", "context": [TOWER]}])
    assert column(found, "cited_support") == [1.0]


def test_without_texts_or_citations_support_is_undefined_and_the_reason_counted(tmp_path):
    found = joined(
        tmp_path,
        [
            {"answer": "The tower opened in 1889 [1].", "context": ["tower"]},
            {"answer": "The tower opened in 1889.", "context": [TOWER]},
            {"answer": "The tower opened in 1889 [7].", "context": [TOWER]},
            {"answer": None, "context": [TOWER]},
        ],
    )
    assert all(map(math.isnan, column(found, "cited_support")))
    assert found.table.undefined["cited_support"] == {
        "no text of what it cites": 1,
        "no valid citation": 2,
        "no answer": 1,
    }


def test_an_empty_text_is_known_and_supports_nothing(tmp_path):
    empty = {"id": "tower", "text": ""}
    found = joined(tmp_path, [{"answer": "The tower opened [1].", "context": [empty, RIVER]}])
    assert column(found, "cited_support") == [0.0]


def test_texts_of_the_corpus_serve_where_the_answer_brings_none(tmp_path):
    documents = {"river": RIVER["text"], "tower": TOWER["text"]}
    rows = [
        {"answer": "The tower opened in 1889 [1].", "context": ["tower", "river"]},
        # what the system was shown goes before what the corpus holds now
        {"answer": "The tower opened in 1889 [1].", "context": [{"id": "tower", "text": "Closed."}]},
    ]
    assert column(joined(tmp_path, rows, documents), "cited_support") == [1.0, 0.0]


@pytest.mark.parametrize("key", ["text", "page_content", "content", "passage"])
def test_the_text_of_a_document_has_several_names(tmp_path, key):
    found = joined(tmp_path, [{"answer": "Tower opened [1].", "context": [{"id": "t", key: TOWER["text"]}]}])
    assert column(found, "cited_support") == [pytest.approx((1 + 1) / 2)]


def test_judged_support_is_the_share_of_yes_and_errors_are_counted_with_their_head(tmp_path):
    found = joined(
        tmp_path,
        [
            {"answer": "A.", "judge": {"reply": "1. Yes. 2. No.", "statements": 2}},
            {"answer": "A.", "judge": "No, it never says yes."},
            {"answer": "A.", "judge": {"reply": "1. Yes. 2. Yes.", "statements": 5}},
            {"answer": "A.", "judge": None},
            {"answer": "A."},
        ],
    )
    values = column(found, "judged_support")
    assert values[:2] == [0.5, 0.0]
    assert all(map(math.isnan, values[2:]))
    assert found.table.undefined["judged_support"] == {"not judged": 2, "reply of the judge cannot be counted": 1}
    (note,) = [note for note in found.notes if "judge" in note]
    assert note.startswith("1 of 3 replies of the judge cannot be counted; the first: ")
    assert note.endswith("answers.jsonl:3: 2 verdicts for 5 statements: '1. Yes. 2. Yes.'")


def test_without_a_judge_there_is_no_such_measure(tmp_path):
    assert "judged_support" not in joined(tmp_path, [{"answer": "A."}]).table.measures


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"judge": 1}, "'judge' is 1, expected the reply as text"),
        ({"judge": {"statements": 2}}, "expected the reply as text"),
        ({"judge": {"reply": "yes", "statements": 0}}, "'statements' of 'judge' is 0, expected a whole number from 1"),
        ({"judge": {"reply": "yes", "statements": True}}, "expected a whole number from 1"),
        ({"context": [{"id": "a", "text": 5}]}, "text of document 1 of the context is 5, expected text or null"),
    ],
)
def test_what_cannot_be_used_ends_in_one_line_with_its_place(field, message):
    with pytest.raises(DataError, match=r"^f\.jsonl:3: ") as caught:
        answer_of(json.dumps({"answer": "A.", **field}), "f.jsonl:3", 3)
    assert message in str(caught.value)


def test_a_citation_without_a_place_supports_no_sentence(tmp_path):
    # annotations without offsets cite a document, but nothing says for which sentence: not the last one
    row = {"answer": "It rained. The tower opened in 1889.", "context": [TOWER], "annotations": [{"file_id": "tower"}]}
    found = joined(tmp_path, [row])
    assert column(found, "citation_validity") == [1.0]
    assert found.checked == ((),)
    assert math.isnan(column(found, "cited_support")[0])


def test_the_report_of_a_file_shows_both_and_says_which_reply_it_could_not_count(tmp_path, capsys):
    rows = [
        {"answer": "The tower opened in 1889 [1].", "context": [TOWER], "judge": "Yes"},
        {"answer": "The tower opened in 1887 [1].", "context": [TOWER], "judge": {"reply": "1. Yes", "statements": 3}},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert main(["report", str(path)]) == 0
    shown = capsys.readouterr().out
    means = dict(re.findall(r"^(cited_support|judged_support) +(\d\.\d+)", shown, re.MULTILINE))
    assert means == {"cited_support": "0.500", "judged_support": "1.000"}
    said = f"the first: {path}:2: 1 verdicts for 3 statements: '1. Yes'"
    assert said.replace(" ", "") in "".join(shown.split())  # the line is wrapped, wherever the path ends
