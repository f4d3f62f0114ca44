"""An adapter and its base as one model, for servers that take no adapters."""

from __future__ import annotations

import shutil
from pathlib import Path

from emoharbor.errors import ConfigError
from emoharbor.models.hf_libraries import library
from emoharbor.models.hf_model import first, load_base, load_errors, load_tokenizer
from emoharbor.models.hf_places import hf_place
from emoharbor.models.spec import ModelSpec
from emoharbor.training.sft.room import parameters_of

_CARD = "README.md"


def merge(adapter: Path, where: Path) -> None:
    """Writes the model that `adapter` makes of its base into the folder `where`.

    The weights keep the number format of the base. Raises ConfigError where `where` is not empty,
    the adapter does not fit its base, or the disk has no room.
    """
    place = hf_place(ModelSpec("lora", str(adapter)))
    if where.exists() and (not where.is_dir() or any(where.iterdir())):
        raise ConfigError(f"{where} is not empty; name another folder with -o")
    peft, model = library("peft"), load_base(place.base, "auto")
    need = (parameters_of(place.base) or 0) * model.dtype.itemsize
    where.mkdir(parents=True, exist_ok=True)
    if need > (free := shutil.disk_usage(where).free):
        raise ConfigError(f"not enough room in {where}: {need:,} bytes are needed, {free:,} free")
    try:
        merged = peft.PeftModel.from_pretrained(model, str(place.adapter)).merge_and_unload()
    except load_errors() as error:
        raise ConfigError(f"{adapter} does not fit {place.base}: {first(error)}") from error
    merged.save_pretrained(str(where))
    own = (adapter / "tokenizer_config.json").is_file()
    load_tokenizer(str(adapter) if own else place.base, place.base).save_pretrained(str(where))
    if (adapter / _CARD).is_file():
        shutil.copy(adapter / _CARD, where / _CARD)
