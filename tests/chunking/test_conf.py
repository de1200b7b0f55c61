"""The options on disk and the classes say the same."""

from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from pipeline.tokenizing import tokenizer

OPTIONS = sorted((Path(__file__).parents[2] / "conf" / "chunker").glob("*.yaml"))


def test_there_is_an_option_for_every_chunker():
    assert [option.stem for option in OPTIONS] == ["document", "recursive", "sentences", "token_window"]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.stem)
def test_keys_are_the_fields_and_the_option_makes_a_chunker(option):
    settings = yaml.safe_load(option.read_text(encoding="utf-8"))
    module, _, name = settings.pop("_target_").rpartition(".")
    component = getattr(import_module(module), name)
    assert list(settings) == [field.name for field in fields(component)]
    assert settings | {"size": "${chunk_size}", "overlap": "${chunk_overlap}", "tokenizer": "minilm"} == settings
    made = component(**settings | {"size": 9, "overlap": 2, "tokenizer": tokenizer(settings["tokenizer"])})
    text = "One two three. " * 5
    chunks = made.cut([text], made.tokenizer.offsets([text]))
    assert len(chunks.doc) == (1 if option.stem == "document" else 3)
