from __future__ import annotations

from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.training.sft.config import load_config, make_config
from tests.training.sft.made import write

LEAST = {"base": "org/model", "data": "dialogues"}


def test_defaults_are_those_of_the_paper() -> None:
    config = make_config(LEAST, "x.yaml")
    assert (config.learning_rate, config.epochs, config.rank, config.alpha) == (2e-4, 3, 16, 32)


def test_a_file_is_read(tmp_path: Path) -> None:
    # YAML 1.1 takes 1e-4 for a text.
    path = write(tmp_path / "x.yaml", "base: org/model\ndata: d\nlearning_rate: 1e-4\nrank: 8\n")
    config = load_config(path)
    assert (config.learning_rate, config.rank, config.data) == (1e-4, 8, Path("d"))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"learning_rte": 1}, "x.yaml: unknown key 'learning_rte'; did you mean 'learning_rate'"),
        ({"rank": 0}, r"x.yaml: rank: .*greater than or equal to 1 \(given: 0\)"),
        ({"base": ""}, "x.yaml: base: "),
        ({"precision": "fp8"}, "x.yaml: precision: .*'bf16'"),
        ({"dropout": 1}, "x.yaml: dropout: "),
    ],
)
def test_what_is_wrong_is_named(more: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make_config({**LEAST, **more}, "x.yaml")


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ConfigError, match="x.yaml: 'data' is missing"):
        make_config({"base": "org/model"}, "x.yaml")


def test_what_changes_nothing_learnt_is_left_out() -> None:
    one = make_config({**LEAST, "threads": 1, "output": "a", "save_every": 1}, "x.yaml")
    other = make_config({**LEAST, "gradient_checkpointing": True}, "x.yaml")
    assert one.shaping() == other.shaping()
    assert one.shaping() != make_config({**LEAST, "seed": 1}, "x.yaml").shaping()
