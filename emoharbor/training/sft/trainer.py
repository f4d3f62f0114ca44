"""trl's SFTTrainer, set up for one adapter and watched: what is measured, and when to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.models.hf_libraries import library
from emoharbor.models.hf_model import first, load_base
from emoharbor.training.sft.folder import TrainFolder
from emoharbor.training.sft.masks import Example
from emoharbor.training.sft.metrics import Metrics
from emoharbor.training.sft.preparing import Ready
from emoharbor.training.sft.room import KEPT
from emoharbor.training.sft.stopping import Stop

# Told of each step: its number, that of all, and its loss.
OnStep = Callable[[int, int, float], None]


@dataclass(frozen=True)
class Watch:
    """What happens at every step."""

    metrics: Metrics
    stop: Stop
    on_step: OnStep


def make_trainer(ready: Ready, folder: TrainFolder, watch: Watch) -> Any:
    """The trainer with its model loaded; raises ConfigError where it cannot be."""
    transformers, trl, peft = library("transformers"), library("trl"), library("peft")
    if ready.config.threads:
        library("torch").set_num_threads(ready.config.threads)
    # The adapter begins with random numbers, before the trainer sets its own seed.
    transformers.set_seed(ready.config.seed)
    config = ready.config
    lora = peft.LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    try:
        trainer = trl.SFTTrainer(
            model=load_base(ready.base, ready.device.dtype),
            args=trl.SFTConfig(**_arguments(ready, folder)),
            train_dataset=_dataset(ready.train.examples),
            eval_dataset=_dataset(ready.validation.examples) if ready.validation else None,
            processing_class=ready.tokenizer,
            peft_config=lora,
            callbacks=[_callback(watch)],
        )
    except ValueError as error:
        # Of a base that cannot be trained, such as one that is quantized.
        raise ConfigError(f"trl cannot train {ready.base}: {first(error)}") from error
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def trained_parameters(trainer: Any) -> int:
    """How many numbers the adapter has."""
    return sum(p.numel() for p in trainer.model.parameters() if p.requires_grad)


def _arguments(ready: Ready, folder: TrainFolder) -> dict[str, Any]:
    config = ready.config
    return {
        "output_dir": str(folder.checkpoints),
        "num_train_epochs": config.epochs,
        "per_device_train_batch_size": config.batch_size,
        "per_device_eval_batch_size": config.batch_size,
        "gradient_accumulation_steps": config.accumulate,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_steps": math.ceil(config.warmup * ready.steps),
        "seed": config.seed,
        "bf16": ready.device.bf16,
        "use_cpu": ready.device.name == "cpu",
        "gradient_checkpointing": config.gradient_checkpointing,
        "dataloader_pin_memory": ready.device.name == "cuda",
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_steps": config.save_every,
        "save_total_limit": KEPT,
        "eval_strategy": "epoch" if ready.validation else "no",
        # What the loss counts is decided in encoding.py and stands in the labels.
        "dataset_kwargs": {"skip_prepare_dataset": True},
        "max_length": None,
        "report_to": [],
        "disable_tqdm": True,
    }


def _dataset(examples: Sequence[Example]) -> Any:
    rows = [{"input_ids": list(one.ids), "labels": one.labels} for one in examples]
    return library("datasets").Dataset.from_list(rows)


def _callback(watch: Watch) -> Any:
    """A callback of transformers; its class can only be made where transformers is there."""
    since = time.monotonic()

    def on_step_end(self: Any, args: Any, state: Any, control: Any, **more: Any) -> None:
        if watch.stop.signal is not None:
            control.should_save = control.should_training_stop = True

    def on_epoch_end(self: Any, args: Any, state: Any, control: Any, **more: Any) -> None:
        # A step that ends the training ends its epoch too, but nobody wants to wait for that.
        if watch.stop.signal is not None:
            control.should_evaluate = False

    def on_log(
        self: Any, args: Any, state: Any, control: Any, logs: dict[str, float], **more: Any
    ) -> None:
        if "loss" not in logs and "eval_loss" not in logs:
            return
        seconds = round(time.monotonic() - since, 2)
        watch.metrics.add({"step": state.global_step, **logs, "seconds": seconds})
        if "loss" in logs:
            watch.on_step(state.global_step, state.max_steps, logs["loss"])

    kind = library("transformers").TrainerCallback
    told = {"on_step_end": on_step_end, "on_epoch_end": on_epoch_end, "on_log": on_log}
    return type("Watching", (kind,), told)()
