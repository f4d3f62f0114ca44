"""What a suite says about a model: where it is, and how it is sampled."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from emoharbor.models.spec import parse_spec, server_arguments
from emoharbor.state.profile import Frozen


class ModelConfig(Frozen):
    """An entry of a suite's `models:`. `timeout` is in seconds, for one attempt of one call.

    `api_key_env` names the environment variable that holds the key, never the key itself.
    `concurrency` is the most calls in flight at this endpoint, `rpm` and `tpm` are the most
    requests and tokens a minute, None for no such limit; `threads` is for `local:`, `hf:`, `lora:`.
    `serve` is for `vllm:` without a URL: more arguments for the server, and that one of our own is
    started.
    """

    spec: str | None = None
    api_key_env: str | None = None
    concurrency: Annotated[int, Field(ge=1, le=4096)] = 16
    rpm: Annotated[int, Field(ge=1)] | None = None
    tpm: Annotated[int, Field(ge=1)] | None = None
    timeout: Annotated[float, Field(gt=0, le=3600)] = 180.0
    tries: Annotated[int, Field(ge=1, le=50)] = 6
    threads: Annotated[int, Field(ge=1, le=256)] | None = None
    serve: str | None = None

    @model_validator(mode="after")
    def _is_served_by_us(self) -> Self:
        if self.serve is not None:
            server_arguments(self.serve)
            spec = parse_spec(self.spec) if self.spec else None
            if spec and (spec.provider != "vllm" or spec.base_url):
                raise ValueError(f"serve is for a vllm: model without a URL, not for {spec}")
        return self


class Sampling(Frozen):
    """How a role samples from its model; None leaves it to the server."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
