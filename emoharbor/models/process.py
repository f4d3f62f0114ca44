"""`process:` bots: a program of one's own that reads a line of JSON and writes one."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.bot_shape import bot_reply, bot_request
from emoharbor.models.failures import Target
from emoharbor.models.process_life import Life, start
from emoharbor.models.spec import ModelSpec
from emoharbor.models.words import Secrets

# A program that ends so often without one reply between will not get better by another start.
MOST_DEATHS = 10
_SETTLES = 0.5


class Program:
    """A command that is started at the first request, again after it ended, and closed for good."""

    def __init__(self, spec: ModelSpec) -> None:
        self.command = spec.model
        self._life: Life | None = None
        self._deaths = 0
        self._starting = asyncio.Lock()

    async def life(self) -> Life:
        """The running program.

        Raises:
            ConfigError: it cannot be started.
            ModelError: it has ended ten times in a row without a reply.
        """
        async with self._starting:
            if self._life and self._life.over:
                self._deaths = 0 if self._life.answers else self._deaths + 1
                if self._deaths >= MOST_DEATHS:
                    raise _hopeless(self._life.failure())
                self._life = None
            if self._life is None:
                self._life = await start(shlex.split(self.command), self.command)
            return self._life

    async def probe(self) -> None:
        """Starts it and sees whether it runs on; asks nothing. Raises as `life`, or its failure."""
        life = await self.life()
        if not await life.settles(_SETTLES):
            raise life.failure()

    async def close(self) -> None:
        """Ends the program."""
        life, self._life = self._life, None
        if life is not None:
            await life.close()


@dataclass(frozen=True)
class ProcessBot:
    """A finished bot behind a program. `timeout` is in seconds, from a request to its reply."""

    program: Program
    timeout: float

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Sends the messages as they are. Raises ConfigError and ModelError."""
        started = time.monotonic()
        body = bot_request(messages, schema)
        reply = await (await self.program.life()).ask(body, self.timeout)
        prompt = "\n".join(" ".join(m["content"].split()) for m in messages)
        target = Target("bot", f"process:{self.program.command}", Secrets(prompt=prompt))
        return replace(bot_reply(reply, target), seconds=time.monotonic() - started)


def _hopeless(last: ModelError) -> ModelError:
    said = f"{last} (for the {MOST_DEATHS}th time in a row; it is not started again)"
    return ModelError(said, "refused_request")
