"""Finished bots at a URL: a POST of JSON, and JSON back."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import aiohttp
from yarl import URL

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.bot_shape import bot_reply, bot_request
from emoharbor.models.client import Client
from emoharbor.models.failures import LONGEST_CONNECT, Target, connection_failure, http_failure
from emoharbor.models.network import proxy_for
from emoharbor.models.spec import is_loopback
from emoharbor.models.wire import HttpReply, to_bytes
from emoharbor.models.words import Secrets, server_error


@dataclass(frozen=True)
class HttpBot:
    """A finished bot at the client's URL. `timeout` is in seconds and covers one attempt."""

    client: Client = field(repr=False)
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
        body = to_bytes(bot_request(messages, schema))
        prompt = "\n".join(" ".join(m["content"].split()) for m in messages)
        target = Target("bot", self.client.host, Secrets(self.client.api_key, prompt))
        answer = await self._post(body, target)
        payload = answer.payload()
        if answer.status >= 300:
            raise http_failure(answer.status, server_error(payload), answer.headers, target)
        return replace(bot_reply(payload, target), seconds=time.monotonic() - started)

    async def probe(self) -> None:
        """Opens a connection and asks nothing: a bot may not be made for a test call."""
        url = str(self.client.url)
        place = (None if is_loopback(url) else proxy_for(self.client.url)) or self.client.url
        timeout = min(self.timeout, LONGEST_CONNECT)
        failure: ModelError
        try:
            await asyncio.to_thread(_connect, place, timeout)
            return
        except OSError as error:
            failure = connection_failure(error, Target("bot", self.client.host, Secrets()), timeout)
        raise failure

    async def _post(self, body: bytes, target: Target) -> HttpReply:
        """The answer, whatever its status. The ModelError is raised outside of the handler: what
        aiohttp raised holds the headers, and must not hang on our error as its context.
        """
        try:
            return await self.client.post(body, self.timeout)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = connection_failure(error, target, self.timeout)
        raise failure


def _connect(place: URL, timeout: float) -> None:
    with socket.create_connection((place.host or "", place.port or 0), timeout):
        pass
