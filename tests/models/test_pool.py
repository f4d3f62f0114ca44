from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool, describe
from tests.fake_openai import (
    Answer,
    FakeOpenAI,
    Handler,
    always,
    chat,
    fake_openai,
    in_turn,
    refusal,
)
from tests.models.fake_time import FakeTime

T = TypeVar("T")
ASK: list[ChatMessage] = [{"role": "user", "content": "Hi."}]


def with_pool(handler: Handler, use: Callable[[ModelPool, FakeOpenAI], Awaitable[T]]) -> T:
    async def run() -> T:
        async with fake_openai(handler) as server:
            time = FakeTime()
            async with ModelPool(rng=random.Random(0), sleep=time.sleep, clock=time.clock) as pool:
                return await use(pool, server)

    return asyncio.run(run())


def probe(handler: Handler, **config: Any) -> tuple[str, FakeOpenAI]:
    async def use(pool: ModelPool, server: FakeOpenAI) -> tuple[str, FakeOpenAI]:
        entry = ModelConfig(spec=f"openai:m@{server.root}", **config)
        return await pool.probe(entry), server

    return with_pool(handler, use)


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_every_form_of_the_base_url_works(end: str) -> None:
    async def use(pool: ModelPool, server: FakeOpenAI) -> list[str]:
        model = pool.model(ModelConfig(spec=f"openai:m@{server.root}{end}"))
        await model.complete(ASK)
        return server.paths

    assert with_pool(always(chat()), use) == ["/v1/chat/completions"]


def test_a_busy_server_is_asked_up_to_six_times() -> None:
    async def use(pool: ModelPool, server: FakeOpenAI) -> tuple[str, int]:
        model = pool.model(ModelConfig(spec=f"openai:m@{server.root}"))
        with pytest.raises(ModelError) as caught:
            await model.complete(ASK)
        return str(caught.value), len(server.bodies)

    message, asked = with_pool(always(refusal(429, "Slow down")), use)
    assert asked == 6 and message.endswith("(given up after 6 tries)")


def test_a_failure_that_passes_is_not_seen() -> None:
    async def use(pool: ModelPool, server: FakeOpenAI) -> str:
        model = pool.model(ModelConfig(spec=f"openai:m@{server.root}"))
        return (await model.complete(ASK)).text

    assert with_pool(in_turn(refusal(500, "x"), refusal(429, "y"), chat("Hi.")), use) == "Hi."


def test_the_cap_holds_for_all_models_of_an_endpoint() -> None:
    async def slow(body: dict[str, Any], headers: Any) -> Answer:
        await asyncio.sleep(0.01)
        return chat()

    async def use(pool: ModelPool, server: FakeOpenAI) -> tuple[int, int]:
        entries = [ModelConfig(spec=f"openai:{m}@{server.url}", concurrency=3) for m in "ab"]
        models = [pool.model(entry, Sampling(temperature=t)) for entry in entries for t in (0, 1)]
        await asyncio.gather(*(model.complete(ASK) for model in models * 6))
        return server.most_in_flight, len(server.connections)

    assert with_pool(slow, use) == (3, 3)


def test_endpoints_do_not_wait_for_each_other() -> None:
    async def run() -> str:
        stuck = asyncio.Event()

        async def wait(body: dict[str, Any], headers: Any) -> Answer:
            await stuck.wait()
            return chat()

        async with fake_openai(wait) as slow, fake_openai(always(chat("Quick."))) as quick:
            async with ModelPool() as pool:
                first = pool.model(ModelConfig(spec=f"openai:m@{slow.url}", concurrency=1))
                other = pool.model(ModelConfig(spec=f"openai:m@{quick.url}", concurrency=1))
                waiting = asyncio.create_task(first.complete(ASK))
                text = (await other.complete(ASK)).text
                stuck.set()
                await waiting
                return text

    assert asyncio.run(run()) == "Quick."


