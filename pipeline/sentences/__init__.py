"""Where sentences and paragraphs begin, in seven languages: pure rules with exact offsets.

rules.py           the rules            abbreviations.py  what a full stop may stand behind, by language
headings.py        headings and the sections they open
"""

from pipeline.sentences.abbreviations import LANGUAGES
from pipeline.sentences.headings import Heading, headings, section_starts
from pipeline.sentences.rules import check_language, paragraph_starts, sentence_starts

__all__ = [
    "LANGUAGES",
    "Heading",
    "check_language",
    "headings",
    "paragraph_starts",
    "section_starts",
    "sentence_starts",
]
