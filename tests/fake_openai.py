"""A chat endpoint on a free port that answers what a test tells it to."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

# (status, headers, body): a mapping or list is sent as JSON, a text or bytes as they are.
Answer = tuple[int, Mapping[str, str], Any]
Handler = Callable[[dict[str, Any], Mapping[str, str]], Answer | Awaitable[Answer]]


class Cut(bytes):
    """A body that breaks off before its announced length; an empty one never starts."""


@dataclass
class FakeOpenAI:
    """A running server: where it is and what reached it."""

    handler: Handler
    root: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    connections: set[int] = field(default_factory=set)
    in_flight: int = 0
    most_in_flight: int = 0

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            body = await request.json()
            self.bodies.append(body)
            self.paths.append(request.path)
            self.headers.append(request.headers)
            self.connections.add(id(request.transport))
            answer = self.handler(body, request.headers)
            return await _send(request, await answer if inspect.isawaitable(answer) else answer)
        finally:
            self.in_flight -= 1


@asynccontextmanager
async def fake_openai(handler: Handler) -> AsyncIterator[FakeOpenAI]:
    """Serves `handler` on 127.0.0.1 until the block ends."""
    server = FakeOpenAI(handler)
    app = web.Application(client_max_size=1 << 26)
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.root = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield server
    finally:
        await runner.cleanup()


def chat(content: Any = "Hello.", *, status: int = 200, **more: Any) -> Answer:
    """A plain chat completion; `message=` and `usage=` add to it."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return status, {}, {"model": "served-model", "choices": [choice], **more}


def refusal(status: int, message: str, **error: Any) -> Answer:
    """An error in OpenAI's shape."""
    return status, {}, {"error": {"message": message, **error}}


def always(answer: Answer) -> Handler:
    """Gives everyone the same answer."""
    return lambda body, headers: answer


def in_turn(*answers: Answer) -> Handler:
    """Gives the answers one after the other; the last one stays."""
    left = list(answers)
    return lambda body, headers: left.pop(0) if len(left) > 1 else left[0]


async def _send(request: web.Request, answer: Answer) -> web.StreamResponse:
    status, headers, body = answer
    if isinstance(body, Cut):
        return await _send_cut(request, body)
    if isinstance(body, bytes | str):
        raw = body if isinstance(body, bytes) else body.encode()
        return web.Response(status=status, headers=headers, body=raw)
    # ASCII, as most servers: so a lone surrogate travels as an escape.
    return web.Response(
        status=status, headers=headers, text=json.dumps(body), content_type="application/json"
    )


async def _send_cut(request: web.Request, body: bytes) -> web.StreamResponse:
    assert request.transport is not None
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(body) + 1000
    if body:
        await response.prepare(request)
        await response.write(body)
    request.transport.close()
    return response
