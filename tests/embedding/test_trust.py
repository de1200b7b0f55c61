from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from pipeline.embedding.sentence_transformer import SentenceTransformerEmbedder
from pipeline.errors import ModelError


def edit(path: Path, **changes) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def python_file(folder: Path, marker: Path) -> None:
    (folder / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Payload: pass\n")


def auto_map(folder: Path, marker: Path) -> None:
    edit(folder / "config.json", auto_map={"AutoModel": "evil.Payload"})


def foreign_class(folder: Path, marker: Path) -> None:
    listed = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([{**listed[0], "type": "evil.Payload"}, *listed[1:]]))


def pickled_weights(folder: Path, marker: Path) -> None:
    class Payload:
        def __reduce__(self):
            return (open, (str(marker), "w"))

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Payload()))


def pickle_in_a_module(folder: Path, marker: Path) -> None:
    (folder / "1_Pooling" / "pytorch_model.bin").write_bytes(b"x")


def foreign_activation(folder: Path, marker: Path) -> None:
    edit(folder / "1_Pooling" / "config.json", activation_function="evil.Payload")


def outside(folder: Path, marker: Path) -> None:
    listed = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([listed[0], {**listed[1], "path": "../elsewhere"}]))


PAYLOADS = [
    (python_file, "evil.py"),
    (auto_map, "config.json"),
    (foreign_class, "modules.json"),
    (pickled_weights, "pytorch_model.bin"),
    (pickle_in_a_module, "pytorch_model.bin"),
    (foreign_activation, "config.json"),
    (outside, "modules.json"),
]


# Wrong result users saw: the class named in modules.json was imported although trust_remote_code was False.
@pytest.mark.parametrize("plant, named", PAYLOADS, ids=[plant.__name__ for plant, _ in PAYLOADS])
def test_a_folder_with_foreign_code_is_refused_by_file_and_nothing_runs(plant, named, make_tiny, tmp_path, progress):
    folder, marker = make_tiny(), tmp_path / "marker"
    plant(folder, marker)
    embedder = SentenceTransformerEmbedder(model=str(folder))
    for use in (embedder.check, embedder.content, lambda: embedder.encode(["a"], "query", progress)):
        with pytest.raises(ModelError, match="trust_remote_code") as caught:
            use()
        assert named in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not marker.exists()


def test_a_clean_folder_passes_and_encodes(tiny, progress):
    embedder = SentenceTransformerEmbedder(model=str(tiny))
    embedder.check()
    assert np.linalg.norm(embedder.encode(["words"], "document", progress)) == pytest.approx(1, abs=1e-5)


def test_pickled_weights_beside_safetensors_are_never_read_and_do_not_count(make_tiny, progress):
    folder = make_tiny()
    before = SentenceTransformerEmbedder(model=str(folder)).content()
    (folder / "training_args.bin").write_bytes(b"not even a pickle")
    (folder / "README.md").write_text("words")
    embedder = SentenceTransformerEmbedder(model=str(folder))
    assert embedder.encode(["a cat"], "query", progress).shape == (1, 16)
    assert embedder.content() == before
