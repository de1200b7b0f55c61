"""What the catalogue says of the ranked measures, tried on random cases by one loop."""

from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.metrics import Options, catalogue, evaluate
from pipeline.metrics.blocks import UNLISTED

OPTIONS = Options(policy="trec_c")  # defines a value for every judged query
DOCS = 9
JUDGED = st.dictionaries(st.integers(0, DOCS - 1), st.integers(-1, 3), min_size=1, max_size=DOCS)
RANKING = st.permutations(range(DOCS)).flatmap(lambda docs: st.integers(0, DOCS).map(lambda n: docs[:n]))


def scores(build, measures, rankings, judged):
    """(measures, rankings): every ranking under the same judgements."""
    return evaluate(measures, build.case(rankings, [judged] * len(rankings)), OPTIONS).values


def grade(judged, doc):
    return judged.get(doc, UNLISTED)


def by(measures, key):
    """Groups of measures with an equal key."""
    return [(value, list(group)) for value, group in groupby(sorted(measures, key=key), key)]


def level(measure):
    return measure.integer("rel", 1)


def compare(build, measures, before, after, judged, *, same=False):
    """`after` is never below `before`, or equal."""
    values = scores(build, measures, [before, after], judged)
    for row, measure in enumerate(measures):
        low, high = values[row]
        if not np.isnan(values[row]).any():
            assert abs(high - low) < 1e-12 if same else high >= low - 1e-12, (str(measure), before, after, judged)


def hold(measures, fine, *material):
    """Fails with the measures of which the relation does not hold, and what shows it."""
    wrong = [str(measure) for measure, ok in zip(measures, fine, strict=True) if not ok]
    assert not wrong, f"does not hold of {', '.join(wrong)} for {material}"


def bounded(build, measures, ranking, judged, data):
    values = scores(build, measures, [ranking], judged)[:, 0]
    hold(measures, (values >= 0) & (values <= 1 + 1e-12) | np.isnan(values), ranking, judged)


def positive(build, measures, ranking, judged, data):
    hold(measures, scores(build, measures, [ranking], judged)[:, 0] >= 0, ranking, judged)


def swap(build, measures, ranking, judged, data):
    places = [i for i in range(len(ranking) - 1) if grade(judged, ranking[i]) < grade(judged, ranking[i + 1])]
    if places:
        i = data.draw(st.sampled_from(places))
        compare(build, measures, ranking, [*ranking[:i], ranking[i + 1], ranking[i], *ranking[i + 2 :]], judged)


def perfect(build, measures, ranking, judged, data):
    for least, group in by(measures, level):
        best = sorted((d for d in judged if judged[d] >= least), key=lambda d: -judged[d])
        seen = [m for m in group if len(best) <= (m.cutoff or DOCS)]
        if best and seen:
            hold(seen, np.abs(scores(build, seen, [best], judged)[:, 0] - 1) < 1e-6, best, judged)


def zero(build, measures, ranking, judged, data):
    for least, group in by(measures, level):
        bare = [doc for doc in ranking if grade(judged, doc) < least]
        values = scores(build, group, [bare], judged)[:, 0]
        hold(group, (values == 0) | np.isnan(values), bare, judged)


def below(build, measures, ranking, judged, data):
    for cutoff, group in by(measures, lambda m: m.cutoff):
        head = ranking[:cutoff]
        other = data.draw(st.permutations([d for d in range(DOCS) if d not in head]))
        if len(ranking) > cutoff:
            compare(build, group, ranking, head + other[: data.draw(st.integers(1, len(other)))], judged, same=True)


def cutoff(build, measures, ranking, judged, data):
    more = data.draw(st.integers(1, 6))
    deeper = [replace(measure, cutoff=measure.cutoff + more) for measure in measures]
    shallow, deep = np.split(scores(build, [*measures, *deeper], [ranking], judged)[:, 0], 2)
    hold(measures, deep >= shallow - 1e-12, ranking, judged, f"{more} deeper")


def tail(build, measures, ranking, judged, data):
    unlisted = range(DOCS, DOCS + data.draw(st.integers(1, 4)))
    compare(build, measures, ranking, [*ranking, *unlisted], judged, same=True)


