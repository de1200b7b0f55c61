"""Where sentences and paragraphs begin, in seven languages: pure rules with exact offsets.

rules.py           the rules            abbreviations.py  what a full stop may stand behind, by language
"""

from pipeline.sentences.abbreviations import LANGUAGES
from pipeline.sentences.rules import check_language, paragraph_starts, sentence_starts

__all__ = ["LANGUAGES", "check_language", "paragraph_starts", "sentence_starts"]
