from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.models.hf_libraries import Device
from emoharbor.training.sft.room import check_disk, check_memory, disk_needed, parameters_of


def weights(path: Path, *, missing: int = 0) -> Path:
    """A safetensors file of 6 + 4 numbers in float32."""
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "b": {"dtype": "F32", "shape": [4], "data_offsets": [24, 40]},
        }
    ).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(40 - missing))
    return path


def test_parameters_are_counted_without_reading_them(tmp_path: Path) -> None:
    assert parameters_of(str(tmp_path)) is None
    assert parameters_of("org/model") is None
    weights(tmp_path / "model-1.safetensors")
    weights(tmp_path / "model-2.safetensors")
    assert parameters_of(str(tmp_path)) == 20


def test_a_file_that_is_not_whole(tmp_path: Path) -> None:
    path = weights(tmp_path / "model.safetensors", missing=8)
    with pytest.raises(ConfigError, match="model.safetensors is cut short: 8 bytes are missing"):
        parameters_of(str(tmp_path))
    for content in (b"", b"version https://git-lfs", path.read_bytes()[:40]):
        path.write_bytes(content)
        with pytest.raises(ConfigError, match="model.safetensors is no whole safetensors file"):
            parameters_of(str(tmp_path))


def test_weights_that_do_not_fit_are_told_early() -> None:
    cpu, gpu = Device("cpu", bf16=False), Device("cuda", bf16=True)
    said = r"not enough memory for m: its 8,000,000,000 parameters alone take 29.8 GiB, and 20.0"
    with pytest.raises(ConfigError, match=said):
        check_memory("m", 8 * 10**9, cpu, 20 * 2**30)
    check_memory("m", 8 * 10**9, gpu, 20 * 2**30)
    check_memory("m", None, cpu, 0)


def test_a_disk_without_room(tmp_path: Path) -> None:
    check_disk(tmp_path, 1000)
    # Three times an adapter with two moments, and one adapter.
    assert disk_needed(1000) - disk_needed(0) == 3 * 12_000 + 4_000
    with pytest.raises(ConfigError, match="not enough room in .*GiB are free"):
        check_disk(tmp_path, 10**15)
