from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from emoharbor.training.sft.metrics import Metrics, draw, losses, summary


def measured(path: Path) -> Metrics:
    metrics = Metrics(path / "metrics.jsonl")
    for step in range(1, 7):
        metrics.add({"step": step, "loss": 3.0 - step / 4})
    metrics.add({"step": 6, "eval_loss": 1.7})
    return metrics


def test_lines_come_back(tmp_path: Path) -> None:
    lines = measured(tmp_path).read()
    assert losses(lines)[:2] == [(1, 2.75), (2, 2.5)]
    assert losses(lines, "eval_loss") == [(6, 1.7)]
    assert Metrics(tmp_path / "none.jsonl").read() == []


def test_first_and_last_are_means_that_share_no_step(tmp_path: Path) -> None:
    lines = measured(tmp_path).read()
    assert summary(lines, 2) == {"first": 2.625, "last": 1.625, "validation": 1.7}
    assert summary(lines, 10) == {"first": 2.5, "last": 1.75, "validation": 1.7}
    assert summary(lines[:1], 10) == {"first": 2.75, "last": 2.75}
    assert summary([], 10) == {}


def test_what_comes_after_the_checkpoint_is_measured_again(tmp_path: Path) -> None:
    metrics = measured(tmp_path)
    metrics.cut_after(4)
    assert [line["step"] for line in metrics.read()] == [1, 2, 3, 4]


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    metrics = measured(tmp_path)
    with metrics.path.open("a") as file:
        file.write('{"step": 7, "lo')
    assert len(metrics.read()) == 7
    metrics.cut_after(7)
    metrics.add({"step": 7, "loss": 1.0})
    assert metrics.read()[-1] == {"step": 7, "loss": 1.0}


def test_a_picture_of_the_losses(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw(measured(tmp_path).read(), tmp_path / "loss.png")
    with Image.open(tmp_path / "loss.png") as picture:
        colours = picture.convert("RGB").getcolors(2**20)
    assert colours is not None and len(colours) > 20
