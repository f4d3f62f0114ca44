"""torch, transformers, peft and trl: loaded when a model needs them, and named when missing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from emoharbor.errors import ConfigError

Precision = Literal["auto", "bf16", "float32"]


def library(name: str) -> Any:
    """The module of that name; raises ConfigError that says what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ConfigError(
            f"{name} cannot be imported ({error}); run: pip install 'emoharbor[train]'"
        ) from error


@dataclass(frozen=True)
class Device:
    """Where a model lies: a torch device, and whether its numbers are bf16 (2 bytes, not 4)."""

    name: str
    bf16: bool

    @property
    def dtype(self) -> Any:
        """The torch dtype of the weights."""
        torch = library("torch")
        return torch.bfloat16 if self.bf16 else torch.float32


def pick_device(precision: Precision = "auto") -> Device:
    """The GPU, if there is one; `auto` is bf16 on a CUDA device that has it, else float32.

    Raises ConfigError where bf16 is wanted and the device lacks it.
    """
    torch = library("torch")
    name = "cpu"
    if torch.cuda.is_available():
        name = "cuda"
    elif torch.backends.mps.is_available():
        name = "mps"
    has = name == "cpu" or (name == "cuda" and torch.cuda.is_bf16_supported())
    if precision == "bf16" and not has:
        raise ConfigError(f"precision: bf16 is not to be had on this device ({name}); use auto")
    # A CPU has bf16 too, but without instructions of its own it is several times slower.
    return Device(name, precision == "bf16" or (precision == "auto" and has and name == "cuda"))
