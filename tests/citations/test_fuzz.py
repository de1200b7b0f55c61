"""Whatever a model writes: no crash, no lost text, no time without end."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.citations import Context, Settings, context_of, parse, read
from tests.citations.written import written

SIGNS = "[ ] [[ ]] ( ) 【 】 ［ ］ ` ``` ~~~ , ; - – . .. ^ : † 1 2 10 2024 a kb-1 doc_id ref: fn: Source: Title ¹ ²³ ⁻"
MORE = "<sup> </sup> <code> https://e.org/a ](http://x) \\ 、 。 ！ е́ 👍 ǅ ß [1] [2] ]-[ ]–[ kb-1 1. - :"
LIST = ["\n\nSources:\n", "\n## References\n[1] ", "\n\n[1] ", "\n[2]: ", "\n- "]
PIECES = st.sampled_from([*SIGNS.split(), *MORE.split(), *LIST, "\0", "\n", "\n\n"])
EVERY = Settings(("auto", "link", "paren_number", "bare_id"))
JOINED = st.lists(PIECES, max_size=60)
ANSWERS = st.one_of(st.text(max_size=200), JOINED.map("".join), JOINED.map(" ".join))
IDS = st.sampled_from(["a", "kb-1", "1", "2", "01", "x[1]", "s, t", "guide.pdf", "https://e.org/a"])
CONTEXTS = st.lists(IDS, max_size=6)
FORMS = st.sampled_from(["[{}]", "[fn:{}]", "[^{}]", "【{}】", "[doc_id d{}]"])


@settings(max_examples=600, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(ANSWERS, CONTEXTS, st.sampled_from([Settings(), EVERY]))
def test_every_occurrence_stands_in_the_text_and_no_text_is_lost(answer, ids, settings):
    context = context_of(ids, titles=["Title"] * len(ids))
    reading = read(answer, context, settings)
    assert "".join(answer[one.start : one.end] for one in reading.sentences) == answer
    for one in reading.occurrences:
        assert one.text == answer[one.start : one.end]
        assert one.cited == answer[one.cited_start : one.cited_end]
        assert one.start <= one.cited_start < one.cited_end <= one.end
        sentence = reading.sentences[one.sentence]
        assert sentence.start <= one.start < sentence.end
        assert (one.doc_id in ids) == (one.resolution in ("valid", "fuzzy"))
        assert (one.resolution == "ambiguous") == (len(one.candidates) > 1)
        assert one.resolution == "valid" or one.reason
    starts = [one.start for one in reading.occurrences]
    assert starts == sorted(starts)
    for one in reading.left_out:
        assert one.text == answer[one.start : one.end]
        inside = [x for x in reading.occurrences if one.start <= x.start < one.end]
        assert one.reason != "reference list" or not inside
    assert read(answer, context, settings) == reading


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=8),
    FORMS,
)
def test_marks_between_words_are_all_found(numbers, form):
    ids = [f"d{i}" for i in range(1, 6)]
    answer = " ".join(f"word {form.format(number)}." for number in numbers)
    cited = [f"d{number}" if number <= 5 else f"!{'d' if 'doc_id' in form else ''}{number}" for number in numbers]
    assert written(parse(answer, ids)) == cited


PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "long_answers.py"
spec = importlib.util.spec_from_file_location("long_answers", PATH)
long_answers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(long_answers)

WITHOUT_END = (
    1.0  # seconds; each kind takes below 0.05 on a free core (benchmarks/citations.py): no clock of a busy machine
)


@pytest.mark.parametrize("name", long_answers.LONG)
def test_no_answer_of_twenty_kilobytes_takes_time_without_end(name):
    answer = long_answers.LONG[name][:20_000]
    assert min(seconds_for(answer, long_answers.context()) for _ in range(2)) < WITHOUT_END


def test_ranges_over_a_large_context_are_all_read():
    # 20 kB hold 2,500 ranges of 300 documents, which are 750,000 citations: the answer is short, what it says is not
    context = context_of([f"d{i}" for i in range(300)])
    assert len(read("[1-300] " * 200, context).occurrences) == 60_000


def test_ids_in_prose_take_no_time_without_end_where_the_context_has_a_thousand():
    answer = "as kb-7 shows, kb-1000 and kb-99x do not, " * 480
    assert seconds_for(answer, context_of([f"kb-{i}" for i in range(1_000)]), Settings("bare_id")) < WITHOUT_END


def seconds_for(answer: str, context: Context, settings: Settings | None = None) -> float:
    before = time.process_time()
    read(answer, context, settings)
    return time.process_time() - before
