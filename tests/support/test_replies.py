"""Replies of judge models."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.support import verdicts
from pipeline.support.loose_json import NotJsonError, loads

SHORT = {"yes": "y", "no": "n", "unknown": "?"}


def read(reply, statements):
    said = verdicts(reply, statements)
    return "".join(SHORT[one] for one in said.found)


@pytest.mark.parametrize(
    ("reply", "statements", "expected"),
    [
        # numbered
        ("1. Yes 2. No", 2, "yn"),
        ("1) yes\n2) no\n3) yes", 3, "yny"),
        ("(1) Yes (2) No", 2, "yn"),
        ("**1.** Yes **2.** No", 2, "yn"),
        ("Statement 1: yes\nStatement 2: no", 2, "yn"),
        ("0. yes\n1. no", 2, "yn"),
        ("1. The capital is Paris. Verdict: yes\n2. It is in Spain. Verdict: no", 2, "yn"),
        ("1. Yes, as in 2. January. 2. No", 2, "yn"),
        ("1. It says so: yes\n2. It does not - no", 2, "yn"),
        # lists
        ("Yes; No; Yes", 3, "yny"),
        ("No. No. Yes.", 3, "nny"),
        ("yes\nno\nyes", 3, "yny"),
        ("Final verdict for each statement in order: No. No. Yes.", 3, "nny"),
        ("Yes, No, Yes", None, "yny"),
        # one verdict
        ("Yes, no doubt.", 1, "y"),
        ("No it never says yes", 1, "n"),
        ("No, it gives the wrong answer: yes.", 1, "n"),
        ("No.\n\nThe context does not mention it.", 1, "n"),
        ("No [1].", 1, "n"),
        ('No, the text says ["yes"].', 1, "n"),
        ("Not supported", 1, "n"),
        ("Supported? No.", 1, "n"),
        ("Unsupported", 1, "n"),
        ("**Yes**", 1, "y"),
        ("```\nYes\n```", 1, "y"),
        ("Verdict: Yes\nReason: the text says no such thing", 1, "y"),
        ("No explicit mention is needed. Verdict: yes", 1, "y"),
        ("<think>is it yes? no…</think>\nYes", 1, "y"),
        ("yes</s>", 1, "y"),
        ("yes<|im_end|>", 1, "y"),
        # JSON
        ('{"verdict": "yes", "reason": "no"}', 1, "y"),
        ('{"Verdict": "YES"}', 1, "y"),
        ('Sure! Here it is: {"verdict": "no"}', 1, "n"),
        ('{"verdict":"yes"}\n{"verdict":"no"}', 2, "yn"),
        ("[1, 0, 1]", 3, "yny"),
        ("[true, False]", 2, "yn"),
        ("['yes', 'no',]", 2, "yn"),
        ('{"1": "yes", "2": "no", "10": "yes"}', 3, "yny"),
        ('{"statements": [{"statement": "It is a no.", "verdict": 1}, {"statement": "b", "verdict": 0}]}', 2, "yn"),
        ("{'verdicts': [{'verdict': 'yes', 'reason': 'it's there'}, {'verdict': 'no'}]}", 2, "yn"),
        ('{"verdicts": ["yes", "no"', 2, "yn"),
    ],
)
def test_a_reply_is_read(reply, statements, expected):
    assert read(reply, statements) == expected
    assert verdicts(reply, statements).error == ""


@pytest.mark.parametrize(
    ("reply", "statements", "error"),
    [
        ("", 1, "empty reply"),
        (None, 1, "empty reply"),
        ("<eos>", 1, "empty reply"),
        ("<think>yes it is", 1, "the reply ends inside its reasoning"),
        ("Yes, No", 1, "2 verdicts for 1 statements"),
        ("yes", 2, "1 verdicts for 2 statements"),
        ("1. Yes 3. Yes", 3, "1 verdicts for 3 statements"),
        ('{"verdicts": ["yes", "no", "yes"]}', 5, "3 verdicts for 5 statements"),
        ('{"verdicts": ["yes", "n', 2, "1 verdicts for 2 statements"),
        ('{"verdicts": []}', 2, "malformed JSON: no verdicts in it"),
        ("1. Yes 2. Perhaps", 2, "1 of 2 verdicts are neither yes nor no"),
        ('[{"verdict": 0.5}]', 1, "1 of 1 verdicts are neither yes nor no"),
        ('[{"verdict": null}]', 1, "1 of 1 verdicts are neither yes nor no"),
        ("The statement may be supported.", 1, "1 of 1 verdicts are neither yes nor no"),
        ("yes/no", 1, "1 of 1 verdicts are neither yes nor no"),
        ("notable", 1, "1 of 1 verdicts are neither yes nor no"),
        ("[" * 1000, 1, "malformed JSON: nested deeper than 50"),
        ("yes", 0, "0 statements; expected 1 to 10000"),
        ("yes", -3, "-3 statements; expected 1 to 10000"),
        ("yes " * 100_000, 1, "a reply of 400000 characters; at most 200000"),
    ],
)
def test_a_reply_that_cannot_be_counted_is_an_error_with_its_head(reply, statements, error):
    said = verdicts(reply, statements)
    assert said.error == said.reason == error
    assert math.isnan(said.share)
    assert said.head == (reply or "")[:80]


@settings(max_examples=300, deadline=None)
@given(
    reply=st.text(st.sampled_from("yesno YES 12.,:;\n{}[]'\"\\`<>/k"), max_size=60) | st.text(), count=st.integers(1, 6)
)
def test_no_reply_breaks_the_reading_and_every_share_is_one_of_its_statements(reply, count):
    said = verdicts(reply, count)
    assert math.isnan(said.share) or said.share * count == pytest.approx(round(said.share * count))
    assert math.isnan(said.share) or (len(said.found) == count and 0 <= said.share <= 1)
    assert bool(said.error) == math.isnan(said.share)


@given(
    st.lists(st.booleans(), min_size=1, max_size=20), st.sampled_from(["numbered", "list", "lines", "json", "loose"])
)
def test_every_way_of_writing_gives_the_same_verdicts(truth, way):
    words = ["Yes" if one else "No" for one in truth]
    reply = {
        "numbered": " ".join(f"{n}. {word}." for n, word in enumerate(words, 1)),
        "list": ", ".join(words),
        "lines": "\n".join(words),
        "json": json.dumps({"verdicts": [{"verdict": word} for word in words]}),
        "loose": str([{"verdict": word, "reason": "it's so"} for word in words]),
    }[way]
    assert verdicts(reply, len(truth)).share == pytest.approx(sum(truth) / len(truth))


@settings(max_examples=200, deadline=None)
@given(truth=st.lists(st.booleans(), min_size=1, max_size=6), data=st.data())
def test_a_reply_that_is_cut_off_never_gains_a_verdict(truth, data):
    reply = json.dumps({"verdicts": [{"verdict": "yes" if one else "no", "reason": "so it is"} for one in truth]})
    cut = verdicts(reply[: data.draw(st.integers(0, len(reply)))], len(truth))
    assert math.isnan(cut.share) or cut.share == pytest.approx(sum(truth) / len(truth))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-99, 99) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_json_is_read_as_json(value):
    text = json.dumps([value])
    assert loads(text).value == json.loads(text)
    assert not loads(text).repaired


@pytest.mark.parametrize(
    ("text", "value", "complete"),
    [
        ("{'a': 1}", {"a": 1}, True),
        ("{a: yes}", {"a": "yes"}, True),
        ("[True, None, 1.5,]", [True, None, 1.5], True),
        ('["a\nb"]', ["a\nb"], True),
        ("['it's', 'x']", ["it's", "x"], True),
        (r"['a\'b\n']", ["a'b\n"], True),
        ('[1, 2, "thr', [1, 2], False),
        ('{"a": [1, {"b": "c"', {"a": [1, {"b": "c"}]}, False),
        ('{"a": 1, "b', {"a": 1}, False),
        ('{"a": 1, "b":', {"a": 1}, False),
        ("[1, 2", [1], False),  # the 2 may go on
    ],
)
def test_json_with_faults_is_mended(text, value, complete):
    loose = loads(text)
    assert loose.value == value
    assert loose.repaired
    assert loose.complete is complete


@pytest.mark.parametrize("text", ["{]", '{"a" "b"}', "[:", '{"a":}'])
def test_what_is_not_even_loosely_json_is_refused(text):
    with pytest.raises(NotJsonError):
        loads(text)


@pytest.mark.parametrize(
    "unit",
    ["[", "{'a':", "'", "1. ", "yes, ", "no ", "[1]", '{"v":1} ', " ", "```", "\\", "<think>", "answer: ", "['a' "],
)
def test_time_is_linear_in_replies_made_to_be_slow(unit):
    reply = unit * (190_000 // len(unit))
    begin = time.process_time()
    verdicts("['" + reply, 3)
    verdicts(reply, 3)
    assert time.process_time() - begin < 5
