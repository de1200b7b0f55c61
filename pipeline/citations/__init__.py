"""Citations of answers: found in many formats, resolved against the context, judged without flattery. Pure.

occurrences   the records                            spelling, context   what an answer may cite, looked up
guards        where no citation can stand            bodies              what stands between two brackets
markers       the formats                            file_marks, links, source_titles, superscripts   some of them
patterns      the user's own                         numbering           place or id
places        which sentence                         reading             all of it together
"""

from pipeline.citations.context import Context, context_of
from pipeline.citations.markers import FORMATS
from pipeline.citations.occurrences import LeftOut, Occurrence, Reading, Sentence
from pipeline.citations.patterns import Matcher, Pattern
from pipeline.citations.reading import Settings, parse, read

__all__ = [
    "FORMATS",
    "Context",
    "LeftOut",
    "Matcher",
    "Occurrence",
    "Pattern",
    "Reading",
    "Sentence",
    "Settings",
    "context_of",
    "parse",
    "read",
]
