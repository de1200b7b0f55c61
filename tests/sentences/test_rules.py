"""Where sentences begin, on hard cases."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.sentences import paragraph_starts, sentence_starts


def sentences(text, language="en"):
    starts = [0, *sentence_starts(text, language), len(text)]
    return [text[start:end].strip() for start, end in pairwise(starts)]


# "|" marks the places where a sentence begins; it is taken out of the text.
CASES = {
    "en": [
        "Hello there. |How are you? |Fine!",
        "Dr. Smith met Mrs. Jones at 5 p.m. |They left.",
        "He lives in the U.S. |The weather is fine.",
        "The U.S. Government said no. |Yes, it did.",
        "It was Jan. 5 when it began. |It ended in Jan. |Nobody knew.",
        "See Fig. 2 and Sec. 3.1 for more. |Then go on.",
        "Is it true? |No. |It is not.",
        "Smith et al. (2010) say so. |Jones et al. The end.".replace("al. The", "al. |The"),
        "Use e.g. Python, i.e. CPython. |Good.",
        "J. K. Rowling wrote it. |J. R. R. Tolkien did not.",
        "It costs 3.14 dollars at example.com today. |Cheap.",
        '"Stop!" he said. |"Why?" she asked. |(He did not answer.) |She left.',
        "Wait... what? |Wait… |No!",
        "Apple Inc. announced it. |Acme Inc. Holdings did too. |It works at Acme Inc. |The end.",
        "So am I. |You too.",
        "Title without stop\n\n|First line\ngoes on here. |Second.",
        "List:\n|- one\n|- two etc.\n|* three\n|1. First\n|2. Second thing. |Good.",
        'Really?! |Yes!! |"No." |Ok.',
        "He got a Ph.D. in 2001. |Then he left.",
        "Roe v. Wade was decided. |The strain (accession no. EU0192) is new.",
        "all in small letters. |nothing else. |it ends, e.g. here.",
        "Version 1.2.3 is out. |Update now.",
    ],
    "de": [
        "Am 3. Oktober 1990 war es so weit. |Es war der 3. |Der Tag war schön.",
        "Dr. Müller sagt z.B. Folgendes. |Gut, d.h. Sehr gut.",
        "Das sind ca. 5 Mio. Euro bzw. Dollar usw. |Die Summe stimmt.",
        "Siehe Abs. 2 und Nr. 5 im Text. |„Ja!“ |Nein.",
    ],
    "fr": ["M. Dupont et Mme. Curie, p. 12. |Ils sont là. |« Oui ! » |Non."],
    "es": ["El Sr. García vive en EE.UU. |La casa es grande. |¿Sí? |¡No!"],
    "it": ["Il Sig. Rossi abita qui, cfr. Fig. 3. |La casa è bella."],
    "pt": ["O Sr. Silva mora aqui, p. 5. |Ele é feliz."],
    "nl": ["Dhr. Jansen woont hier, bijv. Amsterdam. |Hij is blij."],
}


@pytest.mark.parametrize(("language", "marked"), [(lang, text) for lang, texts in CASES.items() for text in texts])
def test_sentences_begin_where_a_reader_says(language, marked):
    assert sentences(marked.replace("|", ""), language) == [piece.strip() for piece in marked.split("|")]


@pytest.mark.parametrize(
    "marked",
    [
        "今日は晴れ。|明日は雨？|「はい。」|いいえ。",
        "我来了。|你好！|再见。",
        "नमस्ते। |आप कैसे हैं? |ठीक।",
        "كيف حالك؟ |بخير.",
        "Այո։ |Ոչ։",
    ],
)
def test_other_scripts_have_their_own_stops(marked):
    assert sentences(marked.replace("|", "")) == [piece.strip() for piece in marked.split("|")]


def test_three_hundred_sentences_with_abbreviations_are_three_hundred():
    text = " ".join(
        f"Dr. No. {n} of the U.S. Army came on Jan. {n % 28 + 1} to see Mr. Poe. It rained." for n in range(150)
    )
    assert len(sentences(text)) == 300


@given(st.text(st.sampled_from("aB .!?…。।\n\u2029\"')-1é"), max_size=80), st.sampled_from(sorted(CASES)))
def test_starts_grow_and_stand_on_a_character_that_is_not_blank(text, language):
    for starts in (sentence_starts(text, language), paragraph_starts(text)):
        assert starts == sorted(set(starts))
        assert all(0 < start < len(text) and not text[start].isspace() for start in starts)


@given(st.text(st.sampled_from("aB .\n\u2029"), max_size=60))
def test_paragraphs_begin_where_sentences_begin(text):
    assert set(paragraph_starts(text)) <= set(sentence_starts(text, "en"))


@pytest.mark.parametrize(
    "piece", [".", "\n", " ", "\n ", ".)", "。", '"', ". ", "!?", "।", "\u2029", "- ", "\n-", "1."]
)
def test_time_grows_with_the_length_not_its_square(piece):
    def seconds(times):
        begin = time.process_time()
        sentence_starts(piece * times, "en")
        paragraph_starts(piece * times)
        return time.process_time() - begin

    assert seconds(100_000) < 4.0  # a quadratic pattern takes minutes
