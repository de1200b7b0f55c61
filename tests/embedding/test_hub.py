from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pipeline.embedding.sentence_transformer import SentenceTransformerEmbedder
from pipeline.errors import ModelError

ASK = """
import sys, time, huggingface_hub
from pipeline.embedding.sentence_transformer import SentenceTransformerEmbedder
from pipeline.errors import ModelError
start = time.monotonic()
try:
    SentenceTransformerEmbedder(model="BAAI/bge-m3").check()
except ModelError as error:
    print(f"{time.monotonic() - start:.2f}")
    print(error)
"""


def ask(tmp_path, endpoint: str) -> tuple[float, str]:
    """(seconds, message) of asking a hub at `endpoint`, in a process that may go online."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    }
    environment |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path / "hub"), "NO_PROXY": "*", "no_proxy": "*"}
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    seconds, message = done.stdout.strip().split("\n")
    return float(seconds), message


@pytest.fixture
def silent_port():
    """A server that takes connections and never answers."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield server.getsockname()[1]


def test_a_hub_that_is_not_there_is_one_line_within_five_seconds(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    seconds, message = ask(tmp_path, f"http://127.0.0.1:{port}")
    assert seconds < 5
    assert "cannot be reached" in message and "BAAI/bge-m3" in message and "./folder" in message


def test_a_hub_that_never_answers_is_one_line_within_five_seconds(tmp_path, silent_port):
    seconds, message = ask(tmp_path, f"http://127.0.0.1:{silent_port}")
    assert seconds < 5
    assert "cannot be reached" in message


class Hub(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if "bge-m3" in self.path:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"siblings": [{"rfilename": "pytorch_model.bin"}]}).encode())
        else:
            self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(monkeypatch):
    """A hub on this machine that has one model, with pickled weights only."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("NO_PROXY", "*")
        yield
        server.shutdown()


def test_a_model_that_the_hub_does_not_have_is_one_line(hub):
    with pytest.raises(ModelError, match=r"nobody/nothing.*HTTP 404.*check the name"):
        SentenceTransformerEmbedder(model="nobody/nothing").check()


def test_a_model_without_safetensors_is_refused_before_anything_is_downloaded(hub):
    with pytest.raises(ModelError, match=r"no safetensors.*BAAI/bge-m3@refs/pr/N"):
        SentenceTransformerEmbedder(model="BAAI/bge-m3").check()
    SentenceTransformerEmbedder(model="BAAI/bge-m3", trust_remote_code=True).check()


@pytest.mark.parametrize("offline, why", [("auto", "HF_HUB_OFFLINE"), ("always", "embedding.offline=always")])
def test_a_forbidden_hub_is_not_asked_at_all(offline, why, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    start = time.monotonic()
    with pytest.raises(ModelError, match=why) as caught:
        SentenceTransformerEmbedder(model="nobody/nothing", offline=offline).check()
    assert "\n" not in str(caught.value)
    assert time.monotonic() - start < 5
