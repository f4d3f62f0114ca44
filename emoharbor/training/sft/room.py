"""Whether there is enough memory and disk, as far as it can be known before the first step."""

from __future__ import annotations

import json
import math
import shutil
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.models.hf_libraries import Device, library

# Whole checkpoints that are kept while a run goes on.
KEPT = 2
_GIB, _SPARE = 2**30, 64 * 2**20
_CGROUP = Path("/sys/fs/cgroup")


def parameters_of(base: str) -> int | None:
    """How many parameters the safetensors files in the folder `base` hold, from their headers.

    None where there are none: a name on the hub, or weights in another format.
    Raises ConfigError for a file that is cut short or no safetensors.
    """
    files = sorted(Path(base).glob("*.safetensors"))
    return sum(_parameters_in(file) for file in files) if files else None


def _parameters_in(file: Path) -> int:
    try:
        with file.open("rb") as stream:
            size = struct.unpack("<Q", stream.read(8))[0]
            room = file.stat().st_size - 8
            header = json.loads(stream.read(size)) if size <= room else None
    except (OSError, struct.error, ValueError):
        header = None
    if not isinstance(header, Mapping):
        raise ConfigError(f"{file} is no whole safetensors file")
    header = {name: entry for name, entry in header.items() if name != "__metadata__"}
    end = max((int(entry["data_offsets"][1]) for entry in header.values()), default=0)
    if end > room - size:
        raise ConfigError(f"{file} is cut short: {end - (room - size)} bytes are missing")
    return sum(math.prod(entry["shape"]) for entry in header.values())


def check_memory(base: str, parameters: int | None, device: Device, free: int) -> None:
    """Raises ConfigError where the weights alone do not fit into `free` bytes.

    What a step needs beside them, most of it for `batch_size` times `max_length` tokens, is only
    known when it is made.
    """
    need = (parameters or 0) * (2 if device.bf16 else 4)
    if need > free:
        raise ConfigError(
            f"not enough memory for {base}: its {parameters:,} parameters alone take "
            f"{need / _GIB:.1f} GiB, and {free / _GIB:.1f} GiB are free ({device.name})"
        )


def free_memory(device: Device) -> int:
    """Bytes that can be had on the device; on a CPU also those that a container allows."""
    if device.name == "cuda":
        return int(library("torch").cuda.mem_get_info()[0])
    available = int(library("psutil").virtual_memory().available)
    try:
        most = int((_CGROUP / "memory.max").read_text())
        return min(available, most - int((_CGROUP / "memory.current").read_text()))
    except (OSError, ValueError):
        return available


def disk_needed(trained: int) -> int:
    """Bytes for a run whose adapter has so many parameters: float32, with two moments of Adam.

    While a checkpoint is written, those that are kept are still there.
    """
    return (KEPT + 1) * 12 * trained + 4 * trained + _SPARE


def check_disk(folder: Path, trained: int) -> None:
    """Raises ConfigError where checkpoints and adapter do not fit beside what is in `folder`."""
    need, free = disk_needed(trained), shutil.disk_usage(folder).free
    if need > free:
        raise ConfigError(
            f"not enough room in {folder}: checkpoints and adapter take "
            f"{need / _GIB:.2f} GiB, and {free / _GIB:.2f} GiB are free"
        )


def is_full(folder: Path) -> bool:
    """Whether the disk has so little left that this may be why writing failed."""
    return shutil.disk_usage(folder).free < _SPARE


def is_out_of_memory(error: BaseException) -> bool:
    """Whether torch, or Python, found no memory: on a CPU torch raises a plain RuntimeError."""
    torch: Any = library("torch")
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
