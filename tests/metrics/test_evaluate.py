"""The public surface of the measures on cases small enough to work out by hand."""

import numpy as np
import pytest

from pipeline.errors import SettingError
from pipeline.metrics import Case, Options, evaluate, needs, parse, summary, word
from pipeline.records import Context, Spans, TokenOffsets


def values(name, case, **options):
    return evaluate([parse(name)], case, Options(**options)).values[0]


def test_ideal_is_built_from_all_judged_documents(build):
    # judged a=3, b=2, c=1, only c comes back: 1/log2(2) / (3/log2 2 + 2/log2 3 + 1/log2 4) = 0.2100...
    case = Case(("q",), build.run([[2]]), build.qrels([{0: 3, 1: 2, 2: 1}]))
    assert values("nDCG@3", case)[0] == pytest.approx(0.21000199575396408, abs=1e-15)


def test_query_without_hits_counts_as_zero_and_unjudged_query_does_not_count(build):
    # q1 perfect, q2 judged but nothing came back, q9 not judged
    case = Case(("q1", "q2", "q9"), build.run([[0], [], [1]]), build.qrels([{0: 1}, {1: 1}, {}]))
    table = evaluate([parse("nDCG@10")], case)
    assert table.values[0].tolist()[:2] == [1.0, 0.0]
    assert summary(table, "nDCG@10").mean == 0.5
    assert summary(table, "nDCG@10").n == 2
    assert table.undefined["nDCG@10"] == {"no judgement": 1}


def test_budget_cuts_the_last_chunk_and_costs_repeats_twice(build):
    # document 0: tokens at 0-1 2-3 4-5 6-7; chunks [0,4) [0,4) [4,8) of it: 2 + 2 + 2 tokens
    tokens = TokenOffsets(
        np.array([0, 4, 6]), np.array([0, 2, 4, 6, 0, 2], np.int32), np.array([1, 3, 5, 7, 1, 3], np.int32)
    )
    context = Context(
        np.array([[0, 0, 0, 1]], np.int32), np.array([[0, 0, 4, 0]], np.int32), np.array([[4, 4, 8, 4]], np.int32)
    )
    spans = Spans(*(np.array(x, np.int32) for x in ([0], [0], [2], [8], [0])))
    case = Case(("q",), None, build.qrels([{0: 1, 1: 1}]), context, tokens, spans)
    assert values("R@6tok", case)[0] == 0.5
    assert values("R@7tok", case)[0] == 1.0
    assert values("Rspan@4tok", case)[0] == pytest.approx(2 / 6)  # [2,4) of [2,8), although seen twice
    assert values("Rspan@5tok", case)[0] == pytest.approx(4 / 6)  # one token more: [4,6), up to the next token
    assert values("Rspan@6tok", case)[0] == 1.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [("nDCG@10", "ndcg_at_10"), ("AP", "map"), ("RR", "mrr"), ("RR@10", "mrr_at_10"),
     ("P(rel=2)@5", "precision_rel2_at_5"),
     ("R@2048tok", "recall_at_2048tok"), ("nDCG_exp@10", "ndcg_exp_at_10"),
     ("Rspan@2048tok", "span_recall_at_2048tok")],
)  # fmt: skip
def test_words_and_names_read_back(name, expected):
    assert word(parse(name)) == expected
    assert parse(expected) == parse(name)
    assert str(parse(name)) == name


def test_unknown_names_hear_the_nearest():
    with pytest.raises(SettingError, match="nDCG@10"):
        parse("ndgc@10")


def test_needs_name_the_material():
    assert needs(parse("nDCG@10")) == {"documents"}
    assert needs(parse("Rspan@99tok")) == {"context", "spans"}
