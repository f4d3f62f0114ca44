"""Asks again after a failure that may pass."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.stopping import Sleep
from emoharbor.models.tracing import note_retry

_FIRST_WAIT, _LONGEST_WAIT, LONGEST_RETRY_AFTER = 0.5, 60.0, 600.0


@dataclass(frozen=True)
class Retrying:
    """A model that is asked up to `tries` times, with growing pauses, while errors are retryable.

    Retry-After is the least that is waited; one beyond ten minutes ends the trying. `sleep` may
    raise Stopped, which ends it too.
    """

    inner: ChatModel
    tries: int
    sleep: Sleep = asyncio.sleep
    rng: random.Random = field(default_factory=random.Random, repr=False)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Raises the last ModelError, its message ending in the number of tries."""
        tried = 0
        while True:
            tried += 1
            try:
                return await self.inner.complete(messages, schema=schema, seed=seed)
            except ModelError as error:
                if not error.retryable:
                    raise
                if tried >= self.tries or (error.retry_after or 0.0) > LONGEST_RETRY_AFTER:
                    failure = _given_up(error, tried)
                    break
                wait = self._wait(tried, error.retry_after)
                note_retry(tried, error, wait)
            await self.sleep(wait)
        raise failure

    def _wait(self, tried: int, retry_after: float | None) -> float:
        backoff = min(_FIRST_WAIT * 2.0 ** (tried - 1), _LONGEST_WAIT)
        # Jitter lies on top of Retry-After too: else all waiting calls come back at once.
        return (retry_after or 0.0) + backoff * self.rng.uniform(0.5, 1.0)


def _given_up(error: ModelError, tried: int) -> ModelError:
    after = error.retry_after or 0.0
    why = f"; it asks to wait {after / 60:.0f} minutes" if after > LONGEST_RETRY_AFTER else ""
    times = f"{tried} {'try' if tried == 1 else 'tries'}"
    return ModelError(f"{error}{why} (given up after {times})", error.cause, error.retry_after)
