"""Citations of answers: found in many formats, resolved against the context, judged without flattery. Pure.

occurrences   the records                            spelling, identifiers, context   what may be cited, looked up
guards        where no citation can stand            bodies              what stands between two brackets
markers       the formats                            brackets, bare_ids, file_marks, links, source_titles,
                                                     superscripts   some of them
patterns      the user's own                         numbering           place or id
marker_ranges [1]–[3]                                reference_lists, entries   the list at the end, what it says
places        which sentence                         reading             all of it together
structured    citations that providers send          near_misses         what was probably meant as one
report        one answer          abstention         scores              many answers, as a score table
failures      what went wrong, from retrieval and citations together
preflight     whether the formats fit, before anything is scored
"""

from pipeline.citations.context import Context, context_of
from pipeline.citations.failures import (
    FAILURES,
    Failures,
    FailureTable,
    Retrieval,
    failure_table,
    failures_of,
    ranked,
)
from pipeline.citations.markers import FORMATS
from pipeline.citations.near_misses import NearMiss, near_misses
from pipeline.citations.occurrences import LeftOut, Occurrence, Reading, Sentence
from pipeline.citations.patterns import Matcher, Pattern
from pipeline.citations.preflight import Preflight, Sample, preflight
from pipeline.citations.reading import Settings, parse, read
from pipeline.citations.report import AnswerReport, report
from pipeline.citations.scores import MEASURES, OF_ANSWERS, CitationSummary, of_answers, score_table, summary
from pipeline.citations.structured import PROVIDERS, Orphan, Structured

__all__ = [
    "FAILURES",
    "FORMATS",
    "MEASURES",
    "OF_ANSWERS",
    "PROVIDERS",
    "AnswerReport",
    "CitationSummary",
    "Context",
    "FailureTable",
    "Failures",
    "LeftOut",
    "Matcher",
    "NearMiss",
    "Occurrence",
    "Orphan",
    "Pattern",
    "Preflight",
    "Reading",
    "Retrieval",
    "Sample",
    "Sentence",
    "Settings",
    "Structured",
    "context_of",
    "failure_table",
    "failures_of",
    "near_misses",
    "of_answers",
    "parse",
    "preflight",
    "ranked",
    "read",
    "report",
    "score_table",
    "summary",
]
