"""A finished bot behind a real HTTP server: what it is sent, and what its failures are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import pytest

from emoharbor.errors import ConfigError, ModelCause, ModelError
from emoharbor.models.base import ChatMessage
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool, describe
from tests.fake_openai import (
    Answer,
    Cut,
    FakeOpenAI,
    Handler,
    always,
    fake_openai,
    in_turn,
    refusal,
)
from tests.models.fake_time import FakeTime

T = TypeVar("T")
KEY = "bot-Sentinel-0a1b2c3d4e5f"
ASK: list[ChatMessage] = [
    {"role": "user", "content": "I hid the letter from my sister in the piano stool"}
]


def text(words: Any = "I hear you.", **more: Any) -> Answer:
    return 200, {}, {"text": words, **more}


def with_bot(
    handler: Handler,
    use: Callable[[ModelPool, ModelConfig, FakeOpenAI], Awaitable[T]],
    path: str = "/chat",
    **config: Any,
) -> T:
    async def run() -> T:
        time = FakeTime()
        async with fake_openai(handler) as server:
            async with ModelPool(sleep=time.sleep, clock=time.clock) as pool:
                entry = ModelConfig(spec=f"{server.root}{path}", **{"tries": 1, **config})
                return await use(pool, entry, server)

    return asyncio.run(run())


def ask(handler: Handler, path: str = "/chat", **config: Any) -> tuple[str, FakeOpenAI]:
    async def use(pool: ModelPool, entry: ModelConfig, server: FakeOpenAI) -> tuple[str, Any]:
        return (await pool.model(entry).complete(ASK)).text, server

    return with_bot(handler, use, path, **config)


def refused(handler: Handler, **config: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(handler, **config)
    assert "piano" not in repr(caught.value) and KEY not in repr(caught.value)
    assert caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize("path", ["/chat", "/chat/", "/api/v2/bot.php", ""])
def test_the_dialogue_is_posted_to_the_very_url(path: str) -> None:
    said, server = ask(always(text()), path)
    assert said == "I hear you." and server.paths == [path or "/"]
    (body,) = server.bodies
    assert body.pop("dialogue") and body == {"messages": ASK}


@pytest.mark.parametrize("answer", [text(error=None), text(more=1), (201, {}, '{"text": "Hm."}')])
def test_what_else_stands_in_a_reply_does_not_matter(answer: Answer) -> None:
    assert ask(always(answer))[0] in ("I hear you.", "Hm.")


def test_reasoning_is_removed() -> None:
    assert ask(always(text("<think>a plan</think> Yes.")))[0] == "Yes."


def test_only_a_key_that_is_named_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone-1234")
    monkeypatch.setenv("BOT_KEY", KEY)
    _, server = ask(always(text()))
    assert "Authorization" not in server.headers[0]
    _, server = ask(always(text()), api_key_env="BOT_KEY")
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("answer", "cause", "words"),
    [
        (refusal(500, "CUDA out of memory"), "server_error", "CUDA out of memory"),
        ((503, {}, "busy"), "overloaded", "HTTP 503"),
        (refusal(429, "Slow down"), "rate_limited", "Slow down"),
        ((401, {}, f"no such key: {KEY}"), "auth", "HTTP 401"),
        ((422, {}, {"detail": "messages: field required"}), "refused_request", "field required"),
        ((308, {"Location": "/chat/"}, ""), "refused_request", "redirects (HTTP 308)"),
        ((500, {}, ASK[0]["content"]), "server_error", "HTTP 500"),
        (text(error="the model is not loaded"), "server_error", "the model is not loaded"),
        ((200, {}, {"error": {"message": "no GPU"}}), "server_error", "no GPU"),
        (text(error=ASK[0]["content"]), "server_error", "it says that it failed"),
        ((200, {}, "<html>Welcome</html>"), "bad_reply", 'the reply is neither {"text": "…"}'),
        ((200, {}, ["Hi."]), "bad_reply", "the reply is neither"),
        ((200, {}, {"reply": "Hi."}), "bad_reply", "the reply is neither"),
        ((200, {}, b"\xff\xfe"), "bad_reply", "the reply is neither"),
        (text(None), "bad_reply", "the reply is neither"),
        ((200, {}, Cut(b'{"text": ')), "bad_reply", "cut off"),
    ],
)
def test_failures_are_typed(
    answer: Answer, cause: ModelCause, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)
    failure = refused(always(answer), api_key_env="BOT_KEY")
    assert failure.cause == cause and words in str(failure)
    assert str(failure).startswith("bot at 127.0.0.1:")


def test_a_bot_that_hangs_is_given_up() -> None:
    async def hang(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        await asyncio.sleep(60)
        return text()

    failure = refused(hang, timeout=0.3)
    assert failure.cause == "timeout" and "no reply within 0.3 seconds" in str(failure)


def test_nobody_listens() -> None:
    async def run() -> None:
        async with ModelPool() as pool:
            await pool.model(ModelConfig(spec="http://127.0.0.1:9/chat", tries=1)).complete(ASK)

    with pytest.raises(ModelError, match="connection refused") as caught:
        asyncio.run(run())
    assert caught.value.cause == "unreachable"


def test_retry_after_is_waited_for() -> None:
    time = FakeTime()
    busy: Answer = (429, {"Retry-After": "120"}, "")

    async def run() -> tuple[str, float]:
        async with fake_openai(in_turn(busy, refusal(500, "x"), text())) as server:
            async with ModelPool(sleep=time.sleep, clock=time.clock) as pool:
                before = time.clock()
                model = pool.model(ModelConfig(spec=f"{server.root}/chat"))
                return (await model.complete(ASK)).text, time.clock() - before

    said, waited = asyncio.run(run())
    assert said == "I hear you." and waited >= 120


def test_the_cap_holds() -> None:
    async def slow(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        await asyncio.sleep(0.01)
        return text()

    async def use(pool: ModelPool, entry: ModelConfig, server: FakeOpenAI) -> int:
        await asyncio.gather(*(pool.model(entry).complete(ASK) for _ in range(12)))
        return server.most_in_flight

    assert with_bot(slow, use, concurrency=3) == 3


def test_a_probe_connects_and_asks_nothing() -> None:
    async def use(pool: ModelPool, entry: ModelConfig, server: FakeOpenAI) -> tuple[str, int]:
        return await pool.probe(entry), len(server.bodies)

    line, asked = with_bot(always(refusal(500, "x")), use)
    assert line.endswith("/chat accepts connections (it was not asked anything)") and asked == 0


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9/chat", "connection refused"),
        ("http://localhost:9/chat", "connection refused"),
        ("http://no-such-host.invalid/chat", "host name not known"),
    ],
)
def test_a_probe_of_nobody(url: str, words: str) -> None:
    async def run() -> None:
        async with ModelPool() as pool:
            await pool.probe(ModelConfig(spec=url))

    with pytest.raises(ModelError, match=words):
        asyncio.run(run())


def test_a_finished_bot_takes_neither_sampling_nor_a_schema() -> None:
    async def use(pool: ModelPool, entry: ModelConfig, server: FakeOpenAI) -> None:
        with pytest.raises(ConfigError, match="is a finished bot .* takes no 'max_tokens'"):
            pool.model(entry, Sampling(max_tokens=5))
        with pytest.raises(ConfigError, match="cannot fill in a JSON schema"):
            await pool.model(entry).complete(ASK, schema={"type": "object"})

    with_bot(always(text()), use)


def test_what_records_say_about_a_bot() -> None:
    assert describe(ModelConfig(spec="https://Bots.example/chat/")) == {
        "provider": "http",
        "model": "bot",
        "base_url": "https://bots.example/chat/",
    }
