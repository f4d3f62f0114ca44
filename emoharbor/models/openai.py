"""Any OpenAI-compatible chat endpoint, over aiohttp.

The same call through the openai library takes four times the CPU.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import aiohttp

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.client import Client
from emoharbor.models.config import Sampling
from emoharbor.models.failures import Target, connection_failure, http_failure, is_about_context
from emoharbor.models.quirks import Quirks, refused_parameter
from emoharbor.models.reply import MalformedReply, read_reply
from emoharbor.models.schema import response_format, with_schema
from emoharbor.models.wire import HttpReply, to_bytes
from emoharbor.models.words import Secrets, ServerError, server_error, server_words


@dataclass(frozen=True)
class OpenAIChat:
    """A model of one endpoint. `timeout` is in seconds and covers one whole attempt."""

    client: Client = field(repr=False)
    model: str
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
        """Sends the conversation once, again only without a parameter that the server refuses.

        Raises:
            ModelError: with its cause; the message names model and host, never key or prompt.
        """
        started = time.monotonic()
        while True:
            body = self.quirks.fit(self._body(messages, schema, seed))
            answer = await self._post(body)
            if answer.status < 300:
                break
            error = server_error(answer.payload())
            refused = _refused(answer.status, error, body)
            if refused is None:
                raise http_failure(answer.status, error, answer.headers, self._target(body))
            self.quirks.learn(refused, f"{self.model} at {self.client.host}")
        seconds = time.monotonic() - started
        return self._read(answer, body, has_schema=schema is not None, seconds=seconds)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return self.sampling.model_dump(exclude_none=True)

    def _body(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None, seed: int | None
    ) -> dict[str, Any]:
        # A model without response_format still has to know what is asked for.
        blind = schema is not None and "response_format" in self.quirks.refused
        asked = with_schema(messages, schema) if schema is not None and blind else messages
        body: dict[str, Any] = {"model": self.model, "messages": asked, **self._settings}
        if seed is not None:
            body["seed"] = seed
        if schema is not None:
            body["response_format"] = response_format(schema)
        return body

    async def _post(self, body: dict[str, Any]) -> HttpReply:
        """The server's answer, whatever its status.

        The ModelError is raised outside of the handler: what aiohttp raised holds the request with
        its headers, and must not hang on our error as its context.
        """
        try:
            return await self.client.post(to_bytes(body), self.timeout)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = connection_failure(error, self._target(body), self.timeout)
        raise failure

    def _read(
        self, answer: HttpReply, body: dict[str, Any], *, has_schema: bool, seconds: float
    ) -> Completion:
        data = answer.payload()
        if not isinstance(data, Mapping):
            raise self._target(body).error(_no_completion(data, answer), "bad_reply")
        problem: ModelError
        try:
            return read_reply(data, has_schema=has_schema, seconds=seconds)
        except MalformedReply as error:
            target = self._target(body)
            shown = target.secrets.shown(server_words(data) if "error" in data else "")
            said = f' (it said: "{shown}")' if shown else ""
            problem = target.error(f"the reply is no chat completion: {error}{said}", "bad_reply")
        raise problem

    def _target(self, body: Mapping[str, Any]) -> Target:
        # Joining a long prompt takes its time: for failures alone.
        prompt = "\n".join(" ".join(m["content"].split()) for m in body["messages"])
        return Target(self.model, self.client.host, Secrets(self.client.api_key, prompt))


def _refused(status: int, error: ServerError, body: Mapping[str, Any]) -> str | None:
    """The parameter that the server does not take, where its refusal is about one."""
    # "max_tokens is too large for the context" names a parameter, and is not about it.
    if status not in (400, 422) or is_about_context(error.words, error.codes):
        return None
    return refused_parameter(body, error.param, error.codes, error.words)


def _no_completion(payload: object, answer: HttpReply) -> str:
    """Why a payload that is no JSON object is none."""
    if not answer.raw:
        kind = "an empty body"
    elif isinstance(payload, str) and payload.lower().startswith(("<!doctype", "<html")):
        kind = "an HTML page"
    elif isinstance(payload, str) and answer.says_json:
        return "the reply is not JSON"
    else:
        kind = "something else"
    return f"the server answered with {kind}, not with a chat completion; is the base URL right?"
