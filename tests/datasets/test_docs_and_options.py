"""What the documentation and the YAML options say is what the code does."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
import yaml

from pipeline.datasets.beir import Beir
from pipeline.datasets.beir_files import DATE_FIELDS
from pipeline.datasets.files import Files
from pipeline.datasets.trec import Trec

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("source", [Beir, Files, Trec])
def test_an_option_has_exactly_the_fields_of_its_source_with_their_defaults(source):
    option = yaml.safe_load((ROOT / "conf" / "dataset" / f"{source.__name__.lower()}.yaml").read_text(encoding="utf-8"))
    assert option.pop("_target_") == f"{source.__module__}.{source.__name__}"
    fields = {field.name: field.default for field in dataclasses.fields(source)}
    assert set(option) == set(fields)
    assert option.pop("strict") == "${oc.select:strict,false}"  # the sweep's own knob
    assert option == {name: "" if fields[name] is dataclasses.MISSING else fields[name] for name in option}


def test_the_first_example_of_the_docs_works(tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "reset.md").write_text("Hold the button.")
    (tmp_path / "refunds.txt").write_text("You get your money back within 14 days.")
    (tmp_path / "questions.csv").write_text(DOCS.split("```\n")[1])
    counts = Files(str(tmp_path), "questions.csv").load().counts
    assert (counts["queries"], counts["judgements"], counts["spans"]) == (2, 2, 1)


def test_the_docs_list_the_date_fields_in_their_order():
    listed = re.search(r"`(timestamp,[^`]*)`", DOCS)
    assert listed is not None
    assert tuple(re.split(r",\s+", listed[1])) == DATE_FIELDS
