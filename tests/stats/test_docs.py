"""The worked example of docs/statistics.md prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"


def test_the_worked_example_prints_what_the_page_shows():
    code, shown = (
        re.search(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL).group(1) for kind in ("python", "text")
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(PAGE), "exec"), {})
    assert printed.getvalue() == shown
