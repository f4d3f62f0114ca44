"""From a config to an adapter, its tokenizer and its model card."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.models.hf_model import first
from emoharbor.training.sft.card import model_card
from emoharbor.training.sft.config import TrainConfig
from emoharbor.training.sft.folder import TrainFolder, begin
from emoharbor.training.sft.metrics import Metrics, draw, summary
from emoharbor.training.sft.preparing import Ready, Say, prepare
from emoharbor.training.sft.room import check_disk, is_full, is_out_of_memory
from emoharbor.training.sft.stopping import on_signal
from emoharbor.training.sft.trainer import OnStep, Watch, make_trainer, trained_parameters

# The mean of so many steps at either end is what the card calls first and last.
_SPAN = 10


@dataclass(frozen=True)
class Trained:
    """`step` of `steps` were made; `stopped` is the signal's number where one ended it early.

    `losses` as `metrics.summary` has them.
    """

    step: int
    steps: int
    losses: Mapping[str, float]
    stopped: int | None = None


def train(
    config: TrainConfig, where: Path, say: Say, on_step: OnStep, *, resume: bool = False
) -> Trained:
    """Trains an adapter into the folder `where`, or goes on with what was begun there.

    `say` gets lines of text, `on_step` each step that was made.

    Raises:
        ConfigError: a library, file or model is missing or wrong, what was begun is of another
            config, or memory or disk do not suffice.
    """
    ready, folder = prepare(config, say), TrainFolder(where)
    goes_on = begin(folder, ready.plan, resume=resume)
    start = folder.last_checkpoint() if goes_on else None
    if resume and start is None:
        say(f"There is no checkpoint in {where}: starting at the first step.")
    if start is not None:
        say(f"Going on after step {start[1]} of {ready.steps}.")
    since, metrics = time.monotonic(), Metrics(folder.metrics_file)
    metrics.cut_after(start[1] if start else 0)
    with on_signal(lambda: say("Stopping after this step. Once more stops at once.")) as stop:
        trainer = make_trainer(ready, folder, Watch(metrics, stop, on_step))
        check_disk(where, trained_parameters(trainer))
        _run(trainer, ready, folder, start[0] if start else None)
        step, losses = int(trainer.state.global_step), summary(metrics.read(), _SPAN)
        if stop.signal is not None and step < ready.steps:
            return Trained(step, ready.steps, losses, int(stop.signal))
        _write(trainer, ready, folder, {"losses": losses, "seconds": time.monotonic() - since})
    return Trained(step, ready.steps, losses)


def _run(trainer: Any, ready: Ready, folder: TrainFolder, checkpoint: Path | None) -> None:
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except Exception as error:
        # Said in words where it is the machine that does not suffice; all else is a defect.
        step = trainer.state.global_step
        if is_out_of_memory(error):
            raise ConfigError(
                f"memory ran out at step {step + 1}: lower batch_size (and raise accumulate), "
                "lower max_length, or set gradient_checkpointing: true"
            ) from error
        if is_full(folder.path):
            raise ConfigError(
                f"the disk of {folder.path} ran full at step {step} ({first(error)}); "
                "make room and go on with --resume"
            ) from error
        raise


def _write(trainer: Any, ready: Ready, folder: TrainFolder, found: Mapping[str, Any]) -> None:
    """Adapter, tokenizer, picture and card; training.json last: without it, it has not finished."""
    path, device = folder.path, ready.device
    trainer.model.save_pretrained(str(path))
    ready.tokenizer.save_pretrained(str(path))
    draw(Metrics(folder.metrics_file).read(), path / "loss.png")
    result = {
        "steps": int(trainer.state.global_step),
        "losses": found["losses"],
        "data": ready.counts(),
        "trained_parameters": trained_parameters(trainer),
        "seconds": round(found["seconds"], 1),
        "device": f"{device.name}, {'bf16' if device.bf16 else 'float32'}",
    }
    plan = {**ready.plan, "result": result}
    (path / "README.md").write_text(model_card(plan, path.resolve().name), encoding="utf-8")
    folder.write_plan(plan)
