"""Any OpenAI-compatible chat endpoint, over the plain `post` of the openai library.

`post(cast_to=object)` costs a fifth of ChatOpenAI's CPU and keeps everything that the server sent:
reasoning fields, raw text, usage.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAioHttpClient, Timeout

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.config import Sampling
from emoharbor.models.failures import (
    Target,
    connection_failure,
    is_about_context,
    status_failure,
)
from emoharbor.models.quirks import Quirks, refused_parameter
from emoharbor.models.reasoning import clean
from emoharbor.models.reply import MalformedReply, read_reply
from emoharbor.models.schema import strict, with_schema
from emoharbor.models.spec import NO_KEY, is_loopback
from emoharbor.models.words import Secrets, server_words

_CONNECT = 15.0


def open_client(base_url: str, api_key: str, timeout: float) -> AsyncOpenAI:
    """One client for an endpoint, to be closed in the event loop that used it.

    Redirects are refused: they would carry the prompt to another host.
    """
    own = is_loopback(base_url)
    # A plain loopback address never speaks TLS, so reading all of the CA store (40 ms) is spared;
    # the empty store trusts nobody.
    plain = own and base_url.startswith("http:")
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True
    # A proxy of the environment must see neither the calls to this machine nor their key.
    http = DefaultAioHttpClient(follow_redirects=False, trust_env=not own, verify=verify)
    client = AsyncOpenAI(
        base_url=base_url, api_key=api_key, max_retries=0, timeout=timeout, http_client=http
    )
    # The library fills these from OPENAI_* variables, which are meant for OpenAI alone.
    client.admin_api_key = None
    if client.base_url.host != "api.openai.com":
        client.organization = client.project = None
        client._custom_headers = {}
    return client


@dataclass(frozen=True)
class OpenAIChat:
    """A model of one endpoint. `timeout` is in seconds and covers one whole attempt."""

    client: AsyncOpenAI = field(repr=False)
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
            payload = await self._post(body)
            if not isinstance(payload, _Refused):
                break
            self.quirks.learn(payload.parameter, f"{self.model} at {self._host}")
        reply = self._read(payload, body, has_schema=schema is not None)
        return replace(reply, seconds=time.monotonic() - started)

    @property
    def _host(self) -> str:
        return self.client.base_url.netloc.decode("ascii", "replace")

    def _body(
        self, messages: Sequence[ChatMessage], schema: JsonSchema | None, seed: int | None
    ) -> dict[str, Any]:
        # A model without response_format still has to know what is asked for.
        blind = schema is not None and "response_format" in self.quirks.refused
        asked = with_schema(messages, schema) if schema is not None and blind else messages
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m["role"], "content": clean(m["content"])} for m in asked],
            **self.sampling.model_dump(exclude_none=True),
        }
        if seed is not None:
            body["seed"] = seed
        if schema is not None:
            form = {"name": "reply", "strict": True, "schema": strict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return body

    async def _post(self, body: dict[str, Any]) -> object:
        """The server's payload, or which parameter it refuses.

        The ModelError is raised outside of every handler: what the HTTP layer raised holds the
        request with its headers, and must not hang on our error as its context.
        """
        failure: ModelError | _Refused
        try:
            async with asyncio.timeout(self.timeout):
                return await self.client.post(
                    "/chat/completions",
                    body=body,
                    cast_to=object,
                    options={"timeout": Timeout(self.timeout, connect=min(self.timeout, _CONNECT))},
                )
        except APIStatusError as error:
            failure = _refusal(error, body) or status_failure(error, self._target(body))
        except (
            APIConnectionError,
            aiohttp.ClientError,
            TimeoutError,
            OSError,
            ValueError,
            RecursionError,
        ) as error:
            failure = connection_failure(error, self._target(body), self.timeout)
        if isinstance(failure, _Refused):
            return failure
        raise failure

    def _read(self, payload: object, body: dict[str, Any], *, has_schema: bool) -> Completion:
        data = _parsed(payload) if isinstance(payload, str) else payload
        if not isinstance(data, Mapping):
            kind = "an HTML page" if _is_html(payload) else "something else"
            raise self._target(body).error(
                f"the server answered with {kind}, not with a chat completion; "
                "is the base URL right?",
                "bad_reply",
            )
        problem: ModelError
        try:
            return read_reply(data, has_schema=has_schema)
        except MalformedReply as error:
            target = self._target(body)
            shown = target.secrets.shown(server_words(data) if "error" in data else "")
            said = f' (it said: "{shown}")' if shown else ""
            problem = target.error(f"the reply is no chat completion: {error}{said}", "bad_reply")
        raise problem

    def _target(self, body: Mapping[str, Any]) -> Target:
        key = self.client.api_key
        prompt = "\n".join(" ".join(m["content"].split()) for m in body["messages"])
        return Target(self.model, self._host, Secrets("" if key == NO_KEY else key, prompt))


@dataclass(frozen=True)
class _Refused:
    """The server named a parameter that it does not take."""

    parameter: str


def _refusal(error: APIStatusError, body: Mapping[str, Any]) -> _Refused | None:
    if error.status_code not in (400, 422):
        return None
    words = server_words(error.body)
    codes = f"{error.code} {error.type}"
    # "max_tokens is too large for the context" names a parameter, and is not about it.
    if is_about_context(words, codes):
        return None
    name = refused_parameter(body, error.param, codes, words)
    return _Refused(name) if name else None


def _parsed(text: str) -> object:
    # Some servers send JSON as text/plain; the library then hands over the text.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_html(payload: object) -> bool:
    return isinstance(payload, str) and payload.lstrip().lower().startswith(("<!doctype", "<html"))
