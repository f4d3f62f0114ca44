from __future__ import annotations

import asyncio
import logging
import socket
from email.utils import formatdate
from typing import Any

import aiohttp
import pytest

from emoharbor.errors import ModelCause, ModelError
from emoharbor.models.base import ChatMessage
from emoharbor.models.client import Client
from emoharbor.models.failures import Target, connection_failure
from emoharbor.models.openai import OpenAIChat
from emoharbor.models.words import Secrets
from tests.fake_openai import Answer, Cut, Handler, always, chat, fake_openai, in_turn, refusal

KEY = "sk-proj-Sentinel9f8e7d6c5b4a3210"
PROMPT = "My sister moved out in March and I have not slept a whole night since."
ASK: list[ChatMessage] = [{"role": "user", "content": PROMPT}]
HTML = "<!DOCTYPE html><html><body>Welcome</body></html>"
TOO_LONG = (
    "This model's maximum context length is 4096 tokens, however you requested 9000 max_tokens"
)


async def failure_at(url: str, timeout: float = 5) -> ModelError:
    async with Client(url, KEY) as client:
        with pytest.raises(ModelError) as caught:
            await OpenAIChat(client, "m", timeout=timeout).complete(ASK)
    return caught.value


def failure(handler: Handler, timeout: float = 5) -> ModelError:
    async def run() -> ModelError:
        async with fake_openai(handler) as server:
            return await failure_at(server.url, timeout)

    return asyncio.run(run())


CASES: list[tuple[Answer, ModelCause, str]] = [
    (refusal(401, f"Incorrect API key provided: {KEY}."), "auth", "name its environment variable"),
    (refusal(403, "Country not supported"), "auth", "Country not supported"),
    (
        refusal(404, "The model `m` does not exist"),
        "model_not_found",
        "The model `m` does not exist",
    ),
    ((404, {}, HTML), "model_not_found", "no chat endpoint under this base URL"),
    (refusal(400, "Bad m", code="model_not_found"), "model_not_found", "no such model"),
    (refusal(400, TOO_LONG), "context_too_long", "lower max_turns"),
    (refusal(400, "x", code="context_length_exceeded"), "context_too_long", "longer context"),
    (refusal(400, "x", type="exceed_context_size_error"), "context_too_long", "longer context"),
    (refusal(400, "Role order is wrong"), "refused_request", "Role order is wrong"),
    (refusal(402, "Pay first"), "refused_request", "Pay first"),
    (refusal(429, "Slow down"), "rate_limited", "too many requests"),
    (refusal(429, "No money", code="insufficient_quota"), "refused_request", "No money"),
    (refusal(408, ""), "timeout", "gave up waiting"),
    (refusal(500, "Oops"), "server_error", 'HTTP 500, the server failed (it said: "Oops")'),
    ((502, {}, HTML), "server_error", "HTTP 502"),
    ((503, {}, ""), "overloaded", "HTTP 503"),
    ((529, {}, {"error": "Busy"}), "overloaded", 'the server is overloaded (it said: "Busy")'),
    ((200, {"Content-Type": "text/html"}, HTML), "bad_reply", "answered with an HTML page"),
    ((200, {"Content-Type": "text/plain"}, "ok"), "bad_reply", "is the base URL right?"),
    ((200, {"Content-Type": "application/json"}, '{"choices": ['), "bad_reply", "is not JSON"),
    ((200, {"Content-Type": "application/json"}, b'"\xff\xfe"'), "bad_reply", "is not JSON"),
    ((200, {"Content-Type": "application/json"}, "[" * 90_000), "bad_reply", "is not JSON"),
    ((200, {}, ["a"]), "bad_reply", "something else"),
    ((200, {}, {}), "bad_reply", "it has no choices"),
    ((200, {}, {"choices": []}), "bad_reply", "it has no choices"),
    ((200, {}, {"choices": ["x"]}), "bad_reply", "no object"),
    ((200, {}, {"choices": [{}]}), "bad_reply", "has no message"),
    ((200, {}, {"error": {"message": "Upstream down", "code": 502}}), "bad_reply", "Upstream down"),
    (chat({"a": 1}), "bad_reply", "neither text nor a list"),
    ((200, {}, Cut(b'{"choices": [')), "bad_reply", "was cut off"),
    ((200, {}, Cut()), "unreachable", "closed the connection without a reply"),
    ((200, {"Content-Encoding": "gzip"}, b"no gzip"), "bad_reply", "cannot be decoded"),
]


@pytest.mark.parametrize(("answer", "cause", "words"), CASES, ids=range(len(CASES)))
def test_every_failure_is_one_line_with_a_cause(
    answer: Answer, cause: ModelCause, words: str
) -> None:
    error = failure(always(answer))
    assert error.cause == cause
    assert str(error).startswith("m at 127.0.0.1:") and "\n" not in str(error)
    assert words in str(error)
    assert error.__context__ is None and error.__cause__ is None


