"""Does the cited text say it? Without a model, or from what a model said. Pure.

lexical     support of a sentence by a text: overlap in the best window, and every number must stand there
terms, words, numbers, units, function_words     a text as content words and quantities
answers     support of the sentences of an answer by the documents they cite
replies     verdicts of a judge model, read from its raw reply     verdict_words, loose_json
"""

from pipeline.support.answers import Checked, CitedSentence, check, cited_support, without
from pipeline.support.lexical import Claim, Source, Support, best_support, claim_of, source_of, support
from pipeline.support.replies import Verdicts, verdicts

__all__ = [
    "Checked",
    "CitedSentence",
    "Claim",
    "Source",
    "Support",
    "Verdicts",
    "best_support",
    "check",
    "cited_support",
    "claim_of",
    "source_of",
    "support",
    "verdicts",
    "without",
]
