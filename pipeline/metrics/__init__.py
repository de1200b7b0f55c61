"""Measures of rankings and contexts: exact, vectorised, honest about what is undefined.

measure.py    the value a name stands for          catalogue.py  all families, one row each
names.py      parse and word                       scoring.py    Case -> ScoreTable, policies, summary
blocks.py     blocks of queries, the join          ranked.py, gains.py      what looks at the ranking
                                                   contexts.py, budgets.py  what looks at the context
"""

from pipeline.metrics.scoring import Case, Options, Summary, evaluate, needs, summary
from pipeline.metrics.measure import Measure
from pipeline.metrics.names import parse, word

VERSION = 1  # part of every key of stored scores: raise it when a measure gives other values

__all__ = ["Case", "Measure", "Options", "Summary", "evaluate", "needs", "parse", "summary", "word"]