def grows(build, measures, ranking, judged, data):
    doc = data.draw(st.sampled_from([d for d in range(DOCS + 1) if d not in ranking]))
    compare(build, measures, ranking, [*ranking, doc], judged)


def replaced(build, measures, ranking, judged, data):
    for least, group in by(measures, level):
        missed = [d for d in judged if judged[d] >= least and d not in ranking]
        poor = [i for i, d in enumerate(ranking) if grade(judged, d) < least]
        if missed and poor:
            i, doc = data.draw(st.sampled_from(poor)), data.draw(st.sampled_from(missed))
            compare(build, group, ranking, [*ranking[:i], doc, *ranking[i + 1 :]], judged)


def binary(build, measures, ranking, judged, data):
    for least, group in by(measures, level):
        high, middle, low = data.draw(st.integers(least, 9)), data.draw(st.integers(0, least - 1)), -3
        other = {doc: high if g >= least else middle if g >= 0 else low for doc, g in judged.items()}
        first, second = (scores(build, group, [ranking], grades)[:, 0] for grades in (judged, other))
        hold(group, (first == second) | np.isnan(first) & np.isnan(second), ranking, judged, other)


def holes(build, measures, ranking, judged, data):
    at = data.draw(st.integers(0, len(ranking)))
    compare(build, measures, ranking, [*ranking[:at], DOCS, *ranking[at:]], judged, same=True)


CHECKS = {
    catalogue.BOUNDED: bounded, catalogue.POSITIVE: positive, catalogue.SWAP: swap, catalogue.PERFECT: perfect,
    catalogue.ZERO: zero, catalogue.BELOW: below, catalogue.CUTOFF: cutoff, catalogue.TAIL: tail,
    catalogue.GROWS: grows, catalogue.REPLACE: replaced, catalogue.BINARY: binary, catalogue.HOLES: holes,
}  # fmt: skip


@pytest.mark.parametrize("relation", CHECKS)
def test_relation_holds_for_every_measure_that_declares_it(build, relation):
    measures = build.declaring(relation)
    assert measures

    @settings(max_examples=200, deadline=None, derandomize=True)
    @given(RANKING, JUDGED, st.data())
    def check(ranking, judged, data):
        CHECKS[relation](build, measures, ranking, judged, data)

    check()


def test_every_measure_declares_what_holds_of_it(build):
    tested = {*CHECKS, catalogue.TIES, catalogue.SPLIT, catalogue.REPEAT, catalogue.LONGER}  # test_ties, test_budgets
    for measure in build.measures:
        declared = build.relations(measure)
        assert declared & {catalogue.BOUNDED, catalogue.POSITIVE}, (
            f"catalogue.py: the row of {measure} declares no relations: at least BOUNDED or POSITIVE"
        )
        assert declared <= tested, f"{measure} declares what no test tries: {', '.join(declared - tested)}"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(rows=st.lists(st.tuples(RANKING, JUDGED), min_size=1, max_size=4), data=st.data())
def test_no_measure_sees_other_queries_their_order_or_the_names_of_documents(build, rows, data):
    measures = [m for m in build.measures if m.counted == "ranks"]
    rankings, judged = map(list, zip(*rows, strict=True))
    together = evaluate(measures, build.case(rankings, judged), OPTIONS).values
    backwards = evaluate(measures, build.case(rankings[::-1], judged[::-1]), OPTIONS).values
    np.testing.assert_allclose(backwards[:, ::-1], together, atol=1e-14)
    alone = [scores(build, measures, [row], grades)[:, 0] for row, grades in rows]
    np.testing.assert_allclose(np.array(alone).T, together, atol=1e-14)
    names = data.draw(st.permutations(range(100, 100 + DOCS)))
    dates = build.case([], []).dates
    moved = dates.copy()
    moved[names] = dates[:DOCS]
    renamed = build.case(
        [[names[d] for d in row] for row in rankings],
        [{names[d]: g for d, g in row.items()} for row in judged],
        dates=moved,
    )
    np.testing.assert_allclose(evaluate(measures, renamed, OPTIONS).values, together, atol=1e-14)
