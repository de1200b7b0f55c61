"""Measures of rankings and contexts: exact, vectorised, honest about what is undefined.

measure.py    the value a name stands for          catalogue.py  all families, one row each
names.py      parse and word                       case.py       what is scored, and how special cases count
blocks.py     blocks of queries, the join          scoring.py    Case -> ScoreTable, and its summary
ranked.py     the view of rankings                 gains.py, pools.py, users.py, recency.py   its measures
contexts.py   the view of contexts                 budgets.py    its measures
ties.py       what equal scores leave open         unjudged.py   what missing judgements leave open
cuts.py       what a chunking does to evidence     abstention.py whether scores tell when to stay silent
"""

from pipeline.metrics.case import Case, Options
from pipeline.metrics.measure import Measure
from pipeline.metrics.names import parse, scaled, word
from pipeline.metrics.scoring import Summary, evaluate, needs, summary

VERSION = 2  # part of every key of stored scores: raise it when a measure gives other values

__all__ = ["Case", "Measure", "Options", "Summary", "evaluate", "needs", "parse", "scaled", "summary", "word"]