def test_a_quirk_is_learned_once_for_a_model(caplog: pytest.LogCaptureFixture) -> None:
    def handler(body: dict[str, Any], headers: Any) -> Answer:
        return refusal(400, "no", param="temperature") if "temperature" in body else chat()

    async def use(pool: ModelPool, server: FakeOpenAI) -> int:
        for temperature in (0.1, 0.2, 0.3):
            entry = ModelConfig(spec=f"openai:m@{server.url}")
            await pool.model(entry, Sampling(temperature=temperature)).complete(ASK)
        return len(server.bodies)

    assert with_pool(handler, use) == 4
    assert len(caplog.records) == 1


def test_each_endpoint_gets_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_KEY", "key-of-the-user")
    monkeypatch.setenv("JUDGE_KEY", "key-of-the-judge")

    async def use(pool: ModelPool, server: FakeOpenAI) -> list[str]:
        for name in ("USER_KEY", "JUDGE_KEY"):
            entry = ModelConfig(spec=f"openai:m@{server.url}", api_key_env=name)
            await pool.model(entry).complete(ASK)
        return [headers["Authorization"] for headers in server.headers]

    assert with_pool(always(chat()), use) == ["Bearer key-of-the-user", "Bearer key-of-the-judge"]


def test_a_probe_is_one_cheap_call() -> None:
    line, server = probe(always(chat()))
    assert line == f"openai:m@{server.url} answers"
    assert [body["max_tokens"] for body in server.bodies] == [1]


def test_a_probe_of_a_busy_server_is_no_failure() -> None:
    line, server = probe(always(refusal(429, "Slow down")))
    assert line.endswith("answers, and is busy (HTTP 429)") and len(server.bodies) == 1


def test_a_probe_of_a_model_that_needs_room_to_think() -> None:
    said = "Could not finish the message because max_tokens or model output limit was reached."
    line, server = probe(in_turn(refusal(400, said), chat()))
    assert line.endswith("answers")
    assert ["max_tokens" in body for body in server.bodies] == [True, False]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (refusal(401, "x"), "auth"),
        (refusal(404, "x"), "model_not_found"),
        (refusal(500, "x"), "server_error"),
    ],
)
def test_a_probe_fails_at_once(answer: Answer, cause: str) -> None:
    asked = 0

    def handler(body: dict[str, Any], headers: Any) -> Answer:
        nonlocal asked
        asked += 1
        return answer

    with pytest.raises(ModelError) as caught:
        probe(handler)
    assert (caught.value.cause, asked) == (cause, 1)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (ModelConfig(), "this model has no spec"),
        (ModelConfig(spec="opnai:m"), "did you mean 'openai'"),
        (ModelConfig(spec="openai:m", api_key_env="NO_SUCH_KEY"), "which is not set"),
        (ModelConfig(spec="scripted:ecco"), "did you mean 'echo'"),
        (ModelConfig(spec="local:/no/such.gguf"), "no such GGUF file"),
        (ModelConfig(spec="local:smolm2"), "did you mean 'smollm2'"),
    ],
)
def test_a_wrong_entry_is_named_before_any_call(config: ModelConfig, words: str) -> None:
    async def run() -> None:
        async with ModelPool() as pool:
            await pool.probe(config)

    with pytest.raises(ConfigError, match=words):
        asyncio.run(run())


def test_a_scripted_model_needs_no_server() -> None:
    async def run() -> tuple[str, str]:
        async with ModelPool() as pool:
            entry = ModelConfig(spec="scripted:echo")
            return await pool.probe(entry), (await pool.model(entry).complete(ASK)).text

    line, text = asyncio.run(run())
    assert line == "scripted:echo is scripted" and text


def test_what_records_say_about_a_model() -> None:
    assert describe(ModelConfig(spec="openai:m@http://h/")) == {
        "provider": "openai",
        "model": "m",
        "base_url": "http://h/v1",
    }
    with pytest.raises(ConfigError):
        describe(ModelConfig(spec="openai:m@http://me:secret@h"))


def test_no_log_holds_a_key(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("JUDGE_KEY", "sk-Sentinel-77aa88bb99cc")
    for answer in (chat(), refusal(401, "x"), refusal(400, "no", param="max_tokens")):
        try:
            probe(always(answer), api_key_env="JUDGE_KEY")
        except ModelError as error:
            assert "Sentinel" not in repr(error)
    assert "Sentinel" not in caplog.text
