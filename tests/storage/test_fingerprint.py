"""Keys: every relevant setting changes them, nothing else does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from pipeline.storage import fingerprint as module
from pipeline.storage.fingerprint import fingerprint, stage_key


@dataclass(frozen=True)
class Inner:
    size: int = 1
    VERSION: ClassVar[int] = 1


@dataclass(frozen=True)
class Outer:
    inner: Inner = Inner()
    rate: float = 0.5
    folder: str = "here"
    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)
    irrelevant: ClassVar[frozenset[str]] = frozenset({"folder"})


@dataclass(frozen=True)
class Weights:
    name: str = "m"
    digest: str = "a"
    irrelevant: ClassVar[frozenset[str]] = frozenset({"digest"})

    def content(self) -> str:
        return self.digest


def test_equal_settings_have_equal_keys_and_the_order_of_a_mapping_does_not_matter() -> None:
    assert fingerprint(Outer()) == fingerprint(Outer(inner=Inner(1)))
    assert fingerprint({"a": 1, "b": [1, 2]}) == fingerprint({"b": (1, 2), "a": 1})


@pytest.mark.parametrize("changed", [Outer(rate=0.25), Outer(inner=Inner(2))])
def test_every_relevant_field_changes_the_key_also_below(changed: Outer) -> None:
    assert fingerprint(changed) != fingerprint(Outer())


def test_a_field_declared_irrelevant_does_not_change_the_key() -> None:
    assert fingerprint(Outer(folder="elsewhere")) == fingerprint(Outer())


def test_one_is_not_true_and_not_text() -> None:
    assert len({fingerprint(1), fingerprint(True), fingerprint("1"), fingerprint(1.0)}) == 4


def test_the_content_of_a_model_changes_the_key_though_its_settings_are_equal() -> None:
    # Two models of one name and other weights once got each other's stored vectors.
    assert fingerprint(Weights(digest="a")) != fingerprint(Weights(digest="b"))


def test_a_raised_version_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(Outer())
    monkeypatch.setattr(Outer, "VERSION", 2)
    assert fingerprint(Outer()) != before


def test_another_version_of_a_library_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(Outer())
    monkeypatch.setattr(module, "library_version", lambda name: "99.0")
    assert fingerprint(Outer()) != before


def test_what_has_no_stable_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"PosixPath|WindowsPath"):
        fingerprint(Path("x"))


def test_a_stage_key_starts_with_its_stage_and_two_stages_never_share_one() -> None:
    assert stage_key("tokens", 1).startswith("tokens-")
    assert stage_key("tokens", 1).partition("-")[2] != stage_key("chunks", 1).partition("-")[2]
