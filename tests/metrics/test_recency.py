"""Worth that fades with age: values by hand, and what happens to dates that are missing or in the future."""

import math

import numpy as np
import pytest

from pipeline.errors import SettingError
from pipeline.metrics import Options, evaluate, parse
from pipeline.metrics.recency import leaks

NAME = "nDCG_t(half_life=30)@10"
L3 = math.log2(3)
NEW, OLD, FUTURE, UNDATED, MISSING = 0, 1, 2, 3, 4  # positions; 4 lies behind the corpus: a judged id it lacks


@pytest.fixture
def dated(build):
    """A case of one query on TODAY: NEW is of today, OLD 30 days old, FUTURE of tomorrow."""

    def make(ranking, judged, **extra):
        dates = build.today - np.array([0, 30, -1, 0], "timedelta64[D]")
        dates[UNDATED] = np.datetime64("NaT")
        return build.case([ranking], [judged], dates=dates, **extra)

    return make


def value(name, case, **options):
    return evaluate([parse(name)], case, Options(**options)).values[0, 0]


def test_of_two_equally_relevant_documents_the_newer_one_should_stand_first(dated):
    # gains 1 and 1/2 (one half-life old): best order NEW, OLD
    ideal = 1 + 0.5 / L3
    assert value(NAME, dated([NEW, OLD], {NEW: 1, OLD: 1})) == pytest.approx(1.0)
    assert value(NAME, dated([OLD, NEW], {NEW: 1, OLD: 1})) == pytest.approx((0.5 + 1 / L3) / ideal)


def test_decay_multiplies_the_gain(dated):
    # OLD of grade 4 is still worth 2, more than NEW of grade 1
    assert value(NAME, dated([OLD, NEW], {NEW: 1, OLD: 4})) == pytest.approx(1.0)


def test_half_life_and_exponential_rate_are_the_same_decay(dated):
    # e^(-lambda * 30) with lambda = ln 2 / 60
    got = value("Freshness(half_life=60)@10", dated([OLD], {OLD: 1}))
    assert got == pytest.approx(math.exp(-math.log(2) / 60 * 30))


def test_infinite_patience_gives_plain_ndcg(dated):
    case = dated([OLD, MISSING, NEW], {NEW: 3, OLD: 1})
    assert value("nDCG_t(half_life=1000000000)@10", case) == pytest.approx(value("nDCG@10", case), abs=1e-6)


def test_document_from_the_future_is_taken_out_and_counted_or_counts_as_of_today(dated):
    case = dated([FUTURE, OLD], {FUTURE: 1, OLD: 1})
    assert value(NAME, case) == pytest.approx(1.0)  # OLD alone is left, and it stands first
    assert value(NAME, case, later="clamp") == pytest.approx(1.0)  # FUTURE of worth 1, OLD of worth 1/2: the best order
    assert value(NAME, dated([OLD, FUTURE], {FUTURE: 1, OLD: 1}), later="clamp") < 1
    assert leaks(case.documents, case.dates, case.as_of).tolist() == [1]


def test_query_whose_only_relevant_document_lies_in_the_future_is_undefined(dated):
    table = evaluate([parse(NAME)], dated([FUTURE], {FUTURE: 1}))
    assert np.isnan(table.values).all()
    assert table.undefined[NAME] == {"no relevant document by the query's day": 1}


@pytest.mark.parametrize("doc", [UNDATED, MISSING])
def test_relevant_document_without_a_date_is_refused_or_fresh_or_stale(dated, doc):
    case = dated([doc, OLD], {doc: 1, OLD: 1})
    with pytest.raises(SettingError, match="1 relevant documents have no date"):
        value(NAME, case)
    assert value(NAME, case, undated="fresh") == pytest.approx(1.0)
    assert value(NAME, case, undated="stale") == pytest.approx(0.5 / L3 / 0.5)


def test_irrelevant_document_without_a_date_does_no_harm(dated):
    assert value(NAME, dated([UNDATED, NEW], {UNDATED: 0, NEW: 1})) == pytest.approx(1 / L3)


def test_freshness_is_the_mean_decay_of_relevant_hits_and_undefined_without(dated):
    assert value("Freshness(half_life=30)@10", dated([OLD, NEW], {NEW: 1, OLD: 1})) == pytest.approx(0.75)
    assert value("Freshness(half_life=30)@1", dated([OLD, NEW], {NEW: 1, OLD: 1})) == pytest.approx(0.5)
    table = evaluate([parse("Freshness(half_life=30)@10")], dated([OLD], {NEW: 1}))
    assert table.undefined["Freshness(half_life=30)@10"] == {"no relevant hit": 1}


def test_day_of_the_query_has_no_default(build, dated):
    case = dated([NEW], {NEW: 1}, as_of=None)
    with pytest.raises(SettingError, match="dates"):
        value(NAME, case)
    unknown = dated([NEW], {NEW: 1}, as_of=np.array(["NaT"], "datetime64[s]"))
    table = evaluate([parse(NAME)], unknown)
    assert table.undefined["nDCG_t(half_life=30)@10"] == {"no as_of date": 1}
