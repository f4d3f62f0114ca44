"""What models share: an endpoint's client, its limit, and how many calls it takes at once."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from emoharbor.models.client import Client
from emoharbor.models.config import ModelConfig
from emoharbor.models.hf import HF_TIMEOUT
from emoharbor.models.hf_places import hf_place
from emoharbor.models.local import LOCAL_TIMEOUT
from emoharbor.models.spec import NO_KEY, ModelSpec, api_key_for


@dataclass(frozen=True)
class Endpoint:
    """What shares a client and a limit."""

    provider: str
    place: str
    api_key_env: str | None

    def __str__(self) -> str:
        host = urlsplit(self.place).netloc or f"{self.provider}:{self.place}"
        return f"{host} ({self.api_key_env})" if self.api_key_env else host


def endpoint_of(spec: ModelSpec, config: ModelConfig) -> Endpoint:
    """Models at a URL share the URL, adapters their base; others that run here share nothing.

    Raises ConfigError where `lora:` names no adapter, or `hf:` a folder that holds no model.
    """
    if spec.provider in ("hf", "lora"):
        return Endpoint("hf", hf_place(spec).base, None)
    ours = spec.provider == "vllm" and not spec.base_url
    return Endpoint(
        spec.provider, spec.base_url or spec.model, None if ours else config.api_key_env
    )


def client_for(spec: ModelSpec, config: ModelConfig) -> Client:
    """The client of a model or bot at a URL, with the key that may go there."""
    url = spec.base_url or ""
    if spec.provider != "http":
        return Client(url, api_key_for(spec, config.api_key_env))
    # OPENAI_API_KEY is for models: a bot gets the key that is named for it, and no other.
    key = api_key_for(spec, config.api_key_env) if config.api_key_env else NO_KEY
    return Client(url, key, path="")


def room_of(spec: ModelSpec, config: ModelConfig) -> int:
    """The most calls in flight. A local server has one slot, and a program may read one line after
    the other unless the suite says otherwise: waiting here does not use up a call's timeout.
    """
    one = spec.provider == "local" or (
        spec.provider == "process" and "concurrency" not in config.model_fields_set
    )
    return 1 if one else config.concurrency


def timeout_of(spec: ModelSpec, config: ModelConfig) -> float:
    """Seconds for one attempt; a model that runs here has longer, unless the suite says."""
    if "timeout" in config.model_fields_set:
        return config.timeout
    usual = {"local": LOCAL_TIMEOUT, "hf": HF_TIMEOUT, "lora": HF_TIMEOUT}
    return usual.get(spec.provider, config.timeout)
