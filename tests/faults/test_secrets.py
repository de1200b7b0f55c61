"""A secret has no knob. What looks like one is refused before anything is written, and stands nowhere afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whole import common, run

CANARY = "sk-test-CANARY"
LITERAL = {
    "a key of a provider": "provider.api_key=",
    "added": "+provider.api_key=",
    "a token of a model": "embedding.token=",
    "a password of the store": "+tracking.password=",
    "a secret at the top": "client_secret=",
}
ADDRESSES = {
    "user and password": f"tracking.uri=http://bob:{CANARY}@127.0.0.1:9/store",
    "a quoted one": f'tracking.uri="http://bob:{CANARY}@127.0.0.1:9/store"',
    "a token in the query": f'tracking.uri="http://127.0.0.1:9/?token={CANARY}"',
    "a database": f"tracking.uri=postgresql+psycopg://bob:{CANARY}@127.0.0.1:9/runs",
    "unquoted, which the grammar refuses": f"tracking.uri=http://127.0.0.1:9/?token={CANARY}",
}


def files_with(secret: str) -> list[Path]:
    return [path for path in Path().rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


@pytest.mark.parametrize("multirun", [(), ("-m",)], ids=["run", "sweep"])
@pytest.mark.parametrize("knob", LITERAL.values(), ids=LITERAL)
def test_a_knob_for_a_secret_is_refused_without_its_value(
    place: Path, knob: str, multirun: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*common(place, *multirun, f"{knob}{CANARY}")) == 2
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    assert not files_with(CANARY) and not Path("outputs/sweeps").exists() and not Path("outputs/runs").exists()


@pytest.mark.parametrize("multirun", [(), ("-m",)], ids=["run", "sweep"])
@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_with_a_password_is_refused_and_stands_nowhere(
    place: Path, address: str, multirun: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [item for item in common(place, *multirun, "retriever=bm25") if item != "tracking=none"]
    assert run(*given, address) == 2
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err
    assert "MLFLOW_TRACKING_" in said.err
    assert said.err.count("\n") == 1
    assert not files_with(CANARY) and not Path("outputs").exists()


def test_an_exported_address_is_used_and_its_password_stands_nowhere(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://bob:{CANARY}@127.0.0.1:9/store")
    given = [item for item in common(place, "retriever=bm25") if item != "tracking=none"]
    assert run(*given) == 3
    said = capsys.readouterr()
    assert "http://bob:***@127.0.0.1:9/store" in said.err
    assert CANARY not in said.out + said.err
    assert not files_with(CANARY)
