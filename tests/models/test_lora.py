"""Where `hf:` and `lora:` models lie, and what they share: all that is known without torch."""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.models.config import ModelConfig
from emoharbor.models.endpoints import endpoint_of, room_of, timeout_of
from emoharbor.models.hf_places import HfPlace, hf_place
from emoharbor.models.pool import ModelPool, describe
from emoharbor.models.spec import ModelSpec, parse_spec


def base(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return folder


def adapter(folder: Path, base: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": base}))
    return folder


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("lora:adapters/mix", ModelSpec("lora", "adapters/mix")),
        ("hf:org/model", ModelSpec("hf", "org/model")),
        ("hf:/models/a", ModelSpec("hf", "/models/a")),
    ],
)
def test_a_spec_is_read(text: str, spec: ModelSpec) -> None:
    assert parse_spec(text) == spec and str(spec) == text


def test_they_take_no_url() -> None:
    with pytest.raises(ConfigError, match="lora:a runs in this process and takes no base URL"):
        parse_spec("lora:a@http://127.0.0.1:8000")


def test_an_adapter_is_found_with_its_base(tmp_path: Path) -> None:
    folder = base(tmp_path / "base")
    one = adapter(tmp_path / "one", str(folder))
    assert hf_place(parse_spec(f"lora:{one}")) == HfPlace(str(folder), one)
    assert hf_place(parse_spec(f"hf:{folder}/")) == HfPlace(str(folder))
    other = adapter(tmp_path / "other", "org/model")
    assert hf_place(parse_spec(f"lora:{other}")) == HfPlace("org/model", other)


def test_adapters_and_their_base_share_an_endpoint(tmp_path: Path) -> None:
    folder = base(tmp_path / "base")
    adapters = [adapter(tmp_path / name, str(folder)) for name in ("one", "two")]
    specs = [f"lora:{adapters[0]}", f"lora:{adapters[1]}", f"hf:{tmp_path}/one/../base"]
    config = ModelConfig(api_key_env="SOME_KEY")
    assert len({endpoint_of(parse_spec(spec), config) for spec in specs}) == 1
    spec = parse_spec(specs[0])
    assert room_of(spec, config) == 16 and timeout_of(spec, config) == 1800
    assert timeout_of(spec, ModelConfig(timeout=60)) == 60
    assert describe(ModelConfig(spec=specs[0]))["provider"] == "lora"


def test_what_is_no_adapter(tmp_path: Path) -> None:
    folder, empty = base(tmp_path / "base"), tmp_path / "empty"
    empty.mkdir()
    gone = adapter(tmp_path / "gone", str(tmp_path / "nowhere"))
    for spec, words in {
        f"lora:{tmp_path}/none": "there is no folder .*none",
        f"lora:{empty}": "holds no adapter_config.json, so no adapter$",
        f"lora:{folder}": f"so no adapter; it is a whole model: hf:{folder}",
        f"lora:{gone}": "the base model of this adapter: there is no folder .*nowhere",
        f"lora:{adapter(tmp_path / 'nameless', None)}": "names no base_model_name_or_path",
        f"hf:{gone}": f"holds no config.json; it is an adapter: lora:{gone}",
        f"hf:{empty}": "holds no config.json; so it is no model",
        "hf:./nowhere": "there is no folder ./nowhere",
        "hf:a/b/c": "there is no folder a/b/c",
    }.items():
        with pytest.raises(ConfigError, match=words):
            hf_place(parse_spec(spec))
    (empty / "adapter_config.json").write_text("{oh")
    with pytest.raises(ConfigError, match="cannot read .*adapter_config.json"):
        hf_place(parse_spec(f"lora:{empty}"))


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed here")
def test_what_to_install_is_said(tmp_path: Path) -> None:
    async def run() -> None:
        async with ModelPool() as pool:
            await pool.probe(ModelConfig(spec=f"hf:{base(tmp_path / 'base')}"))

    with pytest.raises(ConfigError, match=r"torch cannot be .*pip install 'emoharbor\[train\]'"):
        asyncio.run(run())
