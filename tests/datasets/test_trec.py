"""Collections, topics and qrels in three files."""

from __future__ import annotations

import pytest

from pipeline.datasets.trec import Trec
from pipeline.errors import DataError, SettingError

COLLECTION = (
    '{"id": "d1", "contents": "first body", "title": "One", "date": "2020-01-02"}\n{"id": "d2", "contents": "second"}\n'
)
TABBED = "d1\tOne\tfirst body\nd2\tsecond\n"
TOPICS = """<top>
<num> Number: 301
<title> International
organized crime
<desc> Description:
Not this.
</top>

<top>
<num>302</num>
<title>Topic:
Polio</title>
</top>
"""
TABBED_TOPICS = "301\tInternational organized crime\n302\tPolio\n"
QRELS = "301 0 d1 1\n302 0 d2 0\n302 0 d1 2\n"


def load(folder, collection=COLLECTION, topics=TOPICS, qrels=QRELS):
    for name, text in {"docs": collection, "topics": topics, "qrels": qrels}.items():
        (folder / name).write_text(text)
    return Trec(str(folder), "docs", "topics", "qrels").load()


def test_json_and_topics_are_read(tmp_path):
    data = load(tmp_path)
    assert data.corpus.texts == ("One\nfirst body", "second")
    assert str(data.corpus.dates[0]) == "2020-01-02T00:00:00"
    assert data.queries.ids == ("301", "302")
    assert data.queries.texts == ("International organized crime", "Polio")
    assert data.qrels.docs.tolist() == [0, 0, 1]
    assert data.qrels.grades.tolist() == [1, 2, 0]


def test_tables_with_tabs_say_the_same(tmp_path):
    usual, tabbed = load(tmp_path), load(tmp_path, TABBED, TABBED_TOPICS)
    assert tabbed.corpus.texts == usual.corpus.texts
    assert tabbed.digests.queries == usual.digests.queries
    assert tabbed.digests.qrels == usual.digests.qrels


REFUSED = {
    "docs:2: no 'contents'; this line has 'id', 'text'": {
        "collection": COLLECTION.split("\n", maxsplit=1)[0] + "\n" + '{"id": "d2", "text": "x"}'
    },
    "docs:3: 1 columns between tabs, expected id and text, or id, title and text": {"collection": TABBED + "d3 x\n"},
    "topics:3: 3 columns between tabs, expected id and text": {"topics": TABBED_TOPICS + "3\tx\ty\n"},
    "topics:1: <top> without <num> or <title>": {"topics": "<top>\n<num> 1\n</top>\n"},
    "qrels:1: grade 'x' is not an integer": {"qrels": "301 0 d1 x\n"},
    "docs: no documents": {"collection": ""},
    "topics: no queries": {"topics": ""},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_used_is_refused_in_one_line(tmp_path, message):
    with pytest.raises(DataError) as refused:
        load(tmp_path, **REFUSED[message])
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_settings_are_checked_at_once():
    for changed in ({"path": ""}, {"corpus": ""}, {"topics": " "}, {"judgements": "x"}):
        with pytest.raises(SettingError):
            Trec(**{"path": "x", "corpus": "y", "topics": "z", **changed})
