"""Right answers of queries: a column of the CSV, a field of queries.jsonl; what answers are held against."""

from __future__ import annotations

import json

import pytest

from pipeline.datasets.beir import Beir
from pipeline.datasets.files import Files
from pipeline.errors import DataError

CSV = """question,relevant,reference
What is the capital?,paris.md,Paris
What is the capital?,,the city of Paris
What is the river?,paris.md,
"""


def folder_of(tmp_path, csv: str) -> Files:
    (tmp_path / "paris.md").write_text("Paris lies on the Seine.\n", "utf-8")
    (tmp_path / "questions.csv").write_text(csv, "utf-8")
    return Files(str(tmp_path), "questions.csv")


def beir(tmp_path, *references) -> Beir:
    """A query for each value of `reference`; ... = the field is not there."""
    rows = [
        {"_id": f"q{n}", "text": "what", "metadata": {} if given is ... else {"reference": given}}
        for n, given in enumerate(references)
    ]
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "text": "a"}\n', "utf-8")
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return Beir(str(tmp_path))


def test_rows_of_one_question_may_each_hold_a_right_answer_and_none_is_a_slice(tmp_path):
    queries = folder_of(tmp_path, CSV).load().queries
    found = dict(zip(queries.texts, queries.references or (), strict=True))
    assert found == {"What is the capital?": ("Paris", "the city of Paris"), "What is the river?": ()}
    assert queries.slices == {}


def test_queries_of_a_beir_folder_hold_one_or_a_list_in_their_metadata(tmp_path):
    assert beir(tmp_path, "Paris", ["Oslo", "Bern"], None, ...).load().queries.references == (
        ("Paris",),
        ("Oslo", "Bern"),
        (),
        (),
    )


def test_what_is_no_text_is_refused_with_its_line(tmp_path):
    with pytest.raises(DataError, match=r"queries\.jsonl:2: 'reference' is \[1\], expected a text or a list of texts"):
        beir(tmp_path, "Paris", [1]).load()


def test_right_answers_count_in_the_digest_and_a_dataset_without_them_keeps_its_own(tmp_path):
    digests = []
    for number, values in enumerate(([..., ...], [None, ""], ["Paris", ...], ["Oslo", ...])):
        place = tmp_path / str(number)
        place.mkdir()
        data = beir(place, *values).load()
        digests.append(data.digests.queries)
        assert (data.queries.references is None) == (number < 2)
    assert digests[0] == digests[1] and len(set(digests)) == 3
