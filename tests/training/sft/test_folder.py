from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.training.sft.config import make_config
from emoharbor.training.sft.folder import FORMAT, TrainFolder, begin, steps_of
from tests.training.sft.made import write


def plan(**config: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "config": {"rank": 16, **config},
        "data": {"sha256": "ab", "train": 4, "validation": 0},
    }


def checkpoint(folder: TrainFolder, step: int, *, whole: bool = True) -> Path:
    path = folder.checkpoints / f"checkpoint-{step}"
    state = json.dumps({"global_step": step})
    write(path / "trainer_state.json", state if whole else state[:-3])
    return path


def test_a_run_begins_once_and_is_gone_on_with(tmp_path: Path) -> None:
    folder = TrainFolder(tmp_path / "out")
    assert begin(folder, plan(), resume=False) is False
    checkpoint(folder, 2)
    with pytest.raises(ConfigError, match="has not finished; go on with --resume, or name another"):
        begin(folder, plan(), resume=False)
    assert begin(folder, plan(), resume=True) is True


def test_what_left_no_checkpoint_is_begun_again_even_if_changed(tmp_path: Path) -> None:
    folder = TrainFolder(tmp_path)
    begin(folder, plan(), resume=False)
    checkpoint(folder, 2, whole=False)
    assert begin(folder, plan(rank=8), resume=False) is False
    written = folder.plan()
    assert written is not None and written["config"]["rank"] == 8


def test_another_config_or_other_data_cannot_be_gone_on_with(tmp_path: Path) -> None:
    folder = TrainFolder(tmp_path)
    begin(folder, plan(), resume=False)
    checkpoint(folder, 2)
    other = plan(rank=8)
    other["data"]["sha256"] = "cd"
    said = r"config.rank was 16, is 8; data.sha256 was 'ab', is 'cd'"
    with pytest.raises(ConfigError, match=said):
        begin(folder, other, resume=True)


def test_what_has_finished_stays_as_it_is(tmp_path: Path) -> None:
    folder = TrainFolder(tmp_path)
    folder.write_plan({**plan(), "result": {}})
    with pytest.raises(ConfigError, match="has finished; name another folder with -o"):
        begin(folder, plan(), resume=True)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "thesis.tex", "x")
    with pytest.raises(ConfigError, match="is not empty, and holds no training run"):
        begin(TrainFolder(tmp_path), plan(), resume=False)
    write(tmp_path / "training.json", '{"format": "x"}')
    with pytest.raises(ConfigError, match="training.json is not of the format"):
        begin(TrainFolder(tmp_path), plan(), resume=True)


def test_a_checkpoint_that_was_being_written_is_passed_over(tmp_path: Path) -> None:
    folder = TrainFolder(tmp_path)
    assert folder.last_checkpoint() is None
    kept = checkpoint(folder, 9)
    checkpoint(folder, 10, whole=False)
    (folder.checkpoints / "checkpoint-11").mkdir()
    assert folder.last_checkpoint() == (kept, 9)


@pytest.mark.parametrize(("examples", "steps"), [(50, 13), (52, 13), (53, 14), (1, 1), (4, 1)])
def test_how_many_steps_an_epoch_has(examples: int, steps: int) -> None:
    values = {"base": "b", "data": "d", "epochs": 1, "batch_size": 4, "accumulate": 1}
    assert steps_of(make_config(values, "x"), examples) == steps
    # Two batches a step, and the last one may be alone.
    more = {**values, "epochs": 2, "batch_size": 2, "accumulate": 2}
    assert steps_of(make_config(more, "x"), examples) == 2 * steps
