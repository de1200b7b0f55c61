"""What docs/support.md says."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "support.md").read_text("utf-8")


def test_the_example_prints_what_the_page_says():
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    said = [line[2:] for line in code[1].splitlines() if line.startswith("# ")]
    ran = subprocess.run([sys.executable, "-c", code[1]], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == said


def test_the_sentence_about_negation_is_true():
    from pipeline.support import claim_of, source_of, support

    said = re.search(r'\("(.*?)" supports "(.*?)" by (0\.\d+)\)', PAGE)
    assert said is not None
    # drug, not, approved, use, children: 4 of 5 words; of the 4 pairs (approved use) and (use children)
    assert support(claim_of(said[2]), source_of(said[1])).score == pytest.approx((4 / 5 + 2 / 4) / 2)
    assert float(said[3]) == pytest.approx((4 / 5 + 2 / 4) / 2)
