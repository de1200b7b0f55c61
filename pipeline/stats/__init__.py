"""How sure: differences paired by query, corrected over the whole sweep, and said in words. Pure.

tables, pairing, resampling   aligned values -> differences per unit -> sign flips and bootstrap weights
families, intervals           p values and intervals, alone and for a whole family
judging, comparing, standing  verdict of a pair, its record, and where the whole sweep stands
words                         the verdict in sentences
agreement                     without judgements: overlap of rankings, and what to judge first
"""

from pipeline.stats.agreement import Disagreement, Overlap, disagreement, overlap
from pipeline.stats.intervals import interval_of_mean
from pipeline.stats.options import StatsOptions
from pipeline.stats.standing import standing
from pipeline.stats.words import verdict

__all__ = [
    "Disagreement",
    "Overlap",
    "StatsOptions",
    "disagreement",
    "interval_of_mean",
    "overlap",
    "standing",
    "verdict",
]
