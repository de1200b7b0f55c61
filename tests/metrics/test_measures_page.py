"""The golden test of every measure: its worked examples in docs/measures.md are computed, and each family has one."""

import re
from pathlib import Path

import numpy as np
import pytest

from pipeline.metrics import Case, evaluate, parse
from pipeline.metrics.catalogue import FAMILIES
from pipeline.records import Context, Spans, TokenOffsets

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text()
EXAMPLES = [line for block in re.findall(r"```example\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
DOCS = "abcdefghijklmnopqrstuvwxyz"


def fields(line):
    """The measure, and what stands behind each `word:`."""
    name, rest = line.split(None, 1)
    parts = re.split(r"\b(ranking|judged|value|texts|context|evidence|ages):", rest)
    return name, dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))


def pairs(text):
    return {DOCS.index(key): int(value) for key, value in re.findall(r"(\w)=(-?\d+)", text)}


def places(text):
    return [(DOCS.index(d), int(s), int(e)) for d, s, e in re.findall(r"(\w)\[(\d+):(\d+)\]", text)]


def budget_case(build, given):
    """Every word is a token."""
    texts = dict(re.findall(r'(\w)="([^"]*)"', given["texts"]))
    words = [list(re.finditer(r"\S+", texts.get(doc, ""))) for doc in DOCS]
    offsets = TokenOffsets(
        np.cumsum([0, *map(len, words)]).astype(np.int64),
        np.array([w.start() for row in words for w in row], np.int32),
        np.array([w.end() for row in words for w in row], np.int32),
    )
    context = Context(*np.array([places(given["context"])], np.int32).transpose(2, 0, 1))
    groups = [(0, *place, n) for n, group in enumerate(given.get("evidence", "").split()) for place in places(group)]
    spans = Spans(*np.array(groups, np.int32).reshape(-1, 5).T)
    return Case(("q",), None, build.qrels([pairs(given.get("judged", ""))]), context, offsets, spans)


def ranked_case(build, given):
    ages = pairs(given.get("ages", ""))
    dates = build.today - np.array([ages.get(doc, 0) for doc in range(len(DOCS))], "timedelta64[D]")
    return build.case([[DOCS.index(doc) for doc in given["ranking"].split()]], [pairs(given["judged"])], dates=dates)


@pytest.mark.parametrize("line", EXAMPLES)
def test_example_gives_the_value_on_the_page(build, line):
    name, given = fields(line)
    case = budget_case(build, given) if "texts" in given else ranked_case(build, given)
    value = evaluate([parse(name)], case).values[0, 0]
    assert f"{value:.4f}" == given["value"]


def test_every_family_has_an_example():
    shown = {(m.name, m.counted) for m in (parse(fields(line)[0]) for line in EXAMPLES)}
    for name, counted in FAMILIES:
        kind = "texts: … context: … evidence: …" if counted == "tokens" else "ranking: … judged: …"
        assert (name, counted) in shown, f"docs/measures.md has no worked example of {name}: {kind} value: …"


def test_every_parameter_is_explained():
    for family in FAMILIES.values():
        for param in family.params:
            assert f"| `{param.name}` |" in PAGE, f"docs/measures.md: no row for {param.name} of {family.name}"
            needed = param.default is None and not param.example
            assert not needed, f"catalogue.py: {param.name} of {family.name} must be given, so it needs an `example`"
