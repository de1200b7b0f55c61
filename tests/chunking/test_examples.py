"""Small cases worked out by hand, and the settings that are refused."""

import pytest

from pipeline.chunking import Recursive, Sentences, TokenWindow, WholeDocument, chunk_texts
from pipeline.errors import SettingError
from pipeline.tokenizing import WordTokenizer

WORDS = WordTokenizer()  # a word is one token, every other character one


def pieces(chunker, size, overlap, text, **more):
    cutter = chunker(size, overlap, WORDS, **more)
    return chunk_texts(cutter.cut([text], WORDS.offsets([text])), [text])


@pytest.mark.parametrize(
    ("size", "overlap", "text", "expected"),
    [
        (2, 0, "a b c d e", ["a b ", "c d ", "e"]),  # blanks go to the earlier chunk
        (3, 1, "a b c d e", ["a b c ", "c d e"]),  # one token repeated; ends once the end is reached
        (2, 1, "a b c", ["a b ", "b c"]),
        (4, 0, " \n a b\n", [" \n a b\n"]),  # blanks at both ends are covered
        (9, 0, "", []),
        (9, 0, " \n\t", []),
        (1, 0, "don't", ["don", "'", "t"]),
        (2, 0, "ab ab ab ab", ["ab ab ", "ab ab"]),  # repeated text has its own places
    ],
)
def test_token_windows_are_cut_where_counted(size, overlap, text, expected):
    assert pieces(TokenWindow, size, overlap, text) == expected


def test_sentences_stay_whole_and_are_packed():
    # Tokens: "One two." 3, "Three." 2, "Four five six." 4. 3+2 fit into 6, with 4 more they do not.
    text = "One two. Three. Four five six."
    assert pieces(Sentences, 6, 0, text) == ["One two. Three. ", "Four five six."]
    # Overlap 2 lets "Three." (2 tokens) come again: 2+4 = 6 fit.
    assert pieces(Sentences, 6, 2, text) == ["One two. Three. ", "Three. Four five six."]
    # Overlap 1 is less than any sentence: none comes again.
    assert pieces(Sentences, 6, 1, text) == ["One two. Three. ", "Four five six."]


def test_a_sentence_longer_than_the_size_is_cut_between_words():
    # "Hi." 2 tokens, then 7 tokens in one sentence: opened at its words, the first part fills up the chunk.
    assert pieces(Sentences, 4, 0, "Hi. aa bb cc dd ee ff. Yo.") == [
        "Hi. Aa bb ".replace("A", "a"),
        "cc dd ee ff",
        ". Yo.",
    ]


def test_the_language_decides_about_abbreviations():
    text = "Wir nehmen z.B. Äpfel mit. Gut so."  # z.B. is a word of German: 3 + 4 tokens and so on
    assert pieces(Sentences, 10, 0, text, language="de") == ["Wir nehmen z.B. Äpfel mit. ", "Gut so."]
    with pytest.raises(SettingError, match="'xx'; known are de, en, es, fr, it, nl, pt"):
        Sentences(8, 0, WORDS, "xx")


def test_recursive_keeps_paragraphs_that_fit_where_sentences_would_fill_up():
    # Paragraphs of 3, 4 (2+2) and 3 tokens; size 5. Sentences pack 3+2, 2+3; paragraphs stand alone.
    text = "One two.\n\nThree. Four.\n\nFive six."
    assert pieces(Sentences, 5, 0, text) == ["One two.\n\nThree. ", "Four.\n\nFive six."]
    assert pieces(Recursive, 5, 0, text) == ["One two.\n\n", "Three. Four.\n\n", "Five six."]
    assert pieces(Recursive, 7, 0, text) == ["One two.\n\nThree. Four.\n\n", "Five six."]


def test_recursive_opens_a_long_paragraph_at_its_sentences():
    # The second paragraph has 7 tokens, more than 6: its sentences (2 and 5 tokens) join the neighbours.
    text = "One two.\n\nThree. Four five six seven.\n\nEight."
    assert pieces(Recursive, 6, 0, text) == ["One two.\n\nThree. ", "Four five six seven.\n\n", "Eight."]


@pytest.mark.parametrize("chunker", [TokenWindow, Sentences, Recursive, WholeDocument])
@pytest.mark.parametrize(
    ("size", "overlap", "message"),
    [
        (100, 100, "chunk_overlap 100 with chunk_size 100"),
        (100, 150, "chunk_overlap 150 with chunk_size 100"),
        (100, -1, "chunk_overlap -1 with chunk_size 100"),
        (0, 0, "chunk_size: must be at least 1 token, got 0"),
        (-1, 0, "chunk_size: must be at least 1 token, got -1"),
        ("abc", 0, "chunk_size: expected a whole number of tokens, got 'abc'"),
        (2.5, 0, "chunk_size: expected a whole number of tokens, got 2.5"),
        (True, 0, "chunk_size: expected a whole number of tokens, got True"),
        (8, None, "chunk_overlap: expected a whole number of tokens, got None"),
    ],
)
def test_sizes_that_cannot_be_used_are_refused_at_once(chunker, size, overlap, message):
    # The report: overlap >= size never moved on and filled the memory.
    with pytest.raises(SettingError, match=message):
        chunker(size, overlap, WORDS)


def test_a_name_instead_of_a_tokenizer_is_refused():
    with pytest.raises(SettingError, match="expected a tokenizer, got 'minilm'"):
        TokenWindow(8, 0, "minilm")
