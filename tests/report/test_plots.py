from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from pipeline.records import Interval
from pipeline.report.files import write_report
from pipeline.report.plots import forest_html, forest_plot, forest_rows
from pipeline.report.terminal import EndView

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "$\\frac{", "javascript:alert(1)", "a\x00b"]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_rows_are_the_primary_measure_greatest_difference_first(fake):
    standing = fake.standing(fake.sweep())
    rows = forest_rows(standing)
    assert {row.measure for row in rows} == {"nDCG@10"}
    assert [row.difference for row in rows] == sorted((row.difference for row in rows), reverse=True)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_never_becomes_markup(fake, name):
    standing = fake.standing(fake.sweep())
    hostile = replace(standing, comparisons=(replace(standing.comparisons[0], treatment=name),), primary="nDCG@10")
    page = forest_html(hostile, [name])
    tags = Tags()
    tags.feed(page)
    assert tags.names <= {"html", "head", "meta", "title", "style", "body", "p", "svg", "text", "line", "circle"}
    assert not any(attribute.startswith("on") or attribute in ("href", "src") for attribute in tags.attributes)


def test_the_page_loads_nothing(fake):
    page = forest_html(fake.standing(fake.sweep()), [])
    assert "default-src 'none'" in page
    assert page.count("http") == 2  # http-equiv, and the name of the SVG namespace


def test_marks_stand_left_and_right_of_zero(fake):
    standing = fake.standing(fake.sweep())
    down = replace(standing.comparisons[0], difference=-0.1, treatment="down")
    up = replace(standing.comparisons[0], difference=0.1, treatment="up")
    page = forest_html(replace(standing, comparisons=(down, up)), [])
    zero = float(page.split('<line x1="')[1].split('"')[0])
    centres = [float(piece.split('"')[0]) for piece in page.split('<circle cx="')[1:]]
    assert centres[1] < zero < centres[0]  # greatest difference first


def test_the_simultaneous_interval_is_a_thin_line_under_the_thick_one_on_the_same_scale(fake):
    standing = fake.standing(fake.sweep())
    wide = replace(standing.comparisons[0], t_interval=Interval(0.1, 0.2), simultaneous_interval=Interval(0.05, 0.25))
    none = replace(wide, treatment="none", simultaneous_interval=None)
    page = forest_html(replace(standing, comparisons=(wide, none)), [])
    found = re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)"[^>]*stroke-width="(\d)"', page)
    (thin, thick, same, again) = [(float(low), float(high), width) for low, high, width in found]
    assert (thin[2], thick[2]) == ("1", "4")
    assert thin[1] - thin[0] == pytest.approx(2 * (thick[1] - thick[0]), abs=0.3)  # 0.2 wide and 0.1 wide
    assert thin[0] + thin[1] == pytest.approx(thick[0] + thick[1], abs=0.3)
    assert same[:2] == again[:2]
    assert "95 % interval (thick), simultaneous (thin); right of 0 = better" in page
    alone = forest_html(replace(standing, comparisons=(wide,)), [])
    assert "95 % interval; right of 0 = better" in alone


@pytest.mark.parametrize("count", [0, 1])
def test_a_figure_of_hostile_or_missing_rows_is_written(tmp_path, fake, count):
    standing = fake.standing(fake.sweep())
    rows = (replace(standing.comparisons[0], treatment="$\\frac{日本 _^"),)[:count]
    forest_plot(replace(standing, comparisons=rows), tmp_path / "forest.png")
    assert (tmp_path / "forest.png").read_bytes().startswith(b"\x89PNG")


def test_the_report_says_the_verdict_first(tmp_path, fake):
    sweep = fake.sweep()
    write_report(tmp_path, EndView(sweep, fake.standing(sweep), ("Ship hybrid_x over *bm25*.",)))
    assert (tmp_path / "report.md").read_text().splitlines()[2] == r"- Ship hybrid\_x over \*bm25\*."
    assert {file.name for file in tmp_path.iterdir()} == {
        "leaderboard.csv", "comparisons.csv", "choosing.csv", "tuned.csv",
        "forest.png", "forest_small.png", "forest.html", "report.md",
    }  # fmt: skip


def test_without_comparisons_there_is_no_figure(tmp_path, fake):
    write_report(tmp_path, EndView(fake.sweep(), None))
    assert {file.name for file in tmp_path.iterdir()} == {"leaderboard.csv", "report.md"}