@pytest.mark.parametrize(
    "cause",
    ["unreachable", "timeout", "rate_limited", "overloaded", "server_error", "bad_reply"],
)
def test_what_may_pass_is_retryable(cause: ModelCause) -> None:
    assert ModelError("x", cause).retryable


def test_nobody_listens() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        error = asyncio.run(failure_at(url))
    assert error.cause == "unreachable"
    assert "connection refused; is the server running?" in str(error)


def test_a_host_that_does_not_exist() -> None:
    error = asyncio.run(failure_at("http://nobody.invalid/v1"))
    assert (error.cause, "host name not known" in str(error)) == ("unreachable", True)


def test_https_to_a_plain_server() -> None:
    async def run() -> ModelError:
        async with fake_openai(always(chat())) as server:
            return await failure_at(server.url.replace("http:", "https:"))

    error = asyncio.run(run())
    assert (error.cause, "does the server speak https?" in str(error)) == ("unreachable", True)


def test_a_connection_that_does_not_come_about_is_told_from_a_slow_reply() -> None:
    target = Target("m", "h", Secrets())
    error = connection_failure(aiohttp.ConnectionTimeoutError("x"), target, 180)
    assert (str(error), error.cause) == ("m at h: no connection within 15 seconds", "timeout")


def test_no_http_at_all() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 smtp.example.org ready\r\n")
        await reader.read(10)
        writer.close()

    async def run() -> ModelError:
        async with await asyncio.start_server(shout, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await failure_at(f"http://127.0.0.1:{port}/v1")

    error = asyncio.run(run())
    assert (error.cause, KEY in repr(error)) == ("bad_reply", False)


def test_a_server_that_never_answers() -> None:
    async def never(body: dict[str, Any], headers: Any) -> Answer:
        await asyncio.Event().wait()
        return chat()

    error = failure(never, timeout=0.2)
    assert (error.cause, "no reply within 0.2 seconds" in str(error)) == ("timeout", True)


def test_a_server_that_trickles_is_timed_out_too() -> None:
    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        try:
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            writer.close()

    async def run() -> ModelError:
        server = await asyncio.start_server(trickle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        error = await failure_at(f"http://127.0.0.1:{port}/v1", timeout=0.3)
        server.close()
        return error

    assert asyncio.run(run()).cause == "timeout"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused_and_carries_nothing(status: int) -> None:
    async def run() -> tuple[ModelError, int]:
        async with fake_openai(always(chat())) as other:
            moved = (status, {"Location": f"{other.url}/chat/completions"}, "")
            async with fake_openai(always(moved)) as server:
                return await failure_at(server.url), len(other.bodies)

    error, received = asyncio.run(run())
    assert (error.cause, received) == ("refused_request", 0)
    assert "the base URL redirects" in str(error)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None), ("nan", None), ("inf", None)],
)
def test_retry_after(header: str, seconds: float | None) -> None:
    error = failure(always((429, {"Retry-After": header}, "")))
    assert error.retry_after == seconds


def test_retry_after_as_a_date() -> None:
    error = failure(always((503, {"Retry-After": formatdate(4e9, usegmt=True)}, "")))
    assert error.retry_after is not None and error.retry_after > 1e9


ECHOES = [
    f"Incorrect API key provided: {KEY}.",
    f"Bearer {KEY} is no good",
    f"Your key {KEY[:10]}******{KEY[-4:]} is wrong",
    f"Your key {KEY[:12]}... is wrong",
    f"key={KEY[3:]} expired",
    f"Cannot parse: {PROMPT}",
    f"Field required, input: {PROMPT[5:50]}",
]


@pytest.mark.parametrize("said", ECHOES)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_neither_key_nor_prompt_is_repeated(
    said: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shapes = ({"error": {"message": said}}, {"message": said}, said, {"detail": said})
    handler = in_turn(*((status, {}, body) for body in shapes))

    async def run() -> str:
        async with fake_openai(handler) as server, Client(server.url, KEY) as client:
            model, told = OpenAIChat(client, "m"), ""
            for _ in shapes:
                with pytest.raises(ModelError) as caught:
                    await model.complete(ASK)
                told += repr(caught.value)
            return told

    text = asyncio.run(run()) + caplog.text
    pieces = [KEY[at : at + 8] for at in range(8, len(KEY) - 8)]
    assert not [piece for piece in pieces if piece in text]
    assert "slept a whole" not in text and "moved out in March" not in text


def test_nothing_that_is_printed_holds_the_key() -> None:
    async def run() -> str:
        async with Client("http://127.0.0.1:9/v1", KEY) as client:
            return repr(OpenAIChat(client, "m"))

    assert KEY not in asyncio.run(run())
