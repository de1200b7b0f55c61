"""What becomes a term: the rule of analyzer.py, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.retrieval.analyzer import STEMMED, STOPWORDS, Analyzer

PLAIN = Analyzer(language="none")


@pytest.mark.parametrize(
    "text, terms",
    [
        ("Ｃ＋＋ ﬁle Straße ㎩", ["c++", "file", "strasse", "pa"]),  # NFKC and casefold
        ("C++, C# and F#; C++17", ["c++", "c#", "and", "f#", "c++", "17"]),
        ("page#top #5", ["page", "top", "5"]),
        (".NET on ASP.NET. End.Next ...and", [".net", "on", "asp", "net", "end", "next", "and"]),
        ("foo_bar __init__ _ __ x_max", ["foo_bar", "foo", "bar", "__init__", "init", "x_max", "max"]),
        ("3.11 v1.2.3 grade 1. os.path", ["3.11", "v1.2.3", "grade", "1", "os", "path"]),
        ("e-mail T-cell i.e. TNF-α IL-6", ["mail", "cell", "tnf", "α", "il", "6"]),
        ("vitamin C, x a", ["vitamin", "c", "x", "a"]),
        ("C/C++ and/or -1", ["c++", "and", "or", "1"]),
        ("l'homme d’accord", ["homme", "accord"]),
        ("東京都 に、京 한국어", ["東京", "京都", "に", "京", "한국", "국어"]),
        ("Python入門3.11", ["python", "入門", "3.11"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),  # vowel signs are part of the word
        ("e\u0301te\u0301 été", ["été", "été"]),  # NFD and NFC are one word
        ("", []),
        (" \n!?… ", []),
    ],
)
def test_words_without_a_language(text, terms):
    assert PLAIN.terms([text]) == [terms]


def test_english_stems_drops_stop_words_and_keeps_contractions_together():
    text = "The authors' cells aren’t running and O'Neill's dog's C++ running_fast"
    stems = ["author", "cell", "aren't", "run", "o'neil", "dog", "c++"]
    assert Analyzer().terms([text]) == [[*stems, "running_fast", "run", "fast"]]


@pytest.mark.parametrize(
    "language, text, terms",
    [
        ("german", "Die Häuser und das Haus", ["haus", "haus"]),
        ("french", "les chevaux de l'homme", ["cheval", "homm"]),
        ("spanish", "los gatos y las gatas", ["gat", "gat"]),
    ],
)
def test_other_languages_have_their_own_stop_words_and_stems(language, text, terms):
    assert Analyzer(language).terms([text]) == [terms]


def test_each_switch_does_its_own_part():
    text = ["The cells of the dogs"]
    assert Analyzer(stopwords=False, stem=False).terms(text) == [["the", "cells", "of", "the", "dogs"]]
    assert Analyzer(stopwords=False).terms(text) == [["the", "cell", "of", "the", "dog"]]
    assert Analyzer(stem=False).terms(text) == [["cells", "dogs"]]


@pytest.mark.parametrize("language", STEMMED)
def test_every_offered_language_can_be_used(language):
    assert Analyzer(language, stopwords=language in STOPWORDS).terms(["Komputer 42"])[0][-1] == "42"


def test_a_language_without_stop_words_says_so_instead_of_keeping_them_silently():
    with pytest.raises(SettingError, match=r"finnish: there is no stop-word list for it; set bm25.stopwords=false"):
        Analyzer("finnish")


@given(st.text(max_size=60))
def test_any_text_is_analysed_alike_however_often_and_in_whatever_company(text):
    alone = Analyzer().terms([text])[0]
    assert Analyzer().terms(["other words", text, text])[1:] == [alone, alone]
    assert all(term and not term.isspace() for term in alone)


@given(st.lists(st.sampled_from(["C++", "foo_bar", "3.11", "東京都", ".NET", "don't", "été", "x"]), max_size=8))
def test_words_apart_by_blanks_do_not_touch_each_other(words):
    assert PLAIN.terms([" ".join(words)])[0] == [term for word in words for term in PLAIN.terms([word])[0]]
