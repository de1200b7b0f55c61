"""Names of measures: what is read, what is printed, what is refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import SettingError
from pipeline.metrics import Measure, parse, scaled, word
from pipeline.metrics.catalogue import FAMILIES


def params_of(family):
    """A strategy for the parameters of a family, as text."""
    kinds = {bool: st.sampled_from(["True", "False"]), int: st.integers(1, 30).map(str), float: st.sampled_from(["0.8", "0.25", "0.5"])}  # fmt: skip  # noqa: E501
    required = {p.name: kinds[p.kind] for p in family.params if p.default is None}
    optional = {p.name: kinds[p.kind] for p in family.params if p.default is not None}
    return st.fixed_dictionaries(required, optional=optional)


@st.composite
def names(draw):
    (name, counted), family = draw(st.sampled_from(sorted(FAMILIES.items(), key=lambda item: item[0])))
    given_params = draw(params_of(family))
    cutoffs = st.integers(1, 9999)
    cut = {"required": cutoffs, "optional": st.none() | cutoffs, "none": st.none()}[family.cutoff]
    cutoff = draw(cut)
    inner = ",".join(f"{k}={v}" for k, v in given_params.items())
    tail = "" if cutoff is None else f"@{cutoff}" + ("tok" if counted == "tokens" else "")
    return name + (f"({inner})" if inner else "") + tail


@given(names())
def test_every_name_and_word_reads_back_as_the_same_value(name):
    measure = parse(name)
    assert parse(str(measure)) == measure
    assert parse(word(measure)) == measure
    assert hash(parse(word(measure))) == hash(measure)
    assert re.fullmatch(r"[A-Za-z0-9_.\-]+", word(measure))  # what MLflow allows everywhere


@given(names(), names())
def test_words_are_one_to_one(first, second):
    assert (word(parse(first)) == word(parse(second))) == (parse(first) == parse(second))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ndcg_at_10", "nDCG@10"), ("ndcg_exp_at_10", "nDCG_exp@10"), ("map", "AP"), ("map_at_100", "AP@100"),
        ("mrr", "RR"), ("mrr_at_10", "RR@10"), ("recall_at_10", "R@10"), ("precision_at_5", "P@5"),
        ("success_at_5", "Success@5"), ("recall_at_2048tok", "R@2048tok"), ("judged_at_10", "Judged@10"),
        ("precision_rel2_at_5", "P(rel=2)@5"), ("ndcg", "nDCG"), ("rbp_p0.8_at_20", "RBP(p=0.8)@20"),
        ("ndcg_judged_only_at_10", "nDCG(judged_only=True)@10"), (" nDCG@10 ", "nDCG@10"),
        ("P( rel = 2 )@5", "P(rel=2)@5"),
        ("R(rel=1)@5", "R@5"), ("R(judged_only=False)@5", "R@5"),
        ("P(rel=2,judged_only=True)@5", "P(judged_only=True,rel=2)@5"),
    ],
)  # fmt: skip
def test_spellings(text, name):
    assert str(parse(text)) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", r"nDCG@10"), ("NDCG@10", r"nDCG@10"), ("recall@10", r"R@10"), ("Recall@2048tok", "R@2048tok"),
        ("mrr@10", r"RR@10"), ("hit@3", r"nearest: Success@3$"), ("Rspan@10", r"nearest: Rspan@10tok$"),
        ("f1", "nearest: SetF$"),
        ("err@5x", r"ERR\(max=3\)@5"), ("ndcg@10", "nearest: nDCG@10$"), ("precision@5", "nearest: P@5$"),
        ("Recall@99tok", "nearest: R@99tok$"), ("zzz", "nearest: nDCG@10"), ("P", r"needs a cutoff: P@10"),
        ("Rprec@5", "takes no cutoff"), ("P(rel=x)@5", "rel must be int; got 'x'"), ("P(rel=0)@5", r"rel must lie in"),
        ("P(depth=3)@5", "no parameter 'depth'"), ("P(rel)@5", "name=value"), ("P(rel=1,rel=2)@5", "name=value"),
        ("P@0", "at least 1"), ("ERR@10", r"ERR\(max=3\)@10"), ("RBP", r"RBP\(p=0.8\)"), ("", "not known"),
        ("nDCG@10tok", "not known"), ("nDCG@-1", "not known"), ("RBP(p=1.5)", "p must lie in"),
        ("P(judged_only=yes)@5", "judged_only must be bool"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_the_way_out(text, message):
    with pytest.raises(SettingError, match=message):
        parse(text)


def test_measures_are_values():
    assert parse("nDCG@10") == Measure("nDCG", 10)
    assert len({parse("nDCG@10"), parse("ndcg_at_10"), parse("nDCG@5")}) == 2


def test_the_highest_grade_may_be_left_to_the_dataset_and_then_stands_in_the_name():
    for name, resolved in {
        "ERR@10": "ERR(max=3)@10",
        "err_at_10": "ERR(max=3)@10",
        "ERR(max=2)": "ERR(max=2)",
        "ERR(judged_only=True)@5": "ERR(judged_only=True,max=3)@5",
        "nDCG@10": "nDCG@10",
    }.items():
        measure = scaled(parse(name, scale_later=True), 3)
        assert str(measure) == resolved
        assert parse(resolved) == measure
    with pytest.raises(SettingError, match="needs p="):
        parse("RBP", scale_later=True)
