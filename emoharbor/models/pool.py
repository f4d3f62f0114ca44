"""All models of a run: one client and one limit for each endpoint, made when first needed."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self, TypeVar, cast

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.models.client import Client
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.endpoints import (
    Endpoint,
    client_for,
    endpoint_of,
    room_of,
    timeout_of,
)
from emoharbor.models.hf import HfChat, HfEngine
from emoharbor.models.hf_places import hf_place
from emoharbor.models.http_bot import HttpBot
from emoharbor.models.langchain import langchain_model
from emoharbor.models.limit import Clock, EndpointLimiter, Limited, Load
from emoharbor.models.local import LocalChat, LocalServer
from emoharbor.models.openai import OpenAIChat
from emoharbor.models.process import ProcessBot, Program
from emoharbor.models.quirks import Quirks
from emoharbor.models.retry import Retrying
from emoharbor.models.scripted import scripted_model
from emoharbor.models.spec import FINISHED_BOTS, NO_KEY, ModelSpec, api_key_for, parse_spec
from emoharbor.models.stopping import Sleep, Stopping
from emoharbor.models.tracing import traced
from emoharbor.models.vllm import VllmChat, VllmServer

SERVER_DEFAULT = Sampling()
_PING: list[ChatMessage] = [{"role": "user", "content": "ping"}]
# What is held for a run and closed after it.
K = TypeVar("K", Client, HfEngine, LocalServer, Program, VllmServer)
_Held = Client | HfEngine | LocalServer | Program | VllmServer


def describe(config: ModelConfig) -> dict[str, str | None]:
    """Provider, model and base URL for records; a base URL never holds credentials."""
    spec = spec_of(config)
    return {"provider": spec.provider, "model": spec.model, "base_url": spec.base_url}


def spec_of(config: ModelConfig) -> ModelSpec:
    """The parsed spec of an entry; raises ConfigError where it names no model."""
    if not config.spec:
        raise ConfigError("this model has no spec; name one, as in openai:gpt-4o or local:smollm2")
    return parse_spec(config.spec)


class ModelPool:
    """Hands out models, and closes what they need when the run is over.

    Used as `async with ModelPool() as pool:` inside the event loop that makes the calls. Where
    configurations of one endpoint disagree about `concurrency` or `threads`, the first one counts;
    about `rpm` or `tpm`, the smallest. `sleep` and `clock` go together: seconds of one time.
    """

    def __init__(
        self,
        *,
        rng: random.Random | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        self._rng = rng or random.Random()
        self._stopping = Stopping(sleep)
        self._clock = clock
        self._stack = AsyncExitStack()
        self._held: dict[tuple[Endpoint, str], _Held] = {}
        self._limiters: dict[Endpoint, EndpointLimiter] = {}
        self._quirks: dict[tuple[Endpoint, str], Quirks] = {}
        self._scripts: dict[str, ChatModel] = {}
        self._vllm_starts = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        await self._stack.aclose()

    def stop(self) -> None:
        """Drains the pool: calls in flight finish, all others raise Stopped, now and later.

        Called in the event loop's thread, as from `loop.add_signal_handler`; twice is harmless.
        """
        self._stopping.stop()
        for limiter in self._limiters.values():
            limiter.admit()

    def loads(self) -> dict[str, Load]:
        """How each endpoint stands, by its host, or by the spec of a model that runs here."""
        return {str(endpoint): limiter.load for endpoint, limiter in self._limiters.items()}

    def model(self, config: ModelConfig, sampling: Sampling = SERVER_DEFAULT) -> ChatModel:
        """The model of a suite's entry, limited and retrying. Raises ConfigError."""
        spec = spec_of(config)
        endpoint = endpoint_of(spec, config)
        if endpoint not in self._limiters:
            room = room_of(spec, config)
            self._limiters[endpoint] = EndpointLimiter(room, self._stopping, self._clock)
        limiter = self._limiters[endpoint]
        limiter.narrow(config.rpm, config.tpm)
        # The limit lies inside of the retry: every attempt takes a place of its own, and a call
        # that backs off holds none that another could use. (The journal lies around both: an
        # answered call is found again without waiting.)
        limited = Limited(self._provider(spec, config, sampling), limiter)
        retrying = Retrying(limited, config.tries, self._stopping.sleep, self._rng)
        return traced(retrying, spec, sampling)

    async def probe(self, config: ModelConfig) -> str:
        """One cheap call; returns a line that says the model answers. A finished bot is not asked:
        its program is started, or its server connected to.

        Raises:
            ConfigError: the spec, the key's variable or a local model is missing or wrong.
            ModelError: the endpoint is down, refuses the key, or does not know the model.
            Stopped: the pool was stopped.
        """
        self._stopping.check()
        spec = spec_of(config)
        if spec.provider == "scripted":
            self._provider(spec, config, SERVER_DEFAULT)
            return f"{spec} is scripted"
        if spec.provider == "local":
            await self._server(spec, config).client()
            return f"{spec} runs in this process"
        if spec.provider in ("hf", "lora"):
            await self._engine(spec, config).load(hf_place(spec).adapter)
            return f"{spec} runs in this process"
        if spec.provider == "process":
            await self._program(spec, config).probe()
            return f"{spec} runs (it was not asked anything)"
        if spec.provider == "http":
            await HttpBot(self._client(spec, config), config.timeout).probe()
            return f"{spec} accepts connections (it was not asked anything)"
        return f"{spec} {await self._ping(spec, config)}"

    async def _ping(self, spec: ModelSpec, config: ModelConfig) -> str:
        for sampling in (Sampling(max_tokens=1), SERVER_DEFAULT):
            try:
                await self._provider(spec, config, sampling).complete(_PING)
                break
            except ModelError as error:
                if error.cause == "rate_limited":
                    return "answers, and is busy (HTTP 429)"
                # Reasoning models refuse a budget of one token; they are asked without one.
                if error.cause != "refused_request" or sampling.max_tokens is None:
                    raise
        return "answers"

    def _provider(self, spec: ModelSpec, config: ModelConfig, sampling: Sampling) -> ChatModel:
        endpoint = endpoint_of(spec, config)
        quirks = self._quirks.setdefault((endpoint, spec.model), Quirks())
        if spec.provider in FINISHED_BOTS and sampling != SERVER_DEFAULT:
            name = next(iter(sampling.model_dump(exclude_none=True)))
            raise ConfigError(f"{spec} is a finished bot (use: bot) and takes no '{name}'")
        match spec.provider:
            case "openai":
                client = self._client(spec, config)
                return OpenAIChat(client, spec.model, sampling, config.timeout, quirks)
            case "local":
                timeout = timeout_of(spec, config)
                return LocalChat(self._server(spec, config), sampling, timeout, quirks)
            case "hf" | "lora":
                engine, timeout = self._engine(spec, config), timeout_of(spec, config)
                return HfChat(engine, hf_place(spec), sampling, timeout)
            case "vllm":
                return VllmChat(self._vllm(spec, config), sampling, config.timeout, quirks)
            case "langchain":
                return langchain_model(spec, config, sampling)
            case "process":
                return ProcessBot(self._program(spec, config), config.timeout)
            case "http":
                return HttpBot(self._client(spec, config), config.timeout)
            case _:
                if spec.model not in self._scripts:
                    self._scripts[spec.model] = scripted_model(spec.model)
                return self._scripts[spec.model]

    def _client(self, spec: ModelSpec, config: ModelConfig) -> Client:
        return self._hold(endpoint_of(spec, config), lambda: client_for(spec, config))

    def _server(self, spec: ModelSpec, config: ModelConfig) -> LocalServer:
        return self._hold(endpoint_of(spec, config), lambda: LocalServer(spec, config.threads))

    def _engine(self, spec: ModelSpec, config: ModelConfig) -> HfEngine:
        endpoint = endpoint_of(spec, config)
        return self._hold(endpoint, lambda: HfEngine(endpoint.place, config.threads))

    def _program(self, spec: ModelSpec, config: ModelConfig) -> Program:
        return self._hold(endpoint_of(spec, config), lambda: Program(spec))

    def _vllm(self, spec: ModelSpec, config: ModelConfig) -> VllmServer:
        def make() -> VllmServer:
            # A server that nobody named gets no key.
            key = api_key_for(spec, config.api_key_env) if spec.base_url else NO_KEY
            return VllmServer(spec, key, self._stopping, self._vllm_starts)

        server = self._hold(endpoint_of(spec, config), make, spec.model)
        server.agree(config.serve)
        return server

    def _hold(self, endpoint: Endpoint, make: Callable[[], K], model: str = "") -> K:
        """What an endpoint (or one model there) needs, made once and closed with the pool."""
        if (endpoint, model) not in self._held:
            made = make()
            self._stack.push_async_callback(made.close)
            self._held[endpoint, model] = made
        return cast(K, self._held[endpoint, model])
