"""How sure: differences paired by query, corrected over the whole sweep, and said in words. Pure.

tables, pairing, resampling     aligned values -> differences per unit -> sign flips and bootstrap weights
families, intervals, bootstrap  p values and intervals, alone and for a whole family; binary: for 0/1 measures
judging, comparing, standing    verdict of a pair, its record, and where the whole sweep stands; words: the sentences
dealing, choosing, gain         holdout and folds; what the best is worth after choosing it; choice: the same in words
axes, slices, clusters          which axis matters, where a difference lies, what clusters of queries cost
weights                         queries that count by their traffic (`ScoreTable.weights`), and what unequal ones cost
association, seeds              answers against retrieval; several seeds of one stage
agreement                       without judgements: overlap of rankings, and what to judge first
"""

from pipeline.stats.agreement import Disagreement, Overlap, disagreement, overlap
from pipeline.stats.choice import Number, three_numbers
from pipeline.stats.choosing import Dealing, after_choosing
from pipeline.stats.intervals import interval_of_mean
from pipeline.stats.options import StatsOptions
from pipeline.stats.standing import standing
from pipeline.stats.words import verdict

__all__ = [
    "Dealing",
    "Disagreement",
    "Number",
    "Overlap",
    "StatsOptions",
    "after_choosing",
    "disagreement",
    "interval_of_mean",
    "overlap",
    "standing",
    "three_numbers",
    "verdict",
]
