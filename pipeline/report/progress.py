"""What a person sees while an experiment runs: one live bar a long stage on a terminal, else a line now and then."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from pipeline.protocols import Progress
from pipeline.report.text import WIDTH, clean, duration, fit, labelled

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

EVERY = 5.0  # seconds between plain lines


@dataclass(frozen=True)
class ConsoleReporter:
    """A protocols.Reporter on standard error: results own standard output. A finished stage leaves nothing behind."""

    quiet: bool = False  # no stages; notes stay, because a person can act on them
    stream: TextIO | None = None  # None = sys.stderr as it is at that moment, so that notes pass above a live bar
    seconds: Callable[[], float] = time.monotonic

    @contextmanager
    def stage(self, label: str, total: int) -> Iterator[Progress]:
        """A bar with rate and time left, or plain lines where the stream is no terminal."""
        stream = self._stream()
        if self.quiet:
            yield _Silent()
        elif stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
            with _bars(stream) as bars:
                yield _Live(bars, bars.add_task(fit(clean(label), 28), total=total))
        else:
            yield _Lines(stream, fit(clean(label), 40), total, self.seconds)

    def note(self, text: str) -> None:
        """One line, wrapped at 80 columns."""
        stream = self._stream()
        for line in labelled("", text, 0):
            stream.write(line + "\n")
        stream.flush()

    def _stream(self) -> TextIO:
        return sys.stderr if self.stream is None else self.stream


@dataclass(frozen=True)
class _Silent:
    def advance(self, amount: int) -> None:
        del amount


@dataclass(frozen=True)
class _Live:
    bars: Bars
    task: TaskID

    def advance(self, amount: int) -> None:
        self.bars.advance(self.task, amount)


class _Lines:
    """At most one line every `EVERY` seconds, so that short stages say nothing."""

    def __init__(self, stream: TextIO, label: str, total: int, seconds: Callable[[], float]) -> None:
        self._stream, self._label, self._total, self._seconds = stream, label, total, seconds
        self._done = 0
        self._start = self._last = seconds()

    def advance(self, amount: int) -> None:
        self._done += amount
        now = self._seconds()
        if now - self._last < EVERY or self._done >= self._total:
            return
        self._last = now
        rate = self._done / (now - self._start)
        remaining = duration((self._total - self._done) / rate) if rate > 0 else "?"
        share = f"{self._done:,} of {self._total:,}"
        self._stream.write(f"{self._label}  {share}  {speed(rate)}  {remaining} left\n")
        self._stream.flush()


def speed(rate: float | None) -> str:
    """`1,234/s`, `0.4/s`; "" before anything is known."""
    if rate is None:
        return ""
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def _bars(stream: TextIO) -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(speed(task.speed))

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(16),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(compact=True),
    )
    return Bars(*columns, console=Console(file=stream, width=WIDTH), transient=True)
