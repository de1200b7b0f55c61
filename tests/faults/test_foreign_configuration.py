"""A configuration folder from elsewhere runs nothing: Hydra calls what it names before any code of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whole import common, run

FILES = {
    "a callback": "hydra:\n  callbacks:\n    x: {_target_: builtins.open, file: marker, mode: w}\n",
    "a callback by a method": "hydra:\n  callbacks:\n    x: {_target_: pathlib.Path.touch, self: marker}\n",
    "a log handler": "hydra:\n  job_logging:\n    version: 1\n"
    "    handlers:\n      x: {(): builtins.open, file: marker}\n"
    "    root: {handlers: [x]}\n",
    "a launcher": "hydra:\n  launcher: {_target_: os.system, command: touch marker}\n",
    "a sweeper": "hydra:\n  sweeper: {_target_: os.system, command: touch marker}\n",
    "a component": "retriever: {_target_: subprocess.Popen, args: [touch, marker]}\n",
    "within a list": "stats:\n  - {_target_: os.system, command: touch marker}\n",
    "a target from the environment": "retriever: {_target_: '${oc.env:HOME}', command: touch marker}\n",
    "another folder": "hydra:\n  searchpath: [file:///tmp]\n",
    "a dotted key": "hydra.callbacks.x._target_: os.system\n",
}


@pytest.mark.parametrize("flag", ["--config-dir", "-cd"])
@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_it_is_refused_by_file_and_key_and_nothing_ran(
    place: Path, content: str, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("theirs/experiment/evil.yaml")
    path.parent.mkdir(parents=True)
    path.write_text("# @package _global_\n" + content)
    assert run(flag, "theirs", *common(place, "experiment=evil")) == 2
    said = capsys.readouterr()
    assert str(path) in said.err and said.err.count("\n") == 1
    assert not Path("marker").exists() and not Path("outputs").exists()


def test_a_folder_of_settings_is_used(place: Path) -> None:
    path = Path("mine/experiment/small.yaml")
    path.parent.mkdir(parents=True)
    path.write_text("# @package _global_\nchunk_size: 24\nretriever: {_target_: pipeline.retrieval.bm25.Bm25}\n")
    assert run("--config-dir", "mine", *common(place, "experiment=small", "retriever=bm25")) == 0


def test_a_folder_behind_a_link_is_read_as_hydra_reads_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Hydra followed the link and called what stood behind it; the check had looked at true folders alone.
    hidden = Path("elsewhere")
    hidden.mkdir()
    (hidden / "evil.yaml").write_text("# @package _global_\n" + FILES["a component"])
    Path("theirs").mkdir()
    Path("theirs/experiment").symlink_to(hidden.absolute())
    Path("theirs/experiment/round").symlink_to(Path("theirs").absolute())  # a loop ends
    assert run("--config-dir", "theirs", *common(place, "experiment=evil")) == 2
    assert "theirs/experiment/evil.yaml" in capsys.readouterr().err
    assert not Path("marker").exists() and not Path("outputs").exists()
