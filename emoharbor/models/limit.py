"""How many calls are in flight at an endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema


@dataclass(frozen=True)
class Limited:
    """A model that waits for its endpoint's `limiter`; a wait between two tries keeps the place."""

    inner: ChatModel
    limiter: asyncio.Semaphore

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Calls the inner model as soon as there is room."""
        async with self.limiter:
            return await self.inner.complete(messages, schema=schema, seed=seed)
