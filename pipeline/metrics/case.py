"""What is scored, and how the special cases count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pipeline.errors import SettingError
from pipeline.records import Context, Dates, Floats, Qrels, Run, Spans, TokenOffsets

Policy: TypeAlias = Literal["pipeline", "trec", "trec_c", "seed"]
Negatives: TypeAlias = Literal["unjudged", "nonrelevant"]
Later: TypeAlias = Literal["exclude", "clamp"]
Undated: TypeAlias = Literal["refuse", "fresh", "stale"]
CHOICES = {
    "policy": ("pipeline", "trec", "trec_c", "seed"),
    "negative_grades": ("unjudged", "nonrelevant"),
    "later": ("exclude", "clamp"),
    "undated": ("refuse", "fresh", "stale"),
}


@dataclass(frozen=True, eq=False)
class Case:
    """One experiment's material, aligned by query position.

    `tokens` are the offsets of every document in the tokenizer that counts context budgets; `dates` are those of
    the documents and `as_of` the day on which each query is asked (datetime64[s], NaT = not known).
    """

    query_ids: tuple[str, ...]
    documents: Run | None
    qrels: Qrels
    context: Context | None = None
    tokens: TokenOffsets | None = None
    spans: Spans | None = None
    dates: Dates | None = None
    as_of: Dates | None = None
    weight: Floats | None = None  # traffic of every query: means over queries count by it


@dataclass(frozen=True)
class Options:
    """How the special cases count.

    `policy`: *pipeline* leaves out queries without judgement or without relevant document, and a query that
    retrieved nothing scores 0; *trec* averages a query without relevant document in as 0 and leaves out one that
    retrieved nothing; *trec_c* (trec_eval -c) counts that as 0 too; *seed* knows no undefined value: 0.
    `negative_grades`: below 0 is pooled but *unjudged* (trec_eval), or judged *nonrelevant*.
    `later`: a document dated after the query's day is taken out (*exclude*), or counts as of that day (*clamp*).
    `undated`: a relevant document without a date is an error (*refuse*), as new as can be (*fresh*), or worth
    nothing (*stale*). These two matter to the measures of recency alone.
    """

    policy: Policy = "pipeline"
    negative_grades: Negatives = "unjudged"
    later: Later = "exclude"
    undated: Undated = "refuse"

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise SettingError(f"{name} must be one of {', '.join(known)}; got {getattr(self, name)!r}")
