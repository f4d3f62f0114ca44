"""The folder of a training run: what was planned, what was measured, and where to go on."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.training.sft.config import TrainConfig

FORMAT = "emoharbor-training-1"
_PREFIX = "checkpoint-"
# Written last into a checkpoint: one without it was being written when the run was killed.
_LAST_FILE = "trainer_state.json"


@dataclass(frozen=True)
class TrainFolder:
    """Paths of a run. `plan` is what was asked for and, once it is over, what came of it."""

    path: Path

    @property
    def plan_file(self) -> Path:
        """Config, data, base and versions; written before the first step."""
        return self.path / "training.json"

    @property
    def metrics_file(self) -> Path:
        """A line of measures for each step."""
        return self.path / "metrics.jsonl"

    @property
    def checkpoints(self) -> Path:
        """Where the run can go on from."""
        return self.path / "checkpoints"

    def plan(self) -> dict[str, Any] | None:
        """What training.json holds, None where there is none; ConfigError if it is broken."""
        try:
            values = json.loads(self.plan_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read {self.plan_file}: {error}") from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise ConfigError(f"{self.plan_file} is not of the format {FORMAT}")
        return values

    def write_plan(self, values: Mapping[str, Any]) -> None:
        """Puts `values` into training.json, in one go."""
        self.path.mkdir(parents=True, exist_ok=True)
        part = self.plan_file.with_suffix(".part")
        part.write_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        os.replace(part, self.plan_file)

    def last_checkpoint(self) -> tuple[Path, int] | None:
        """The newest whole checkpoint and its step."""
        found = [
            (int(folder.name.removeprefix(_PREFIX)), folder)
            for folder in self.checkpoints.glob(f"{_PREFIX}*")
            if folder.name.removeprefix(_PREFIX).isdigit()
        ]
        whole = ((folder, step) for step, folder in sorted(found, reverse=True))
        return next((each for each in whole if _is_whole(*each)), None)


def begin(folder: TrainFolder, plan: Mapping[str, Any], *, resume: bool) -> bool:
    """Makes the folder ready; True where an earlier run in it is to be gone on with.

    A run that left no checkpoint is begun again. Raises ConfigError where one did and `resume` is
    False, where it has finished, and where it was asked for something else.
    """
    earlier = folder.plan()
    if earlier is None:
        if folder.path.is_dir() and any(folder.path.iterdir()):
            raise ConfigError(f"{folder.path} is not empty, and holds no training run")
        folder.write_plan(plan)
        return False
    if "result" in earlier:
        raise ConfigError(f"{folder.path}: this training has finished; name another folder with -o")
    if folder.last_checkpoint() is None:
        folder.write_plan(plan)
        return False
    if not resume:
        raise ConfigError(
            f"{folder.path} holds a training run that has not finished; go on with --resume, "
            "or name another folder with -o"
        )
    if changed := _changes(earlier, plan):
        raise ConfigError(f"{folder.path}: cannot go on, this has changed: {'; '.join(changed)}")
    return True


def steps_of(config: TrainConfig, examples: int) -> int:
    """How many steps all epochs take; an epoch's last step may have fewer dialogues."""
    batches = math.ceil(examples / config.batch_size)
    return config.epochs * math.ceil(batches / config.accumulate)


def _is_whole(folder: Path, step: int) -> bool:
    try:
        state = json.loads((folder / _LAST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(state, dict) and state.get("global_step") == step


def _changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What a run that goes on must not have changed, in words."""
    found = []
    for part in ("config", "data"):
        old, new = then.get(part, {}), now[part]
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                found.append(f"{part}.{key} was {old.get(key)!r}, is {new.get(key)!r}")
    return found
