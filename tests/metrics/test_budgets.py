"""The budget measures: their relations, and the definition written out character by character."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.metrics import Case, Options, catalogue, evaluate, parse
from pipeline.records import Context, Spans, TokenOffsets

OPTIONS = Options(policy="trec_c")


LENGTH = 12
INSIDE = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, LENGTH)).filter(lambda pair: pair[0] < pair[1])
PIECE = st.tuples(st.integers(0, 2), INSIDE).map(lambda p: (p[0], *p[1]))
TOKENS = st.lists(st.sets(st.integers(0, LENGTH - 1), min_size=1), min_size=3, max_size=3)
SPAN = st.tuples(PIECE, st.integers(0, 2))


def context_case(build, tokens, contexts, spans):
    """Every context under the same evidence; token starts per document, each as long as to the next one's start."""
    starts = [sorted(row) for row in tokens]
    ends = [[min(b, a + 2) for a, b in zip(row, [*row[1:], LENGTH], strict=True)] for row in starts]
    offsets = TokenOffsets(
        np.cumsum([0, *map(len, starts)]).astype(np.int64), np.array([t for row in starts for t in row], np.int32),
        np.array([t for row in ends for t in row], np.int32),
    )  # fmt: skip
    width = max(1, *map(len, contexts))
    cells = np.array([[*row, *[(-1, 0, 0)] * (width - len(row))] for row in contexts], np.int32)
    rows = sorted((q, *piece, group) for q in range(len(contexts)) for piece, group in spans)
    evidence = Spans(*np.array(rows, np.int32).reshape(-1, 5).T)
    judged = build.qrels([{0: 1, 1: 2}] * len(contexts))
    ids = tuple(f"q{i}" for i in range(len(contexts)))
    return Case(ids, None, judged, Context(*cells.transpose(2, 0, 1)), offsets, evidence)


def context_scores(build, measures, tokens, contexts, spans):
    return evaluate(measures, context_case(build, tokens, contexts, spans), OPTIONS).values


def tokens_in(tokens, piece):
    doc, start, end = piece
    return [t for t in sorted(tokens[doc]) if start <= t < end]


def bounded(build, measures, material, data):
    tokens, context, spans = material
    values = context_scores(build, measures, tokens, [context], spans)[:, 0]
    fine = (values >= 0) & (values <= 1 + 1e-12) | np.isnan(values)
    assert fine.all(), f"does not hold of {[str(m) for m, ok in zip(measures, fine, strict=True) if not ok]}"


def compare(build, measures, material, after, same):
    tokens, context, spans = material
    values = context_scores(build, measures, tokens, [context, after], spans)
    for row, measure in enumerate(measures):
        low, high = values[row]
        if not np.isnan(values[row]).any():
            assert abs(high - low) < 1e-12 if same else high >= low - 1e-12, (str(measure), values[row])


def cutoff(build, measures, material, data):
    tokens, context, spans = material
    more = data.draw(st.integers(1, 9))
    deeper = [replace(measure, cutoff=measure.cutoff + more) for measure in measures]
    small, large = np.split(context_scores(build, [*measures, *deeper], tokens, [context], spans)[:, 0], 2)
    fine = ~(large < small - 1e-12)
    assert fine.all(), f"does not hold of {[str(m) for m, ok in zip(measures, fine, strict=True) if not ok]}"


def split(build, measures, material, data):
    tokens, context, _ = material
    places = [(i, t) for i, piece in enumerate(context) for t in tokens_in(tokens, piece)[1:]]
    if places:
        i, at = data.draw(st.sampled_from(places))
        doc, start, end = context[i]
        after = [*context[:i], (doc, start, at), (doc, at, end), *context[i + 1 :]]
        compare(build, measures, material, after, same=True)


def repeat(build, measures, material, data):
    _, context, _ = material
    if context:
        compare(build, measures, material, [*context, data.draw(st.sampled_from(context))], same=True)


def longer(build, measures, material, data):
    _, context, _ = material
    compare(build, measures, material, [*context, data.draw(PIECE)], same=False)


CHECKS = {
    catalogue.BOUNDED: bounded, catalogue.CUTOFF: cutoff, catalogue.SPLIT: split, catalogue.REPEAT: repeat,
    catalogue.LONGER: longer,
}  # fmt: skip


@pytest.mark.parametrize("relation", CHECKS)
def test_relation_holds_for_every_measure_that_declares_it(build, relation):
    measures = build.declaring(relation, "tokens")
    assert measures

    @settings(max_examples=200, deadline=None, derandomize=True)
    @given(st.tuples(TOKENS, st.lists(PIECE, max_size=5), st.lists(SPAN, max_size=4)), st.data())
    def check(material, data):
        CHECKS[relation](build, measures, material, data)

    check()


def utility(read, needed, budget):
    """Sum over the tokens t <= B that are read of gain(t) * (1 - (t - 1) / B); a token gains once."""
    total, seen = 0.0, set()
    for t, token in enumerate(read[:budget], start=1):
        if token in needed and token not in seen:
            total += 1 - (t - 1) / budget
            seen.add(token)
    return total


def by_hand(tokens, context, spans, budget):
    """The budget measures character by character and token by token, one at a time."""
    chars, read, used = set(), [], 0
    for doc, start, end in context:
        inside = tokens_in(tokens, (doc, start, end))
        kept = inside[: max(0, budget - used)]
        if kept:
            stop = end if len(kept) == len(inside) else inside[len(kept)]
            chars |= {(doc, c) for c in range(start, stop)}
        read += [(doc, token) for token in kept]
        used += len(kept)
    fresh = set(read)
    share = {(piece, group): len(chars & {(piece[0], c) for c in range(piece[1], piece[2])}) / (piece[2] - piece[1]) for piece, group in spans}  # fmt: skip  # noqa: E501
    groups = {group: [key for key in share if key[1] == group] for _, group in spans}
    length = {key: key[0][2] - key[0][1] for key in share}
    whole = sum(min(length[k] for k in keys) for keys in groups.values())
    evidence = {(piece[0], c) for piece, _ in spans for c in range(piece[1], piece[2])}
    best = [min(keys, key=lambda k: (-share[k], length[k], k[0])) for keys in groups.values()]
    needed = {(k[0][0], t) for k in best for t in tokens_in(tokens, k[0])}
    nan = float("nan")
    return {
        "R": sum(any(doc == d for d, _ in fresh) for doc in (0, 1)) / 2,
        "Rspan": sum(min(length[k] for k in keys) * max(share[k] for k in keys) for keys in groups.values()) / whole if whole else nan,  # noqa: E501
        "Full": float(all(max(share[k] for k in keys) == 1 for keys in groups.values())) if groups else nan,
        "Full(all=True)": float(all(v == 1 for v in share.values())) if groups else nan,
        "Pspan": (len(evidence & chars) / len(chars) if chars else 0.0) if spans else nan,
        "Repeated": 1 - len(fresh) / used if used else nan,
        "Filled": used / budget,
        "U": utility(read, needed, budget) / utility([*needed], needed, budget) if needed else nan,
    }  # fmt: skip


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TOKENS, st.lists(PIECE, max_size=5), st.lists(SPAN, max_size=4), st.integers(1, 25))
def test_budget_measures_equal_the_definition_character_by_character(build, tokens, context, spans, budget):
    expected = by_hand(tokens, context, spans, budget)
    measures = [parse(f"{name}@{budget}tok") for name in expected]
    got = context_scores(build, measures, tokens, [context], spans)[:, 0]
    np.testing.assert_allclose(got, list(expected.values()), atol=1e-12)
