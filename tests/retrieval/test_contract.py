"""One contract for every retriever of chunks: what is true of a ranking, not what it looks like."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

WORDS = ("red", "green", "blue", "stone", "river", "cloud", "tiger", "lemon")
TEXTS = (
    "red stone river",
    "green cloud tiger lemon",
    "blue blue river cloud",
    "red red red tiger",
    "lemon stone stone",
    "river tiger cloud blue green",
    "amber",
)
same_corpus = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
corpora = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=14)
queries = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3)


def test_the_text_equal_to_the_query_comes_first(asked):
    for place, hits in enumerate(asked.over(TEXTS).chunks(TEXTS)):
        assert hits[0][0] == place


def test_the_first_score_is_the_one_worked_out_by_hand(asked):
    asked = asked.over(TEXTS)
    score = asked.chunks(["red stone river"])[0][0][1]
    # BM25, k1 1.2, b 0.75: 7 texts of 24 words in all, the first of 3; df of red 2, stone 2, river 3; each once.
    length = 1.2 * (0.25 + 0.75 * 3 / (24 / 7))
    lucene = sum(math.log(1 + (7 - df + 0.5) / (df + 0.5)) for df in (2, 2, 3)) / (1 + length)
    okapi = sum(math.log((7 - df + 0.5) / (df + 0.5)) for df in (2, 2, 3)) * 2.2 / (1 + length)
    plus = sum(math.log(8 / df) for df in (2, 2, 3)) * (1 + 2.2 / (1 + length))
    expected = {"lucene": lucene, "okapi": okapi, "bm25+": plus, "dense": 1.0, "hybrid": round(2 / 61, 6)}
    kind = getattr(asked.retriever, "variant", asked.retriever.kind)
    assert score == pytest.approx(expected[kind], abs=1e-9)


def test_the_order_of_the_queries_and_their_company_change_nothing(asked):
    asked = asked.over(TEXTS)
    together = asked.chunks(TEXTS)
    assert together[::-1] == asked.chunks(TEXTS[::-1])
    assert together == [asked.chunks([text])[0] for text in TEXTS]


@same_corpus
@given(texts=corpora, wanted=queries, seed=st.integers(0, 99))
def test_the_order_of_the_corpus_changes_nothing_but_positions(asked, texts, wanted, seed):
    # Texts repeat, so ties are common. Chunks keep the order of their documents' ids in both corpora, as the loader
    # sees to it; the two corpora differ in which text has which id, so scores by text must be the same.
    order = np.random.default_rng(seed).permutation(len(texts))
    plain = asked.over(texts).chunks(wanted)
    moved = asked.over([texts[i] for i in order]).chunks(wanted)
    for one, other in zip(plain, moved, strict=True):
        if asked.retriever.kind == "hybrid":  # ranks, and with them fused scores, follow the ids where scores tie
            assert {i for i, _ in one} == {int(order[i]) for i, _ in other}
        else:
            assert [s for _, s in one] == pytest.approx([s for _, s in other], abs=2e-6)
            assert {i: s for i, s in one} == pytest.approx({int(order[i]): s for i, s in other}, abs=2e-6)


@same_corpus
@given(texts=corpora, wanted=queries)
def test_hits_stand_by_score_then_descending_document(asked, texts, wanted):
    for hits in asked.over(texts).chunks(wanted):
        assert hits == sorted(hits, key=lambda hit: (hit[1], hit[0]), reverse=True)


def test_equal_texts_have_equal_scores_and_the_greater_id_first(asked):
    texts = ["tiger river", "lemon", "tiger river", "lemon cloud", "tiger river"]
    for hits in asked.over(texts).chunks(["tiger river", "tiger"]):
        assert [item for item, _ in hits[:3]] == [4, 2, 0]
        if asked.retriever.kind != "hybrid":  # fused scores come from ranks, which never tie
            assert len({score for _, score in hits[:3]}) == 1


def test_within_a_document_equal_chunks_stand_by_start(asked):
    if asked.retriever.kind == "hybrid":
        pytest.skip("fused scores come from ranks: asserted on the legs")
    texts = ["tiger river", "tiger river", "lemon", "tiger river", "cloud"]
    hits = asked.over(texts, doc=(0, 0, 1, 2, 2)).chunks(["tiger river"])[0]
    assert [item for item, _ in hits[:3]] == [3, 0, 1]


@same_corpus
@given(texts=corpora, wanted=queries, depth=st.integers(1, 5), seed=st.integers(0, 99))
def test_a_leg_ends_exactly_at_the_chunk_that_brings_in_the_last_document(asked, texts, wanted, depth, seed):
    doc = tuple(sorted(np.random.default_rng(seed).integers(0, 4, len(texts)).tolist()))
    asked = asked.over(texts, doc)
    short, whole = asked.chunks(wanted, depth), asked.chunks(wanted, 1000)
    for hits, every in zip(short, whole, strict=True):
        seen = [doc[item] for item, _ in hits]
        if asked.retriever.kind == "hybrid":
            continue  # a fused list is the union of the legs' lists: see test_hybrid
        assert hits == every[: len(hits)]  # deeper only goes on
        assert len(set(seen)) <= depth
        if len(hits) < len(every):
            assert len(set(seen)) == min(depth, len(set(doc)))
            assert seen.count(seen[-1]) == 1  # the last chunk is the first of its document


def test_many_chunks_of_one_document_do_not_hide_the_second_document(asked):
    # 500 chunks of document 0 beat every other: the search has to go deeper than any fixed number of chunks.
    texts = ["tiger tiger"] * 500 + ["tiger tiger cloud stone", "lemon tiger river blue green cloud stone"]
    doc = (0,) * 500 + (1, 2)
    hits = asked.over(texts, doc).folded(["tiger"], depth=2)[0]
    assert [item for item, _ in hits][:2] == [0, 1]


def test_a_depth_beyond_the_corpus_gives_each_document_at_most_once_and_never_the_padding(asked):
    # Bug log 21: faiss pads with -1, and documents[-1] is the last document.
    for hits in asked.over(TEXTS[:3]).folded(["red stone river", "blue"], depth=50):
        items = [item for item, _ in hits]
        assert len(items) == len(set(items))
        assert set(items) <= {0, 1, 2}
        assert all(np.isfinite(score) and abs(score) < 100 for _, score in hits)


def test_texts_that_are_empty_and_queries_that_are_empty_are_no_error(asked, capsys, recwarn):
    texts = ["", "   ", "tiger", ""]
    hits = asked.over(texts).chunks(["tiger", "", "zzzz unknown"])
    assert hits[0][0][0] == 2
    assert asked.over(["", ""]).run(["tiger"]).items.shape[0] == 1
    assert asked.over([]).run(["tiger"]).items.shape == (1, 0)
    assert asked.over(texts).run([]).items.shape[0] == 0
    written = capsys.readouterr()
    assert (written.out, written.err, [str(w.message) for w in recwarn]) == ("", "", [])


def test_a_corpus_of_one_text_is_found(asked):
    assert asked.over(["tiger"]).chunks(["tiger"])[0][0][0] == 0
