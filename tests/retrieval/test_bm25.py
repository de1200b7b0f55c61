"""BM25: what is a hit, equality with the definition and with both libraries, the index on disk."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import rank_bm25
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.records import Stop
from pipeline.retrieval import bm25 as module
from pipeline.retrieval.bm25 import Bm25

WORDS = [f"w{i}" for i in range(12)]
corpora = st.lists(st.lists(st.sampled_from(WORDS), max_size=8), min_size=1, max_size=20)
queries = st.lists(st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=5), min_size=1, max_size=4)
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def scores_of(retriever, corpus, wanted):
    texts, asked = [" ".join(words) for words in corpus], [" ".join(words) for words in wanted]
    stop = Stop(np.arange(len(texts), dtype=np.int32), 10_000)
    run = retriever.search(retriever.index(texts, None), asked, None, stop)
    return [
        {int(i): float(s) for i, s in zip(items, scores, strict=True) if i >= 0}
        for items, scores in zip(run.items, run.scores, strict=True)
    ]


def by_definition(corpus, query, variant, k1=1.2, b=0.75, delta=None):
    """Kamphuis et al. 2020, one dictionary at a time; only chunks that contain a term."""
    count, mean = len(corpus), sum(map(len, corpus)) / len(corpus)
    df = Counter(word for words in corpus for word in set(words))
    idf = {
        "lucene": lambda n: math.log(1 + (count - n + 0.5) / (n + 0.5)),
        "robertson": lambda n: max(math.log((count - n + 0.5) / (n + 0.5)), 0.0),
        "atire": lambda n: math.log(count / n),
        "bm25l": lambda n: math.log((count + 1) / (n + 0.5)),
        "bm25+": lambda n: math.log((count + 1) / n),
    }[variant]
    scores = {}
    for chunk, words in enumerate(corpus):
        if not set(words) & set(query):
            continue
        total, length = 0.0, 1 - b + b * len(words) / mean
        for word in query:
            tf, n = words.count(word), df.get(word, 0)
            if n == 0:
                continue
            if variant in ("lucene", "robertson"):
                total += idf(n) * tf / (tf + k1 * length)
            elif variant == "atire":
                total += idf(n) * tf * (k1 + 1) / (tf + k1 * length)
            elif variant == "bm25+":
                total += idf(n) * (delta + tf * (k1 + 1) / (tf + k1 * length))
            else:
                shifted = tf / length + delta
                total += idf(n) * (k1 + 1) * shifted / (k1 + shifted)
        scores[chunk] = total
    return scores


@some
@given(
    corpora,
    queries,
    st.sampled_from(["lucene", "robertson", "atire", "bm25+"]),
    st.sampled_from([(1.2, 0.75), (0.001, 1.0)]),
)
def test_bm25s_weights_agree_with_the_definition(corpus, wanted, variant, settings_):
    k1, b = settings_
    retriever = Bm25(variant=variant, k1=k1, b=b, delta=1.0)
    for ours, query in zip(scores_of(retriever, corpus, wanted), wanted, strict=True):
        assert ours == pytest.approx(by_definition(corpus, query, variant, k1, b, 1.0), abs=1e-9)


@some
@given(corpora, queries)
def test_bm25l_agrees_with_the_definition_where_all_texts_are_equally_long(corpus, wanted):
    # bm25s gives a chunk without the term the share that one of mean length has; the definition has it too.
    corpus = [(words + ["pad"] * 8)[:8] for words in corpus]
    for ours, query in zip(scores_of(Bm25(variant="bm25l"), corpus, wanted), wanted, strict=True):
        assert ours == pytest.approx(by_definition(corpus, query, "bm25l", delta=0.5), abs=1e-9)


@some
@given(corpora, queries, st.sampled_from(["okapi", "bm25l", "bm25+"]))
def test_rank_bm25_scores_are_those_of_the_library(corpus, wanted, variant):
    if not any(corpus):
        corpus = [*corpus, ["w0"]]
    library = {"okapi": rank_bm25.BM25Okapi, "bm25l": rank_bm25.BM25L, "bm25+": rank_bm25.BM25Plus}[variant]
    fitted = library(corpus, k1=1.2, b=0.75)
    retriever = Bm25(engine="rank_bm25", variant=variant)
    for ours, query in zip(scores_of(retriever, corpus, wanted), wanted, strict=True):
        theirs = fitted.get_scores(query)
        containing = {chunk for chunk, words in enumerate(corpus) if set(words) & set(query)}
        assert ours == pytest.approx({chunk: theirs[chunk] for chunk in containing}, abs=1e-9)


@pytest.mark.parametrize("engine", ["bm25s", "rank_bm25"])
def test_a_word_in_half_of_the_texts_still_finds_its_text(engine):
    # Bug log 22: rank_bm25 gives idf 0 here, and the only match ranked anywhere.
    found = scores_of(Bm25(engine=engine), [["x", "aa"], ["y", "bb"]], [["x"]])
    assert list(found[0]) == [0]
    assert (found[0][0] > 0) == (engine == "bm25s")


def test_a_negative_score_is_a_hit_and_a_chunk_without_the_term_is_none():
    # One text: idf = ln(0.5 / 1.5) < 0, and its floor, a quarter of the mean idf, is negative too.
    found = scores_of(Bm25(engine="rank_bm25"), [["x", "y"], []], [["x"]])
    assert list(found[0]) == [0]
    found = scores_of(Bm25(engine="rank_bm25"), [["x"]], [["x"], ["y"]])
    assert found[0][0] < 0
    assert found[1] == {}


def test_a_score_of_zero_is_a_hit():
    # robertson: a word in every text has idf 0.
    assert scores_of(Bm25(variant="robertson"), [["x"], ["x"], ["y"], ["x"]], [["x"]]) == [{3: 0.0, 1: 0.0, 0: 0.0}]


def test_a_word_asked_twice_counts_twice():
    once, twice = scores_of(Bm25(), [["x"], ["y"]], [["x"], ["x", "x"]])
    assert twice[0] == pytest.approx(2 * once[0])


@pytest.mark.parametrize("block", [1, 7, 10**9])
def test_the_size_of_the_blocks_changes_nothing(block, monkeypatch):
    rng = np.random.default_rng(3)
    corpus = [rng.choice(WORDS, 6).tolist() for _ in range(60)]
    wanted = [[], *[rng.choice(WORDS, 3).tolist() for _ in range(9)], ["unknown"]]
    whole = scores_of(Bm25(), corpus, wanted)
    monkeypatch.setattr(module, "BLOCK", block)
    assert scores_of(Bm25(), corpus, wanted) == whole


@pytest.mark.parametrize("engine", ["bm25s", "rank_bm25"])
@pytest.mark.parametrize("texts", [["tiger river", "", "tiger über"], ["", ""]])
def test_an_index_read_back_answers_the_same(engine, texts, tmp_path):
    retriever = Bm25(engine=engine, variant="bm25+")
    index = retriever.index(texts, None)
    assert retriever.save(index, tmp_path)
    again = retriever.load(tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.suffix not in (".npy", ".json")]
    assert retriever.nbytes(again) == retriever.nbytes(index)
    stop = Stop(np.arange(len(texts), dtype=np.int32), 10)
    first, second = (retriever.search(i, ["tiger", "über river"], None, stop) for i in (index, again))
    assert np.array_equal(first.items, second.items)
    assert np.array_equal(first.scores, second.scores, equal_nan=True)


@pytest.mark.parametrize(
    "knob, low, high",
    [("k1", 0.1, 5.0), ("b", 0.0, 1.0), ("delta", 0.0, 2.0), ("stopwords", True, False), ("stem", True, False)],
)
def test_every_knob_changes_the_scores(knob, low, high):
    corpus, wanted = [["the", "tiger", "tiger", "runs"], ["tigers", "the"], ["a", "lemon", "b"]], [["the", "tiger"]]
    one, other = (scores_of(Bm25(variant="bm25+", **{knob: value}), corpus, wanted) for value in (low, high))
    assert one != other


def test_what_a_setting_stands_for_is_what_is_stored_so_equal_things_are_equal():
    assert Bm25() == Bm25(variant="lucene") == Bm25(delta=3.0)
    assert Bm25(engine="rank_bm25").variant == "okapi"
    assert Bm25(variant="bm25+").delta == 1.0


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"engine": "lucene"}, "bm25s, rank_bm25"),
        ({"variant": "okapi"}, "engine bm25s has lucene, robertson"),
        ({"engine": "rank_bm25", "variant": "lucene"}, "okapi, bm25l"),
        ({"k1": 0}, "bm25.k1=0: expected a number of 0.001 or more"),
        ({"b": 1.5}, "bm25.b=1.5: expected a number from 0 to 1"),
        ({"b": "x"}, "bm25.b='x'"),
        ({"variant": "bm25+", "delta": -1}, "bm25.delta=-1"),
        ({"language": "englsh"}, "did you mean english"),
        ({"language": "finnish"}, "stopwords=false"),
    ],
)
def test_a_wrong_setting_is_one_line_that_says_what_is_expected(wrong, message):
    with pytest.raises(SettingError) as caught:
        Bm25(**wrong)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
