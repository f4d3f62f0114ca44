"""Every call is written down before its answer is used, and is found again after a crash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import pydantic_core

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.where import WHERE, Where


class CallKey(NamedTuple):
    """Where in a run a call belongs; `ordinal` is 0-based within one attempt at one node visit."""

    thread: str
    step: int
    node: str
    ordinal: int
    attempt: int


@dataclass(frozen=True)
class Request:
    """What was asked: all that the reply depends on, no key and no header."""

    model: dict[str, Any]
    messages: tuple[ChatMessage, ...]
    schema: JsonSchema | None
    seed: int

    @cached_property
    def hash(self) -> str:
        """Sixteen hex digits over the whole request."""
        parts = pydantic_core.to_json([self.model, self.messages, self.schema, self.seed])
        return hashlib.blake2b(parts, digest_size=8).hexdigest()


class Journal(Protocol):
    """Where calls are kept. Writing returns only once the entry cannot be lost by this process."""

    async def find(self, key: CallKey) -> tuple[str, Completion] | None:
        """The request hash and the reply kept under `key`."""
        ...

    async def write_call(self, key: CallKey, request: Request, completion: Completion) -> None:
        """Keeps an answered call."""
        ...

    async def write_error(self, where: Where, request: Request, error: ModelError) -> None:
        """Keeps a call that failed for good; it is never served."""
        ...


@dataclass(frozen=True)
class Journaled:
    """A model whose calls go through the journal. `described` is the model as a record names it."""

    inner: ChatModel
    journal: Journal
    described: dict[str, Any]

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """The journaled reply of this very call, else a fresh one. Outside a run nothing is kept.

        The key finds the entry, the request's hash only verifies it: two dialogues that ask the
        same are two calls, and a request that changed under the same key is an error, not a miss.
        """
        where = WHERE.get()
        if where is None:
            return await self.inner.complete(messages, schema=schema, seed=seed)
        ordinal = next(where.ordinals)
        key = CallKey(where.thread, where.step, where.node, ordinal, where.attempt)
        request = Request(self.described, tuple(messages), schema, where.call_seed(ordinal))
        if kept := await self.journal.find(key):
            if kept[0] != request.hash:
                raise ConfigError(
                    f"{where.node} at step {where.step} of {where.thread} sends another request "
                    "than the one in the journal: a prompt or the code changed during the dialogue"
                )
            return kept[1]
        try:
            completion = await self.inner.complete(messages, schema=schema, seed=request.seed)
        except ModelError as error:
            await self.journal.write_error(where, request, error)
            raise
        await self.journal.write_call(key, request, completion)
        return completion
