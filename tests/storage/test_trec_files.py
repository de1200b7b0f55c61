"""Runs and judgements of trec_eval: what is read, what is written, what is refused."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import DataError
from pipeline.storage.text_lines import read_lines
from pipeline.storage.trec_files import read_qrels, read_run, write_qrels, write_run

# Ids as `assemble` lets them through: no control characters, not blank; inner and outer blanks are allowed.
IDS = st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1, max_size=8).filter(str.strip)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=4), max_size=4)


@given(run=RUNS, packed=st.booleans())
def test_a_written_run_reads_back_exactly(tmp_path_factory, run, packed):
    path = tmp_path_factory.mktemp("run") / ("run.trec.gz" if packed else "run.trec")
    ranked = {query: list(hits.items()) for query, hits in run.items()}
    write_run(path, ranked)
    assert read_run(path) == ranked


@given(rows=st.dictionaries(st.tuples(IDS, IDS), st.integers(-3, 9), max_size=6))
def test_written_judgements_read_back_exactly(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("qrels") / "qrels"
    write_qrels(path, [(*pair, grade) for pair, grade in rows.items()])
    assert {(row.query_id, row.doc_id): row.grade for row in read_qrels(path)} == rows


def test_ranks_mean_nothing_and_scores_are_kept(tmp_path):
    path = tmp_path / "run"
    path.write_text("q1 Q0 a 9 1.5 x\r\n\nq1\tQ0\tb c\t1\t-2e3\tx\n")
    assert read_run(path) == {"q1": [("a", 1.5), ("b c", -2000.0)]}


def test_an_empty_run_is_a_run_without_hits(tmp_path):
    (tmp_path / "run").write_text("")
    assert read_run(tmp_path / "run") == {}


def test_packed_files_depend_on_the_content_alone(tmp_path):
    for name in ("one.gz", "two.gz"):
        write_run(tmp_path / name, {"q": [("d", 0.1)]})
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert (tmp_path / "one.gz").read_bytes()[4:8] == b"\0\0\0\0"  # no time of writing (RFC 1952, 2.3.1)
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == b"q Q0 d 1 0.1 rag-sweep\n"


GOOD = b"q1 Q0 a 1 2.0 t\n"
REFUSED = {
    "run:2: document 'a' stands twice for query 'q1', first in line 1": GOOD + b"q1 Q0 a 2 1.0 t\n",
    "run:2: score 'high' is not a finite number": GOOD + b"q1 Q0 b 2 high t\n",
    "run:2: score 'nan' is not": GOOD + b"q1 Q0 b 2 nan t\n",
    "run:2: score 'inf' is not": GOOD + b"q1 Q0 b 2 inf t\n",
    "run:2: score '1_0' is not": GOOD + b"q1 Q0 b 2 1_0 t\n",
    "run:2: 5 columns, expected 6: query Q0 document rank score tag": GOOD + b"q1 Q0 b 2 1.0\n",
    "run:2: 7 columns": GOOD + b"q1 Q0 b c 2 1.0 t\n",
    "run:2: column 3 (document) is empty": GOOD + b"q1\tQ0\t\t2\t1.0\tt\n",
    "run:2: byte 0xe9 in column 7 is not UTF-8": GOOD + b"q1 Q0 \xe9 2 1.0 t\n",
    "run:3: holds a NUL byte": GOOD + b"\nq1 Q0 \0 2 1.0 t\n",
    "run:1: is UTF-16": GOOD.decode().encode("utf-16"),
    "run:2: damaged gzip file": gzip.compress(GOOD)[:-6],
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_run_that_cannot_be_used_is_refused_with_its_line(tmp_path, message):
    (tmp_path / "run").write_bytes(REFUSED[message])
    with pytest.raises(DataError) as refused:
        read_run(tmp_path / "run")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("grade", ["one", "1.5", "", "١", "1_0", "9" * 30])
def test_a_grade_is_an_integer(tmp_path, grade):
    (tmp_path / "qrels").write_text(f"q\t0\ta\t1\nq\t0\tb\t{grade}\n")
    with pytest.raises(DataError, match=r"qrels:2: "):
        list(read_qrels(tmp_path / "qrels"))


def test_files_that_are_not_there_or_no_files_are_named(tmp_path):
    with pytest.raises(DataError, match=r"run: no such file"):
        read_run(tmp_path / "run")
    with pytest.raises(DataError, match=r"is a folder, expected a file"):
        read_run(tmp_path)


def test_line_ends_and_a_byte_order_mark_are_no_text(tmp_path):
    (tmp_path / "f").write_bytes("\ufeffa\r\n\r\nb\u2028\r c".encode())
    assert [tuple(line) for line in read_lines(tmp_path / "f")] == [(1, "a"), (2, ""), (3, "b\u2028\r c")]


def test_a_line_over_the_limit_is_refused(tmp_path):
    (tmp_path / "f").write_text("1234\n12345\n")
    assert [line.text for line in read_lines(tmp_path / "f", limit=6)] == ["1234", "12345"]
    with pytest.raises(DataError, match=r"f:2: line is longer than 5 bytes"):
        list(read_lines(tmp_path / "f", limit=5))


def test_the_reference_run_of_cacm_has_its_known_size(collections):
    run = read_run(collections / "cacm" / "runs" / "anserini-bm25.trec")
    lines = (collections / "cacm" / "runs" / "anserini-bm25.trec").read_text().splitlines()
    assert sum(len(hits) for hits in run.values()) == len(lines)
    assert run["1"][0] == ("CACM-1938", 12.033)
