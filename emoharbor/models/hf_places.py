"""Where the models of `hf:` and `lora:` lie: a base, and an adapter that was trained on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.models.spec import ModelSpec

ADAPTER_FILE, MODEL_FILE = "adapter_config.json", "config.json"


@dataclass(frozen=True)
class HfPlace:
    """`base` is a folder's whole path or a name on the hub; `adapter` is None for the base."""

    base: str
    adapter: Path | None = None


def hf_place(spec: ModelSpec) -> HfPlace:
    """What `hf:BASE` or `lora:DIR` names.

    Raises:
        ConfigError: there is no such folder, it holds the other kind of model, or the adapter does
            not say what its base is.
    """
    if spec.provider == "hf":
        return HfPlace(base_of(spec.model, str(spec)))
    folder = Path(spec.model).expanduser().resolve()
    if not folder.is_dir():
        raise ConfigError(f"{spec}: there is no folder {folder}")
    if not (folder / ADAPTER_FILE).is_file():
        whole = f"; it is a whole model: hf:{spec.model}" if (folder / MODEL_FILE).is_file() else ""
        raise ConfigError(f"{spec}: {folder} holds no {ADAPTER_FILE}, so no adapter{whole}")
    name = adapter_values(folder).get("base_model_name_or_path")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{folder / ADAPTER_FILE} names no base_model_name_or_path")
    return HfPlace(base_of(name, f"{spec}: the base model of this adapter"), folder)


def adapter_values(folder: Path) -> dict[str, Any]:
    """What the adapter's own file says of it; raises ConfigError where it cannot be read."""
    path = folder / ADAPTER_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"cannot read {path}: no JSON object")
    return values


def base_of(name: str, who: str) -> str:
    """The whole path of a folder that is there, else a name on the hub.

    `who` begins the error's message. Raises ConfigError for a path where nothing is, and for a
    folder that holds no model.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / MODEL_FILE).is_file():
            adapter = (folder / ADAPTER_FILE).is_file()
            kind = f"it is an adapter: lora:{name}" if adapter else "so it is no model"
            raise ConfigError(f"{who}: {name} holds no {MODEL_FILE}; {kind}")
        return str(folder.resolve())
    # A name on the hub is `model` or `owner/model`.
    if folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise ConfigError(f"{who}: there is no folder {name}")
    return name
