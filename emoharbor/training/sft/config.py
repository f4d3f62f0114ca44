"""What is trained, on what and how: the YAML file of `emoharbor train sft`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from emoharbor.errors import ConfigError, nearest
from emoharbor.models.hf_libraries import Precision
from emoharbor.state.profile import Frozen
from emoharbor.suite import read_yaml

Count = Annotated[int, Field(ge=1)]


class TrainConfig(Frozen):
    """A file of `emoharbor train sft`. Paths are relative to where the command is called.

    `base` is a folder or a name on the hub, `data` a JSONL file, or a folder with train.jsonl and
    maybe validation.jsonl. A step is an update of the weights, from `batch_size` times `accumulate`
    dialogues. `max_length` is in tokens. `warmup` is a share of all steps. What is learnt
    does not depend on `threads`, `save_every` (steps) and `gradient_checkpointing`, which saves
    memory and costs time.
    """

    base: Annotated[str, Field(min_length=1)]
    data: Path
    output: Path | None = None
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 2e-4
    epochs: Annotated[int, Field(ge=1, le=1000)] = 3
    batch_size: Count = 4
    accumulate: Count = 4
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.03
    max_length: Annotated[int, Field(ge=8)] = 4096
    rank: Annotated[int, Field(ge=1, le=1024)] = 16
    alpha: Count = 32
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.05
    precision: Precision = "auto"
    gradient_checkpointing: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    save_every: Count = 50
    threads: Count | None = None

    def shaping(self) -> dict[str, Any]:
        """What decides what is learnt, as JSON: a run that goes on must have all of it the same."""
        free = {"data", "output", "save_every", "threads", "gradient_checkpointing"}
        return self.model_dump(mode="json", exclude=free)


def load_config(path: Path) -> TrainConfig:
    """The config in a YAML file; ConfigError names the key that is wrong, and the nearest known."""
    return make_config(read_yaml(path), str(path))


def make_config(values: Mapping[str, Any], source: str) -> TrainConfig:
    """The config of a file's `values`; `source` names the file in errors."""
    try:
        return TrainConfig.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "extra_forbidden":
            near = nearest(key, TrainConfig.model_fields)
            raise ConfigError(f"{source}: unknown key '{key}'{near}") from error
        if fault["type"] == "missing":
            raise ConfigError(f"{source}: '{key}' is missing") from error
        given = fault["input"]
        raise ConfigError(f"{source}: {key}: {fault['msg']} (given: {given!r})") from error
