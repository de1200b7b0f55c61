"""How the means of one experiment grow with the cutoff, in ranks and in context tokens."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.metrics.case import Case, Options
from pipeline.metrics.names import parse
from pipeline.metrics.scoring import evaluate, summary

RANKS = (1, 2, 3, 5, 10, 20, 50, 100)
TOKENS = (256, 512, 1024, 2048, 4096, 8192)
BY_RANKS = {"ndcg": "nDCG@{}", "recall": "R@{}"}
BY_TOKENS = {"recall_by_tokens": "R@{}tok"}
BY_EVIDENCE = {"span_recall_by_tokens": "Rspan@{}tok", "span_precision_by_tokens": "Pspan@{}tok"}


def curves(case: Case, depth: int, options: Options) -> Mapping[str, Mapping[int, float]]:
    """Word -> cutoff -> mean over the queries where it is defined, by their weight; cutoffs up to `depth` documents."""
    ranks = tuple(cutoff for cutoff in RANKS if cutoff <= depth)
    wanted = [(word, name, ranks) for word, name in BY_RANKS.items()]
    if case.context is not None and case.tokens is not None:
        named = BY_TOKENS | (BY_EVIDENCE if case.spans is not None else {})
        wanted += [(word, name, TOKENS) for word, name in named.items()]
    table = evaluate([parse(name.format(cutoff)) for _, name, cutoffs in wanted for cutoff in cutoffs], case, options)
    return {
        word: {
            cutoff: found.mean
            for cutoff in cutoffs
            if (found := summary(table, parse(name.format(cutoff)), case.weight)).n
        }
        for word, name, cutoffs in wanted
    }
