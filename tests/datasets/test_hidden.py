"""What we leave in a dataset's folder is hidden, and no reader sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.datasets.beir import Beir
from pipeline.datasets.files import Files
from pipeline.datasets.python_topics import PythonTopics
from pipeline.datasets.trec import Trec
from pipeline.storage.uses import HIDDEN, uses_before


@pytest.mark.parametrize("kind", ["files", "beir", "trec"])
def test_a_hidden_count_of_uses_in_the_folder_changes_no_dataset(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.md").write_text("# A\n\nTo reset, open the settings.\n")
    (tmp_path / "questions.csv").write_text("question,relevant\nHow do I reset?,a.md\n")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "reset", "contents": "reset", "id": "a"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "how to reset"}\n')
    (tmp_path / "topics.tsv").write_text("q\thow to reset\n")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    source = {
        "files": Files(str(tmp_path), "questions.csv", pattern="*"),
        "beir": Beir(str(tmp_path)),
        "trec": Trec(str(tmp_path), "corpus.jsonl", "topics.tsv", "qrels/test.tsv"),
    }[kind]
    before = source.load()
    assert Path(before.folder) == tmp_path
    uses_before(tmp_path / "none.json", before.folder, "part", "question")
    assert (tmp_path / HIDDEN).is_file()
    after = source.load()
    assert (after.digests, after.corpus.ids) == (before.digests, before.corpus.ids)
    assert HIDDEN not in after.corpus.ids


def test_the_embedded_collection_has_no_folder_to_write_to() -> None:
    assert PythonTopics().load().folder == ""
