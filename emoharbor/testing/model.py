"""A model for contract tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.scripted import scripted_model


@dataclass(frozen=True)
class GivingWay:
    """Lets all that waits run before `model` answers, as a model across a network does."""

    model: ChatModel

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """The reply of `model`."""
        await asyncio.sleep(0)
        return await self.model.complete(messages, schema=schema, seed=seed)


def echo_model() -> ChatModel:
    """A fixed line, or the least that satisfies the schema; equal requests get equal replies."""
    return GivingWay(scripted_model("echo"))
