"""BEIR folders: what is read, in which forms, and every way in which a file can be broken."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.datasets.beir import Beir
from pipeline.errors import DataError, SettingError

CORPUS = (
    '{"_id": "d1", "title": "Alpha", "text": "first body", "metadata": {"timestamp": "2020-01-02", "lang": "en"}}\n'
    '{"_id": "d2", "title": null, "text": "second body"}\n'
    '{"_id": "d3", "text": "", "date": 1600000000}\n'
)
QUERIES = (
    '{"_id": "q1", "text": "one", "metadata": {"kind": "short", "number": 1}}\n'
    '{"_id": "q2", "text": "two", "metadata": {"kind": "short", "number": 2}}\n'
)
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"
SPANS = '{"query_id": "q1", "doc_id": "d1", "start": 0, "end": 5, "text": "first"}\n'
USUAL = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "qrels/test.tsv": QRELS, "spans.jsonl": SPANS}


def write(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def load(folder, **changed):
    """The usual folder with some files changed (`None` = not there)."""
    files = {**USUAL, **changed}
    return Beir(str(write(folder, {name: content for name, content in files.items() if content is not None}))).load()


def test_the_usual_folder_is_read_as_it_stands(tmp_path):
    data = load(tmp_path)
    assert data.name == tmp_path.name
    assert data.corpus.ids == ("d1", "d2", "d3")
    assert data.corpus.texts == ("Alpha\nfirst body", "second body", "")
    assert data.corpus.titles == ("Alpha", "", "")
    assert data.corpus.metadata[0] == {"timestamp": "2020-01-02", "lang": "en"}
    assert [str(date) for date in data.corpus.dates] == ["2020-01-02T00:00:00", "NaT", "2020-09-13T12:26:40"]
    assert data.queries.slices == {"kind": ("short", "short")}  # a running number groups nothing
    assert data.qrels.docs.tolist() == [0, 1, 1]
    assert data.qrels.grades.tolist() == [2, 0, 1]
    assert data.qrels.judgements == "pooled"
    assert data.spans is not None
    assert data.corpus.texts[0][data.spans.start[0] : data.spans.end[0]] == "first"
    assert data.version == data.digests.whole[:12]


def test_titles_can_be_left_out(tmp_path):
    data = Beir(str(write(tmp_path, USUAL)), title="none").load()
    assert data.corpus.texts[0] == "first body"
    assert data.corpus.titles[0] == "Alpha"
    assert data.spans is not None
    assert data.spans.start.tolist() == [0]


def shuffled(text):
    return "".join(text.splitlines(keepends=True)[::-1])


BODY = QRELS.split("\n", 1)[1]
SAME_CONTENT = {
    "order of rows": {"corpus.jsonl": shuffled(CORPUS), "queries.jsonl": shuffled(QUERIES),
                      "qrels/test.tsv": shuffled(BODY)},
    "gzip": {"corpus.jsonl": None, "corpus.jsonl.gz": gzip.compress(CORPUS.encode()), "qrels/test.tsv": None,
             "qrels/test.tsv.gz": gzip.compress(QRELS.encode()), "spans.jsonl": None,
             "spans.jsonl.gz": gzip.compress(SPANS.encode())},
    "gzip that does not say so": {"corpus.jsonl": gzip.compress(CORPUS.encode())},
    "line ends": {name: text.replace("\n", "\r\n") for name, text in USUAL.items()},
    "no last line end": {name: text.rstrip("\n") for name, text in USUAL.items()},
    "byte order mark": {name: "\ufeff" + text for name, text in USUAL.items()},
    "blank lines": {name: "\n  \n" + text.replace("\n", "\n\n") for name, text in USUAL.items()},
    "spacing of JSON": {"corpus.jsonl": CORPUS.replace('": ', '":').replace(', "', ' ,\t"')},
    "order of fields": {"corpus.jsonl": "".join(
        json.dumps(dict(reversed(json.loads(line).items()))) + "\n" for line in CORPUS.splitlines())},
    "no header": {"qrels/test.tsv": BODY},
    "TREC columns": {"qrels/test.tsv": "q1 0 d1 2\nq1\t0\td2\t0\nq2   0 d2 1\n"},
    "TREC file": {"qrels/test.tsv": None, "qrels/test.trec": "q1 0 d1 2\nq1 0 d2 0\nq2 0 d2 1\n"},
    "judge sheet": {"qrels/test.tsv": "query_id,question,doc_id,grade\nq1,one,d1,2\nq1,one,d2,0\nq2,,d2,1\nq2,,d1,\n"},
    "repeated judgement": {"qrels/test.tsv": QRELS + "q1\td1\t2\n"},
}  # fmt: skip


@pytest.mark.parametrize("form", SAME_CONTENT)
def test_the_same_content_has_the_same_digests_in_every_form(tmp_path, form):
    assert load(tmp_path / "other", **SAME_CONTENT[form]).digests == load(tmp_path / "usual").digests


OTHER_CONTENT = {
    "corpus": {"corpus.jsonl": CORPUS.replace("second", "Second")},
    "queries": {"queries.jsonl": QUERIES.replace("two", "2")},
    "qrels": {"qrels/test.tsv": QRELS.replace("q2\td2\t1", "q2\td2\t2")},
    "spans": {"spans.jsonl": SPANS.replace('"end": 5, "text": "first"', '"end": 4')},
}


@pytest.mark.parametrize("part", OTHER_CONTENT)
def test_a_change_of_one_part_changes_its_digest_and_the_whole_alone(tmp_path, part):
    one, other = load(tmp_path / "one").digests, load(tmp_path / "other", **OTHER_CONTENT[part]).digests
    changed = {
        name for name in ("corpus", "queries", "qrels", "spans", "whole") if getattr(one, name) != getattr(other, name)
    }
    assert changed == {part, "whole"}


def row(text, at=2):
    """The usual file with `text` as its line `at`."""
    return lambda usual: "".join([*usual.splitlines(keepends=True)[: at - 1], text, "\n"])


def span(query="q1", doc="d1", start=0, end=5, **more):
    entry = {"query_id": query, "doc_id": doc, "start": start, "end": end, **more}
    return row(json.dumps({name: value for name, value in entry.items() if value is not None}), at=1)


BROKEN = [
    ("corpus.jsonl", row('{"_id": "d2", "text": "x"'), ":2: malformed JSON: Expecting ',' delimiter in column 26"),
    ("corpus.jsonl", row("not json"), ":2: malformed JSON: Expecting value in column 1"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "x"} {}'), ":2: malformed JSON: Extra data"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "x", "n": NaN}'), ":2: malformed JSON: NaN is not JSON"),
    ("corpus.jsonl", row("[1, 2]"), ":2: [1, 2] is no object"),
    ("corpus.jsonl", row('"text"'), ':2: "text" is no object'),
    ("corpus.jsonl", row("null"), ":2: null is no object"),
    ("corpus.jsonl", row('{"a": ' * 100_000), ":2: "),
    ("corpus.jsonl", row('{"_id": "d2", "text": "x", "n": ' + "9" * 5000 + "}"), ":2: malformed JSON: "),
    ("corpus.jsonl", row('{"id": "d2", "text": "x"}'), ":2: no '_id'; this line has 'id', 'text'"),
    ("corpus.jsonl", row("{}"), ":2: no '_id'; this line has no fields"),
    ("corpus.jsonl", row('{"_id": null, "text": "x"}'), ":2: '_id' is missing or null, expected text"),
    ("corpus.jsonl", row('{"_id": 1.5, "text": "x"}'), ":2: '_id' is 1.5, expected text"),
    ("corpus.jsonl", row('{"_id": true, "text": "x"}'), ":2: '_id' is true, expected text"),
    ("corpus.jsonl", row('{"_id": ["d2"], "text": "x"}'), ":2: '_id' is [\"d2\"], expected text"),
    ("corpus.jsonl", row('{"_id": "", "text": "x"}'), ":2: empty document id"),
    ("corpus.jsonl", row('{"_id": "a\\nb", "text": "x"}'), ":2: document id 'a\\nb' holds a control character"),
    ("corpus.jsonl", row('{"_id": "' + "x" * 2000 + '", "text": "x"}'), ":2: document id 'xxxxxxxxxxxxxxxxxxxx'…"),
    ("corpus.jsonl", row('{"_id": "d1", "text": "x"}'), ":2: document id 'd1' already stands in "),
    ("corpus.jsonl", row('{"_id": "d2"}'), ":2: no 'text'; this line has '_id'"),
    ("corpus.jsonl", row('{"_id": "d2", "text": null}'), ":2: 'text' is missing or null, expected text"),
    ("corpus.jsonl", row('{"_id": "d2", "text": 7}'), ":2: 'text' is 7, expected text"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "x", "title": 7}'), ":2: 'title' is 7, expected text"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "x", "metadata": "m"}'), ":2: 'metadata' is \"m\", expected an object"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "a\\u0000b"}'), ":2: holds a NUL character"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "a\\ud83d"}'), ":2: \\ud83d is half of a character"),
    ("corpus.jsonl", row('{"_id": "d2", "text": "a\0b"}'), ":2: holds a NUL byte"),
    ("corpus.jsonl", lambda usual: usual.encode() + b'{"_id": "caf\xe9"}\n', ":4: byte 0xe9 in column 13 is not UTF-8"),
    ("corpus.jsonl", lambda usual: usual.encode("utf-16"), ":1: is UTF-16; save it as UTF-8"),
    ("corpus.jsonl", lambda usual: gzip.compress(usual.encode())[:-9], ": damaged gzip file"),
    ("corpus.jsonl", lambda usual: "", ": no documents"),
    ("corpus.jsonl", lambda usual: "\n \n", ": no documents"),
    ("corpus.jsonl", None, ": no such file (nor corpus.jsonl.gz)"),
    ("queries.jsonl", None, ": no such file (nor queries.jsonl.gz)"),
    ("queries.jsonl", lambda usual: "", ": no queries"),
    ("queries.jsonl", row("{"), ":2: malformed JSON"),
    ("queries.jsonl", row('{"text": "two"}'), ":2: no '_id'"),
    ("queries.jsonl", row('{"_id": "q2"}'), ":2: no 'text'"),
    ("queries.jsonl", row('{"_id": "q1", "text": "x"}'), ":2: query id 'q1' already stands in "),
    ("queries.jsonl", row('{"_id": "q2", "text": {"a": 1}}'), ":2: 'text' is {\"a\": 1}, expected text"),
    ("queries.jsonl", row('{"_id": "q2", "text": "x", "metadata": {"weight": "w"}}'), ":2: weight 'w' is not a number"),
    ("queries.jsonl", row('{"_id": "q2", "text": "x", "weight": -1}'), ":1: query 'q1' has no weight"),
    ("queries.jsonl", row('{"_id": "q2", "text": "x", "answerable": "maybe"}'), ":2: answerable 'maybe'"),
    ("queries.jsonl", row('{"_id": "q2", "text": "x", "as_of": "then"}'), ":2: as_of 'then' of query 'q2'"),
    ("qrels/test.tsv", row("q1\td1\tone"), ":2: grade 'one' is not an integer"),
    ("qrels/test.tsv", row("q1\td1\t1.5"), ":2: grade '1.5' is not an integer"),
    ("qrels/test.tsv", row("q1\td1\t"), ":2: grade '' is not an integer"),
    ("qrels/test.tsv", row("q1\td1\t99999999999"), ":2: grade 99999999999 is not a 32-bit integer"),
    ("qrels/test.tsv", row("q1\td1"), ":2: 2 columns, expected 3 (query, document, grade) or 4"),
    ("qrels/test.tsv", row("q1"), ":2: 1 columns, expected 3"),
    ("qrels/test.tsv", row("q1\t0\td1\t1\tx"), ":2: 5 columns, expected 3"),
    ("qrels/test.tsv", row("\td1\t1"), ":2: empty query or document id"),
    ("qrels/test.tsv", row("q1\t\t1"), ":2: empty query or document id"),
    ("qrels/test.tsv", row("q1\td1\t3", at=5), ":5: query 'q1', document 'd1' has grade 3 here and 2 in "),
    ("qrels/test.tsv", lambda usual: "q1\tx\t1\n", ":1: no judged document id is known: the judgements say 'x'"),
    ("qrels/test.tsv", lambda usual: "x\td1\t1\n", ":1: no judged query id is known: the judgements say 'x'"),
    ("qrels/test.tsv", lambda usual: "q1\td1\tone\n", ":1: grade 'one' is not an integer"),
    ("qrels/test.tsv", lambda usual: usual.encode() + b"q2\td\xff\t1\n", ":5: byte 0xff in column 5 is not UTF-8"),
    ("spans.jsonl", span(doc=None), ":1: no 'doc_id'"),
    ("spans.jsonl", span(end=None), ":1: 'end' is missing or null, expected a whole number"),
    ("spans.jsonl", span(start="0"), ":1: 'start' is \"0\", expected a whole number"),
    ("spans.jsonl", span(start=3, end=3), ":1: characters [3, 3) do not lie"),
    ("spans.jsonl", span(start=-1), ":1: characters [-1, 5) do not lie"),
    ("spans.jsonl", span(end=11), ":1: characters [0, 11) do not lie in document 'd1' of 10 characters"),
    ("spans.jsonl", span(doc="d9"), ":1: unknown document id 'd9'"),
    ("spans.jsonl", span(query="q9"), ":1: unknown query id 'q9'"),
    ("spans.jsonl", span(text="First"), ":1: characters [0, 5) of document 'd1' are \"first\", not \"First\""),
    ("spans.jsonl", span(group=1.5), ":1: 'group' is 1.5, expected a number or text"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "message"), BROKEN)
def test_a_broken_file_is_refused_in_one_line_that_names_its_place(tmp_path, name, change, message):
    with pytest.raises(DataError) as refused:
        load(tmp_path, **{name: change and change(USUAL[name])})
    text = str(refused.value)
    assert text.startswith(f"{tmp_path / name}:")
    assert message in text
    assert "\n" not in text
    assert len(text) - len(str(tmp_path)) < 400


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_happens_to_a_byte_the_answer_is_a_dataset_or_one_line(tmp_path_factory, data):
    name = data.draw(st.sampled_from(sorted(USUAL)))
    content = bytearray(USUAL[name].encode())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        load(tmp_path_factory.mktemp("folder"), **{name: bytes(content)})
    except DataError as refused:
        assert "\n" not in str(refused)


def test_numbers_as_ids_are_read_as_their_digits(tmp_path):
    data = load(tmp_path, **{"corpus.jsonl": CORPUS.replace('"d3"', "3")})
    assert data.corpus.ids == ("3", "d1", "d2")
    assert any("1 document id written as numbers" in note for note in data.notes)


def test_a_folder_without_judgements_is_a_dataset_without_judgements(tmp_path):
    data = load(tmp_path, **{"qrels/test.tsv": None})
    assert data.counts["judgements"] == 0
    assert any("nothing is judged" in note for note in data.notes)


def test_a_split_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(
        DataError, match=r"qrels: no judgements for split 'test'; there are: dev, train; dataset.split=dev"
    ):
        load(tmp_path, **{"qrels/test.tsv": None, "qrels/train.tsv": QRELS, "qrels/dev.tsv": QRELS})


def test_queries_of_other_splits_are_left_out_and_unjudged_ones_stay(tmp_path):
    queries = QUERIES + '{"_id": "q3", "text": "three"}\n{"_id": "q4", "text": "four"}\n'
    data = load(tmp_path, **{"queries.jsonl": queries, "qrels/train.tsv": "q2\td1\t1\nq3\td1\t1\n"})
    assert data.queries.ids == ("q1", "q2", "q4")
    assert any("1 of 4 queries left out: judged in other splits only" in note for note in data.notes)


def test_an_explicit_judgement_file_is_read_instead_of_the_split(tmp_path):
    write(tmp_path, {**USUAL, "qrels/mine.trec": "q2 0 d3 1\n"})
    for given_as in ("qrels/mine.trec", str(tmp_path / "qrels" / "mine.trec")):
        assert Beir(str(tmp_path), qrels=given_as).load().counts["judgements"] == 1


def test_strict_refuses_unknown_ids(tmp_path):
    write(tmp_path, {**USUAL, "qrels/test.tsv": QRELS + "q1\tD1\t1\n"})
    assert Beir(str(tmp_path)).load().qrels.missing == ("D1",)
    with pytest.raises(DataError, match=r"test.tsv:5: 1 judgement of 1 unknown document .*'D1' for 'd1' \(case\)"):
        Beir(str(tmp_path), strict=True).load()


def test_tilde_means_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "data", USUAL)
    assert Beir("~/data").load().corpus.ids == ("d1", "d2", "d3")


def test_a_pipe_is_no_file(tmp_path):
    write(tmp_path, USUAL)
    (tmp_path / "corpus.jsonl").unlink()
    os.mkfifo(tmp_path / "corpus.jsonl")  # neither file nor folder
    with pytest.raises(DataError, match=r"corpus\.jsonl: no such file"):
        Beir(str(tmp_path)).load()


def test_settings_are_checked_at_once():
    for changed in ({"path": " "}, {"title": "front"}, {"judgements": "some"}):
        with pytest.raises(SettingError):
            Beir(**{"path": "x", **changed})


TEXTS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=20)
IDS = st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1, max_size=6).filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(
    documents=st.dictionaries(IDS, st.tuples(TEXTS, TEXTS), min_size=1, max_size=5),
    queries=st.dictionaries(IDS, TEXTS, min_size=1, max_size=3),
    escaped=st.booleans(),
    data=st.data(),
)
def test_what_was_written_is_what_is_read(tmp_path_factory, documents, queries, escaped, data):
    grades = data.draw(st.dictionaries(st.tuples(st.sampled_from(sorted(queries)), st.sampled_from(sorted(documents))),
                                       st.integers(-2, 5), max_size=6))  # fmt: skip
    files = {
        "corpus.jsonl": [{"_id": name, "title": title, "text": text} for name, (title, text) in documents.items()],
        "queries.jsonl": [{"_id": name, "text": text} for name, text in queries.items()],
    }
    content = {
        name: "".join(json.dumps(entry, ensure_ascii=escaped) + "\n" for entry in entries)
        for name, entries in files.items()
    }
    content["qrels/test.tsv"] = "".join(f"{query}\t{doc}\t{grade}\n" for (query, doc), grade in grades.items())
    got = Beir(str(write(tmp_path_factory.mktemp("folder"), content))).load()
    assert got.corpus.ids == tuple(sorted(documents))
    assert dict(zip(got.queries.ids, got.queries.texts, strict=True)) == queries
    for name, text in zip(got.corpus.ids, got.corpus.texts, strict=True):
        title, body = documents[name]
        assert text.endswith(body)
        assert text.startswith(title.strip())
    owners = np.repeat(np.arange(len(queries)), np.diff(got.qrels.indptr))
    back = {
        (got.queries.ids[q], got.corpus.ids[d]): int(grade)
        for q, d, grade in zip(owners, got.qrels.docs, got.qrels.grades, strict=True)
    }
    assert back == grades
