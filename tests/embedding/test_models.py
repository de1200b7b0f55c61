from __future__ import annotations

import pytest

from pipeline.embedding.models import MODELS, kind_of, public_name, short_name
from pipeline.errors import SettingError


@pytest.mark.parametrize(
    "model, kind, name",
    [
        ("minilm", "short", "minilm"),
        ("wordllama_64", "short", "wordllama_64"),
        ("BAAI/bge-m3", "hub", "bge-m3"),
        ("BAAI/bge-m3@refs/pr/131", "hub", "bge-m3"),
        ("./my-model", "folder", "my-model"),
        ("~/models/mine/", "folder", "mine"),
        ("/data/café model", "folder", "café model"),
        ("../m", "folder", "m"),
        (r"C:\models\mine", "folder", "mine"),
    ],
)
def test_a_models_name_says_what_it_is(model, kind, name):
    assert (kind_of(model), short_name(model)) == (kind, name)


@pytest.mark.parametrize("model", ["minlm", "mini_lm", "MiniLM"])
def test_a_misspelt_short_name_lists_the_nearest(model):
    with pytest.raises(SettingError, match=r"nearest known: minilm"):
        kind_of(model)


@pytest.mark.parametrize("model", ["", "a/b/c", "my model", "http://x/y"])
def test_anything_else_is_refused_in_one_line(model):
    with pytest.raises(SettingError) as caught:
        kind_of(model)
    assert "\n" not in str(caught.value)
    assert "organisation/name" in str(caught.value)


def test_public_names_of_packaged_models_are_hub_names():
    assert {kind_of(public_name(model)) for model in MODELS} == {"hub"}
    assert public_name("BAAI/bge-m3@v1") == "BAAI/bge-m3"
