"""The table of comparisons: both intervals where they fit, and never more than 80 columns."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pipeline.records import Comparison, Interval, JobRecord, Standing
from pipeline.report.against import comparison_lines
from pipeline.report.board import Row
from pipeline.report.cells import aligned, span

PLAIN, JOINT = Interval(0.051, 0.126), Interval(0.043, 0.134)
WORDS = ("better", "worse", "equivalent", "cannot tell")


def compared(name: str, *, verdict: str = "better", joint: Interval | None = JOINT, counts=(96, 81, 35)) -> Comparison:
    return Comparison("nDCG@10", "base", name, 212, 0.088, PLAIN, PLAIN, joint, 0.001, 0.001, "max_t", *counts,
                      verdict, None, None)  # fmt: skip


def lines_of(comparisons: list[Comparison], baseline: str = "base") -> list[str]:
    rows = [
        Row(n, JobRecord(n, c.treatment, "done", "", None, "", {}, (), {}, None, ""), {}, {}, {}, False, c, {})
        for n, c in enumerate(comparisons)
    ]
    cells = {c.treatment: (c.treatment,) for c in comparisons} | {baseline: (baseline,)}
    return comparison_lines(rows, cells, Standing("nDCG@10", baseline, "", (), (), {}, {}, {}))


def test_the_simultaneous_interval_stands_beside_the_plain_one() -> None:
    head, first, _, legend = lines_of([compared("hybrid-512"), compared("dense-512", joint=None)])
    assert "95 % interval  simultaneous" in head
    assert "[+.051,+.126]  [+.043,+.134]" in first
    assert head.index("simultaneous") == first.index("[+.043")
    assert legend == "simultaneous and p: for 2 comparisons at once (max_t)   + better"


def test_names_that_leave_no_room_for_it_stay_whole_and_the_legend_says_where_it_is() -> None:
    name = "hybrid-minilm-256-decay:0.3"
    lines = lines_of([compared(name), compared("dense-512")])
    assert "simultaneous" not in lines[0] and lines[1].startswith(f"{name} ")
    assert lines[-1] == "simultaneous intervals: comparisons.csv"
    bare = lines_of([compared(name, joint=None), compared("dense-512", joint=None)])
    assert "simultaneous" not in " ".join(bare), "there is nothing to look up"


def test_one_comparison_has_one_interval() -> None:
    assert "simultaneous" not in " ".join(lines_of([compared("hybrid-512")]))


def test_a_baseline_of_a_long_name_stands_whole_above_the_heads() -> None:
    # It was cut to `vs baseline  hybr…nilm-256`.
    for joint in (JOINT, None):
        rows = [compared("hybrid-512", joint=joint), compared("dense-512", joint=joint)]
        lines = lines_of(rows, baseline="hybrid-minilm-256-decay:0.3")
        assert lines[0] == "vs baseline  hybrid-minilm-256-decay:0.3"
        assert lines[1].split()[-2:] == ["w/t/l", "p"] and lines[1].startswith(" ")


def test_a_legend_of_all_marks_takes_two_lines() -> None:
    # It was one line of 84 columns.
    lines = lines_of([compared(f"e-{n}", verdict=word) for n, word in enumerate(WORDS)])
    assert lines[-2:] == [
        "simultaneous and p: for 4 comparisons at once (max_t)",
        "+ better  - worse  = equivalent  ? cannot tell",
    ]


def test_what_is_identical_is_not_called_equivalent() -> None:
    # Of two queries without a difference the legend once said that they are equivalent.
    same, close = compared("same", verdict="identical"), compared("close", verdict="equivalent")
    assert lines_of([same])[-1] == "= identical"
    assert lines_of([same, close])[-1].endswith("= equivalent or identical")
    assert lines_of([close, compared("b", verdict="too few queries differ")])[-1].endswith(
        "= equivalent  ? cannot tell"
    )


def test_long_names_are_cut_so_that_no_two_become_one() -> None:
    # Two rows of a leaderboard once read `hybrid-wordl…cay:0.2-365d`.
    names = ["hybrid-wordllama_64-256-decay:0.2-365d", "hybrid-wordllama_64-64-decay:0.2-365d", "bm25-64"]
    cut = aligned([(name,) for name in names], 25)
    assert len(set(cut)) == 3 and all(cell_len(name) <= 25 for name in cut)
    assert "-256-" in cut[0] and "-64-" in cut[1] and cut[2] == "bm25-64"
    assert aligned([(names[0],), (names[2],)], 25) == ["hybrid-wordl…cay:0.2-365d", "bm25-64"]


def test_an_interval_of_a_mean_that_reaches_below_0_keeps_to_13_columns() -> None:
    # It was cut to `[-0.00…0.174]`.
    assert span(Interval(-0.003, 0.174)) == "[-.003,0.174]"
    assert span(Interval(0.571, 0.652)) == "[0.571,0.652]"
    assert span(Interval(-0.051, 0.126), sign=True) == "[-.051,+.126]"
    assert max(len(span(Interval(low, 1.0))) for low in (-0.9996, -0.5, 0.0, -1.25)) <= 13


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60), min_size=1, max_size=4),
    st.integers(0, 99_999),
    st.booleans(),
)
def test_no_name_and_no_count_breaks_80_columns(names: list[str], count: int, joint: bool) -> None:
    given_names = [f"{n}{name}" for n, name in enumerate(names)]
    rows = [compared(name, joint=JOINT if joint else None, counts=(count, count, count)) for name in given_names]
    rows = [replace(c, verdict=WORDS[n % 4], note=names[0]) for n, c in enumerate(rows)]
    assert max(cell_len(line) for line in lines_of(rows, baseline=names[0])) <= 80
