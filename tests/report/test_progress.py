from __future__ import annotations

import io
import re

import pytest

from pipeline.report.progress import ConsoleReporter, speed


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Ticks:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_plain_lines_come_at_most_every_few_seconds_with_rate_and_time_left():
    stream, clock = io.StringIO(), Ticks()
    with ConsoleReporter(stream=stream, seconds=clock).stage("embed minilm 512", 1000) as progress:
        for _ in range(100):
            clock.now += 0.25
            progress.advance(10)
    # 40 a second: lines at 5, 10, 15 and 20 seconds, none for the end
    assert stream.getvalue().splitlines() == [
        "embed minilm 512  200 of 1,000  40/s  20 s left",
        "embed minilm 512  400 of 1,000  40/s  15 s left",
        "embed minilm 512  600 of 1,000  40/s  10 s left",
        "embed minilm 512  800 of 1,000  40/s  5.0 s left",
    ]


def test_quiet_says_nothing_about_stages_but_keeps_notes():
    stream = io.StringIO()
    reporter = ConsoleReporter(quiet=True, stream=stream)
    with reporter.stage("embed", 10) as progress:
        progress.advance(10)
    reporter.note("model x has no prompts")
    assert stream.getvalue() == "model x has no prompts\n"


def test_a_live_bar_leaves_nothing_behind(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with ConsoleReporter(stream=stream).stage("embed", 10) as progress:
        progress.advance(10)
    text = stream.getvalue()
    assert "embed" in text
    # what is left on screen: play the stream back, honouring carriage return, cursor up and erase line
    lines, row = [""], 0
    for token in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
        if token == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif token.endswith("A") and token.startswith("\x1b"):
            row -= int(re.findall(r"\d+", token)[0])
        elif token == "\x1b[2K":
            lines[row] = ""
        elif token != "\r" and not token.startswith("\x1b"):
            lines[row] = token
    assert "".join(lines).strip() == ""


def test_a_stage_ends_its_bar_when_the_work_raises(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()

    def work():
        with ConsoleReporter(stream=stream).stage("embed", 10):
            raise KeyError("x")

    with pytest.raises(KeyError):
        work()
    assert stream.getvalue().count("\x1b[?25l") == stream.getvalue().count("\x1b[?25h")  # the cursor is back


def test_markup_in_a_label_is_text(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with ConsoleReporter(stream=stream).stage("[red]x[/red]", 1) as progress:
        progress.advance(1)
    assert "[red]x[/red]" in stream.getvalue()


@pytest.mark.parametrize("rate, shown", [(None, ""), (0.44, "0.4/s"), (1234.0, "1,234/s")])
def test_speed(rate, shown):
    assert speed(rate) == shown
