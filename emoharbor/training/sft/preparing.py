"""Everything that can be known to be wrong before a model is loaded, and what training needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.models.hf_libraries import Device, library, pick_device
from emoharbor.models.hf_model import load_tokenizer
from emoharbor.models.hf_places import base_of
from emoharbor.training.sft.config import TrainConfig
from emoharbor.training.sft.dialogues import read_data
from emoharbor.training.sft.encoding import Encoded, encode
from emoharbor.training.sft.folder import FORMAT, steps_of
from emoharbor.training.sft.room import check_memory, free_memory, parameters_of

_LIBRARIES = ("torch", "transformers", "peft", "trl", "datasets", "accelerate", "psutil")
# Who is told what happens, in lines.
Say = Callable[[str], None]


@dataclass(frozen=True)
class Ready:
    """What a training needs. `validation` is None where there is none; `plan` is for the folder."""

    config: TrainConfig
    base: str
    device: Device
    tokenizer: Any
    train: Encoded
    validation: Encoded | None
    plan: dict[str, Any]

    @property
    def steps(self) -> int:
        """How many updates of the weights there will be."""
        return steps_of(self.config, len(self.train.examples))

    def counts(self) -> dict[str, dict[str, int]]:
        """The figures of each set of dialogues."""
        sets = {"train": self.train, "validation": self.validation}
        return {name: encoded.counts() for name, encoded in sets.items() if encoded}


def prepare(config: TrainConfig, say: Say) -> Ready:
    """Reads and checks all of it; `say` gets what was cut. Raises ConfigError."""
    data = read_data(config.data)
    for name in (*_LIBRARIES, "matplotlib"):
        library(name)
    base, device = base_of(config.base, "base"), pick_device(config.precision)
    if device.name == "cuda" and (many := library("torch").cuda.device_count()) > 1:
        raise ConfigError(f"one of {many} GPUs is used: choose it, as in CUDA_VISIBLE_DEVICES=0")
    parameters = parameters_of(base)
    check_memory(base, parameters, device, free_memory(device))
    tokenizer = load_tokenizer(base, base)
    train = encode(data.train, tokenizer, config.max_length)
    checked = encode(data.validation, tokenizer, config.max_length) if data.validation else None
    ready = Ready(config, base, device, tokenizer, train, checked, {})
    ready.plan.update(
        format=FORMAT,
        config=config.shaping(),
        data={"sha256": data.sha256, **data.counts()},
        parameters=parameters,
        versions={name: version(name) for name in _LIBRARIES[:4]},
    )
    for name, counts in ready.counts().items():
        _tell(say, name, counts, config.max_length)
    return ready


def _tell(say: Say, name: str, counts: dict[str, int], longest: int) -> None:
    say(
        f"{name}: {counts['dialogues']} dialogues, {counts['tokens']:,} tokens, "
        f"{counts['learnt_tokens']:,} of them the supporter's"
    )
    if counts["cut"] or counts["left_out"]:
        say(
            f"{name}: over max_length ({longest}): {counts['cut']} dialogues shortened by "
            f"{counts['tokens_cut']:,} tokens in all, {counts['left_out']} left out; "
            f"the longest has {counts['longest']:,}"
        )
