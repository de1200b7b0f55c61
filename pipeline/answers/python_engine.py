"""Patterns in Python's own syntax (lookaround, back references), run in a worker that is ended on a time limit."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pipeline.citations.patterns import Place, check_length, shortened
from pipeline.errors import EnvironmentFault, SettingError

_WORKER = r"""
import json, re, sys
compiled = None
for line in sys.stdin:
    try:
        asked = json.loads(line)
        if "regex" in asked:
            compiled = re.compile(asked["regex"])
            said = {"groups": compiled.groups, "named": "id" in compiled.groupindex}
        else:
            group = asked["group"]
            said = {"places": [[*m.span(), *m.span(group)] for m in compiled.finditer(asked["text"])]}
    except re.error as error:
        said = {"error": str(error)}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
"""


@dataclass(frozen=True)
class PythonPattern:
    """A regular expression for the `re` module; anything that takes longer than `seconds` an answer is refused."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"seconds", "_worker"})

    regex: str
    name: str = "pattern"
    seconds: float = 1.0  # a pattern either finds its matches at once or not at all
    _worker: _Worker = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Starts the worker and compiles the pattern in it."""
        check_length(self.regex)
        if not 0 < self.seconds <= 60:
            raise SettingError(f"citations pattern seconds={self.seconds}: expected more than 0, at most 60")
        object.__setattr__(self, "_worker", _Worker(self.regex, self.seconds))

    def places(self, text: str) -> Sequence[Place]:
        """Matches in text order; SettingError naming the pattern where it takes too long."""
        return self._worker.places(text)


class _Worker:
    """A process that matches; started again after it was ended."""

    def __init__(self, regex: str, seconds: float) -> None:
        self._regex = regex
        self._seconds = seconds
        self._group: int | str = 1
        self._process: subprocess.Popen[str] | None = None
        self._start()

    def places(self, text: str) -> list[Place]:
        if self._process is None:
            self._start()
        said = self._ask({"text": text, "group": self._group}, self._seconds)
        return [Place(*place) for place in said["places"] if place[2] >= 0 and place[2] < place[3]]

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise EnvironmentFault(f"the worker for a citations pattern cannot start: {error.strerror}") from error
        said = self._ask({"regex": self._regex}, 10.0)
        if "error" in said:
            self.close()
            raise SettingError(f"citations pattern {shortened(self._regex)}: {said['error']}")
        if not said["named"] and said["groups"] != 1:
            self.close()
            raise SettingError(
                f"citations pattern {shortened(self._regex)}: {said['groups']} groups and none is named id"
            )
        self._group = "id" if said["named"] else 1

    def _ask(self, question: dict[str, object], seconds: float) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise EnvironmentFault("the worker for a citations pattern is not running")
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            ready, _, _ = select.select([process.stdout], [], [], seconds)
            line = process.stdout.readline() if ready else ""
        except OSError as error:
            self.close()
            raise EnvironmentFault(f"the worker for a citations pattern ended: {error.strerror}") from error
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self.close()
        raise SettingError(
            f"citations pattern {shortened(self._regex)}: no result within {seconds} s on one answer;"
            " write it without nested repeats, or for the default engine"
        )

    def close(self) -> None:
        """Ends the worker."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None

    def __del__(self) -> None:
        self.close()
