"""The table of what went wrong: a line a configuration, in 80 columns, with n and no verdict."""

from __future__ import annotations

from dataclasses import replace

from rich.cells import cell_len

from pipeline.citations import FAILURES, Failures, FailureTable, failure_table
from pipeline.report.failures import Failing, FailureView, failure_lines, failure_rows, failures_html, judged
from pipeline.report.files import write_report
from pipeline.report.terminal import EndView, render_end


def answers(*counts: tuple[int, str, str, bool]) -> FailureTable:
    """(how many, failures with commas, retrieval, citations good)."""
    made = [Failures(tuple(filter(None, names.split(", "))), r, good) for n, names, r, good in counts for _ in range(n)]
    return failure_table(made)


# 20 answers: 10 clean, of them 4 where nothing is to be found; 5 not retrieved (2 of them cite what is not there
# besides), 3 that only make an id up, 2 not judged that cite nothing
MIXED = answers(
    (6, "", "good", True),
    (4, "", "nothing to find", True),
    (3, "not retrieved", "bad", True),
    (2, "not retrieved, fabricated id", "bad", False),
    (3, "fabricated id", "good", False),
    (2, "nothing cited", "not judged", False),
)
CLEAN = answers((1200, "", "good", True))
VIEW = FailureView((Failing("good", CLEAN, 0), Failing("mixed", MIXED, 3)), one_file=False)


def text(view: FailureView, baseline: str = "mixed", names=None) -> list[str]:
    return failure_lines(view, names or {}, baseline)


def test_each_configuration_is_one_line_with_its_share_n_and_first_failures():
    head, good, mixed, *_ = text(VIEW)
    assert head.split() == ["answers", "clean", "n", "most", "frequent", "causes"]
    assert good.split() == ["good", "100.0%", "1,200"]
    # cause = the first failure: 5 of 20 not retrieved, 3 fabricated, 2 nothing cited
    assert " ".join(mixed.split()) == "mixed 50.0% 20 not retrieved 25%, fabricated id 15%, nothing cited 10%"


def test_four_fields_are_told_of_the_first_and_of_the_baseline():
    said = " ".join(" ".join(text(VIEW)).split())
    assert "good: retrieval good: citations 1,200 good, 0 bad; retrieval bad: 0 good, 0 bad" in said
    assert (
        "mixed: retrieval good: citations 6 good, 3 bad; retrieval bad: 3 good, 2 bad; nothing to find: 4 good, 0 bad;"
        " not judged: 0 good, 2 bad" in said
    )
    assert "retrieval good: citations 6 good" not in " ".join(text(VIEW, baseline="good"))


def test_where_nothing_differs_one_line_stands_for_all():
    # six configurations beside one file of answers were six equal lines, which looked like a ranking
    view = FailureView(tuple(Failing(name, MIXED, 3) for name in ("a", "b", "c")), one_file=True)
    _, only, *said = text(view, baseline="a")
    assert " ".join(only.split()) == "all 3 50.0% 20 not retrieved 25%, fabricated id 15%, nothing cited 10%"
    told = " ".join(" ".join(said).split())
    assert "they tell no configuration from another" in told and "retrieval good: citations 6 good" in told
    assert len(failure_rows(view)) == 3  # the files keep every configuration


def test_it_says_that_it_is_no_verdict_and_what_was_left_out():
    said = " ".join(" ".join(text(VIEW)).split())
    assert "description, no verdict" in said
    assert "left out: 3 answers to queries that the dataset does not have" in said
    assert "left out" not in " ".join(text(FailureView(VIEW.rows[:1], one_file=False)))


def test_one_file_beside_every_ranking_can_tell_one_thing_only():
    said = " ".join(" ".join(text(replace(VIEW, one_file=True))).split())
    assert "rankings can differ only in not retrieved (not found) against not in context" in said
    assert "The same answers" not in " ".join(text(VIEW))


def test_no_line_is_wider_than_80_columns_and_no_cause_is_cut():
    name = "hybrid-a-model-with-a-very-long-name-文字文字文字-512-prefix"
    rows = tuple(Failing(f"{name}{n}", MIXED if n < 29 else CLEAN, 0) for n in range(30))
    lines = text(FailureView(rows, one_file=True), baseline=rows[3].name)
    assert max(map(cell_len, lines)) <= 80
    assert "…  10 more in failures.csv" in lines
    for line in lines[1:21]:
        causes = line.partition("20  ")[2].split(", ")
        assert causes[0] == "not retrieved 25%" and all(cause.rpartition(" ")[0] in FAILURES for cause in causes)


def test_the_csv_has_every_count_and_they_add_up():
    row = failure_rows(VIEW)[1]
    assert (row["rank"], row["name"], row["answers"], row["without failure"]) == (2, "mixed", 20, 10)
    assert row["share without failure"] == 0.5 and row["unknown query"] == 3
    assert (row["fabricated id"], row["cause: fabricated id"]) == (5, 3)
    assert sum(row[f"cause: {name}"] for name in FAILURES) == 10
    assert sum(count for name, count in row.items() if name.startswith("retrieval ")) == 20


def test_the_page_shows_names_as_they_are_and_loads_nothing():
    page = failures_html(FailureView((Failing("<script>&", MIXED, 0),), one_file=False))
    assert "&lt;script&gt;&amp;" in page and "<script" not in page and "default-src 'none'" in page
    assert "<td>50.0%</td><td>not retrieved 25%, fabricated id 15%, nothing cited 10%</td>" in page
    assert "<td>6</td><td>3</td><td>3</td><td>2</td><td>4</td><td>0</td><td>0</td><td>2</td>" in page


def test_answers_without_judgements_are_no_failure_table():
    assert judged((Failing("a", MIXED, 0),))
    assert not judged((Failing("a", answers((9, "fabricated id", "not judged", False)), 0),))
    assert not judged((Failing("a", answers((9, "", "nothing to find", True)), 0),))


def test_the_end_of_a_sweep_shows_it_before_the_verdict_and_writes_it(drawn, tmp_path):
    sweep, standing = drawn
    view = EndView(sweep, standing, ("Ship it.",), failures=VIEW)
    shown = render_end(view)
    assert shown.index("most frequent causes") < shown.index("VERDICT  Ship it.")
    assert "most frequent causes" not in render_end(replace(view, failures=None))
    write_report(tmp_path, view)
    assert (tmp_path / "failures.csv").read_text("utf-8").count("\n") == 3
    assert (tmp_path / "failures.html").is_file() and "most frequent causes" in (tmp_path / "report.md").read_text()
    (tmp_path / "other").mkdir()
    write_report(tmp_path / "other", replace(view, failures=None))
    assert not list((tmp_path / "other").glob("failures.*"))
