"""`emoharbor train`, as far as it goes without torch: every mistake is told before it is wanted."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.here import emoharbor
from tests.training.sft.made import line, write

without_torch = pytest.mark.skipif(
    find_spec("torch") is not None, reason="torch is installed here; make train-smoke trains"
)


def config(folder: Path, **more: object) -> str:
    values = {"base": "org/model", "data": folder / "train.jsonl", **more}
    text = "".join(f"{key}: {value}\n" for key, value in values.items())
    return str(write(folder / "sft.yaml", text))


def failed(*args: str) -> str:
    done = emoharbor("train", *args)
    assert done.returncode == 2, done.stdout + done.stderr
    return " ".join(done.stderr.split())


def test_a_config_that_is_wrong(tmp_path: Path) -> None:
    said = failed("sft", config(tmp_path, epoch=3), "-o", str(tmp_path / "out"))
    assert "unknown key 'epoch'; did you mean 'epochs'?" in said
    assert "cannot read" in failed("sft", str(tmp_path / "none.yaml"))


def test_a_place_for_the_adapter_is_wanted(tmp_path: Path) -> None:
    assert "name the adapter's folder with -o FOLDER" in failed("sft", config(tmp_path))


def test_data_that_is_wrong(tmp_path: Path) -> None:
    out = ("-o", str(tmp_path / "out"))
    assert "there is no file or folder" in failed("sft", config(tmp_path), *out)
    write(tmp_path / "train.jsonl", line() + '{"conversations": []}\n')
    assert "train.jsonl:2: this is of another format" in failed("sft", config(tmp_path), *out)
    assert not (tmp_path / "out").exists()


@without_torch
def test_what_to_install_is_said(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", line())
    said = failed("sft", config(tmp_path), "-o", str(tmp_path / "out"))
    assert "torch cannot be imported" in said and "pip install 'emoharbor[train]'" in said


def test_only_an_adapter_is_merged(tmp_path: Path) -> None:
    said = failed("merge", str(tmp_path), "-o", str(tmp_path / "out"))
    assert "holds no adapter_config.json, so no adapter" in said
