"""`vllm:` models: on a vLLM server that runs, or on one that is started for the run."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from aiohttp import hdrs
from yarl import URL

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.client import Client
from emoharbor.models.config import Sampling
from emoharbor.models.failures import Target, connection_failure, http_failure
from emoharbor.models.network import proxy_for, trusted
from emoharbor.models.openai import OpenAIChat
from emoharbor.models.quirks import Quirks
from emoharbor.models.spec import NO_KEY, ModelSpec, is_loopback
from emoharbor.models.stopping import Stopping
from emoharbor.models.vllm_process import ServerProcess
from emoharbor.models.wire import HttpReply
from emoharbor.models.words import Secrets, server_error

# Where `vllm serve` listens, and the only place that is looked at without being named.
DEFAULT_URL = "http://127.0.0.1:8000/v1"
_LOOK = 5.0
_LOG = logging.getLogger("emoharbor")


@dataclass(frozen=True)
class Served:
    """A model on a running server: how to reach it, and what the server calls it."""

    client: Client
    name: str


@dataclass
class VllmServer:
    """The server of one spec, found or started at the first call; `close` stops what it started.

    `starting` is held while a server loads: two that load at once misjudge the GPU's free memory.
    """

    spec: ModelSpec
    key: str = field(repr=False)
    stopping: Stopping
    starting: asyncio.Lock
    _serve: str | None = field(default=None, init=False)
    _served: Served | None = field(default=None, init=False)
    _process: ServerProcess | None = field(default=None, init=False)

    def agree(self, serve: str | None) -> None:
        """Takes the arguments that one role gives; raises ConfigError where another gave others."""
        if serve in (None, self._serve):
            return
        if self._serve is not None or self._served is not None:
            given = "none" if self._serve is None else f"'{self._serve}'"
            raise ConfigError(f"{self.spec}: one server serves all roles: serve is {given} already")
        self._serve = serve

    async def served(self) -> Served:
        """Where the model is.

        Raises:
            ConfigError: no server could be started.
            ModelError: the named server is down, refuses the key or does not serve the model; or
                the server that was started has ended.
            Stopped: the run is stopping.
        """
        if self._served is None:
            async with self.starting:
                self._served = self._served or await self._find() or await self._start()
        if self._process and (over := self._process.over()):
            raise ModelError(over, "refused_request")
        return self._served

    async def close(self) -> None:
        """Stops the server if it is ours."""
        served, self._served = self._served, None
        if served is not None:
            await served.client.close()
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _find(self) -> Served | None:
        if url := self.spec.base_url:
            return await self._on(url, self.key)
        # Who gives arguments wants a server that has them.
        if self._serve is not None:
            return None
        try:
            return await self._on(DEFAULT_URL, NO_KEY)
        except ModelError as error:
            if error.cause != "unreachable":
                _LOG.warning("%s: not on the server that runs (%s)", self.spec, error)
            return None

    async def _start(self) -> Served:
        process = ServerProcess(str(self.spec), _folder_or_name(self.spec), self._serve)
        self._process, since = process, time.monotonic()
        try:
            command = await process.start()
            _LOG.warning("%s: starting a server: %s (log: %s)", self.spec, command, process.log)
            await process.ready(self.stopping)
            served = await self._on(f"{process.root}/v1", process.key)
        except BaseException:
            self._process = None
            await process.close()
            raise
        _LOG.warning("%s: the server is ready after %.0f s", self.spec, time.monotonic() - since)
        return served

    async def _on(self, url: str, key: str) -> Served:
        """The model as the server at `url` serves it; raises ModelError where it does not."""
        target = Target(self.spec.model, urlsplit(url).netloc, Secrets(key))
        models = await _models(url, key, target)
        wanted = (self.spec.model, _expanded(self.spec.model))
        for name, root in models.items():
            if name in wanted or root in wanted:
                return Served(Client(url, key), name)
        served = ", ".join(models) or "nothing"
        raise target.error(f"the server does not serve it; it serves {served}", "model_not_found")


@dataclass(frozen=True)
class VllmChat:
    """A model of a vLLM server. `timeout` is in seconds and covers one attempt, not the start."""

    server: VllmServer
    sampling: Sampling = Sampling()
    timeout: float = 180.0
    quirks: Quirks = field(default_factory=Quirks)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Finds or starts the server where needed and asks it. Raises as `VllmServer.served`."""
        served = await self.server.served()
        chat = OpenAIChat(served.client, served.name, self.sampling, self.timeout, self.quirks)
        return await chat.complete(messages, schema=schema, seed=seed)


async def _models(url: str, key: str, target: Target) -> Mapping[str, str]:
    """What a server serves: the path or repository of each model, by its name."""
    failure: ModelError
    try:
        answer = await _get(URL(url) / "models", key)
        if answer.status >= 300:
            said = server_error(answer.payload())
            raise http_failure(answer.status, said, answer.headers, target)
        return _read_models(answer, target)
    except (aiohttp.ClientError, OSError, ValueError) as error:
        failure = connection_failure(error, target, _LOOK)
    # Outside of the handler: what aiohttp raised may hold the key.
    raise failure


async def _get(url: URL, key: str) -> HttpReply:
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_LOOK)) as session,
        session.get(
            url,
            headers={} if key == NO_KEY else {hdrs.AUTHORIZATION: f"Bearer {key}"},
            proxy=None if is_loopback(str(url)) else proxy_for(url),
            ssl=trusted() if url.scheme == "https" else True,
            allow_redirects=False,
        ) as answer,
    ):
        return HttpReply(answer.status, answer.headers, await answer.read())


def _read_models(answer: HttpReply, target: Target) -> Mapping[str, str]:
    payload = answer.payload()
    listed = payload.get("data") if isinstance(payload, Mapping) else None
    if not isinstance(listed, list):
        raise target.error("/models is no list of models; is it a vLLM server?", "bad_reply")
    cards = [card for card in listed if isinstance(card, Mapping)]
    return {str(card["id"]): str(card.get("root")) for card in cards if "id" in card}


def _folder_or_name(spec: ModelSpec) -> str:
    """What to load: a name on the hub, or a folder that is there."""
    model = _expanded(spec.model)
    if model.startswith(("/", "./", "../")) and not Path(model).is_dir():
        raise ConfigError(f"{spec}: there is no folder {model}")
    return model


def _expanded(model: str) -> str:
    return str(Path(model).expanduser()) if model.startswith("~") else model
