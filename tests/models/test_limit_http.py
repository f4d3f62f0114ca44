"""The limits as a server sees them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from emoharbor.models.base import ChatMessage
from emoharbor.models.config import ModelConfig
from emoharbor.models.limit import Load
from emoharbor.models.pool import ModelPool
from tests.fake_openai import Answer, FakeOpenAI, Handler, always, chat, fake_openai, refusal
from tests.models.fake_time import FakeTime

T = TypeVar("T")
ASK: list[ChatMessage] = [{"role": "user", "content": "Hi."}]
AFTER = 0.2


def with_fake_time(handler: Handler, use: Callable[[ModelPool, FakeOpenAI], Awaitable[T]]) -> T:
    async def run() -> T:
        async with fake_openai(handler) as server:
            fake = FakeTime()
            async with ModelPool(rng=random.Random(0), sleep=fake.sleep, clock=fake.clock) as pool:
                return await use(pool, server)

    return asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize("status", [429, 503, 529])
def test_it_halves_once_a_round_and_recovers(status: int) -> None:
    flying, seen = 0, list[int]()

    async def handler(body: dict[str, Any], headers: Any) -> Answer:
        nonlocal flying
        flying += 1
        seen.append(flying)
        full = len(seen) <= 8  # the whole first round is turned away
        await asyncio.sleep(0.005)
        flying -= 1
        return refusal(status, "Full") if full else chat()

    async def use(pool: ModelPool, server: FakeOpenAI) -> list[Load]:
        model = pool.model(ModelConfig(spec=f"openai:m@{server.url}", concurrency=8))
        loads = list[Load]()

        async def call() -> None:
            await model.complete(ASK)
            loads.extend(pool.loads().values())

        await asyncio.gather(*(call() for _ in range(150)))
        return loads

    loads = with_fake_time(handler, use)
    limits = [load.limit for load in loads]
    assert limits[0] == 4 and limits == sorted(limits) and limits[-1] == 8
    assert max(seen[8:12]) <= 4 and max(seen) == 8
    assert loads[-1] == Load(in_flight=0, limit=8, waiting=0, throttled=8)


def test_none_comes_before_its_retry_after_and_another_endpoint_goes_on() -> None:
    told: list[float] = []
    came: list[float] = []

    def busy_once(body: dict[str, Any], headers: Any) -> Answer:
        came.append(time.monotonic())
        if len(came) > 1:
            return chat()
        told.append(came[0])
        return 429, {"Retry-After": str(AFTER)}, {"error": {"message": "Slow down"}}

    async def run() -> int:
        async with fake_openai(busy_once) as busy, fake_openai(always(chat())) as free:
            async with ModelPool(rng=random.Random(0)) as pool:
                one = pool.model(ModelConfig(spec=f"openai:m@{busy.url}", concurrency=1))
                other = pool.model(ModelConfig(spec=f"openai:m@{free.url}", concurrency=1))
                calls = [asyncio.create_task(one.complete(ASK)) for _ in range(5)]
                while not pool.loads()[busy.url[7:-3]].throttled:
                    await asyncio.sleep(0.001)
                await other.complete(ASK)
                meanwhile = len(came)
                await asyncio.gather(*calls)
                return meanwhile

    assert asyncio.run(run()) == 1
    assert len(came) == 6 and all(at >= told[0] + AFTER for at in came[1:])


def test_a_call_that_backs_off_holds_no_place() -> None:
    async def run() -> list[str]:
        def handler(body: dict[str, Any], headers: Any) -> Answer:
            text = body["messages"][0]["content"]
            failed = text == "bad" and len(server.bodies) == 1
            return refusal(500, "Oops") if failed else chat(text)

        woken = asyncio.Event()

        async def sleep(seconds: float) -> None:
            await woken.wait()

        done = list[str]()
        async with fake_openai(handler) as server, ModelPool(sleep=sleep) as pool:
            model = pool.model(ModelConfig(spec=f"openai:m@{server.url}", concurrency=1))

            async def call(text: str) -> None:
                done.append((await model.complete([{"role": "user", "content": text}])).text)

            bad = asyncio.create_task(call("bad"))
            await asyncio.gather(*(call(text) for text in "abc"))
            woken.set()
            await bad
        return done

    assert asyncio.run(asyncio.wait_for(run(), 30)) == ["a", "b", "c", "bad"]


def test_many_failures_and_every_call_is_answered() -> None:
    rng = random.Random(7)

    async def handler(body: dict[str, Any], headers: Any) -> Answer:
        dice = rng.random()
        await asyncio.sleep(0)
        if dice < 0.10:
            return refusal(429, "Slow down")
        return refusal(500, "Oops") if dice < 0.15 else chat()

    async def use(pool: ModelPool, server: FakeOpenAI) -> int:
        model = pool.model(ModelConfig(spec=f"openai:m@{server.url}"))
        replies = await asyncio.gather(*(model.complete(ASK) for _ in range(200)))
        assert [reply.text for reply in replies] == ["Hello."] * 200
        return len(server.bodies)

    assert with_fake_time(handler, use) <= 250


def test_the_server_is_asked_in_order() -> None:
    async def handler(body: dict[str, Any], headers: Any) -> Answer:
        await asyncio.sleep(0.001)
        return chat()

    async def use(pool: ModelPool, server: FakeOpenAI) -> list[str]:
        model = pool.model(ModelConfig(spec=f"openai:m@{server.url}", concurrency=1))
        asks = [[ChatMessage(role="user", content=str(number))] for number in range(20)]
        await asyncio.gather(*(model.complete(ask) for ask in asks))
        return [body["messages"][0]["content"] for body in server.bodies]

    assert with_fake_time(handler, use) == [str(number) for number in range(20)]


def test_rates_of_a_suite_entry_reach_the_server() -> None:
    came: list[float] = []

    async def run() -> list[float]:
        fake = FakeTime(lambda: not any(load.in_flight for load in pool.loads().values()))

        def handler(body: dict[str, Any], headers: Any) -> Answer:
            came.append(fake.now - 1000.0)
            return chat(usage={"prompt_tokens": 30, "completion_tokens": 20})

        pool = ModelPool(sleep=fake.sleep, clock=fake.clock)
        async with fake_openai(handler) as server, pool:
            rpm = ModelConfig(spec=f"openai:m@{server.url}", rpm=3)
            await asyncio.gather(*(pool.model(rpm).complete(ASK) for _ in range(7)))
            tpm = ModelConfig(spec=f"openai:m@{server.root}/t/v1", tpm=100, concurrency=1)
            await asyncio.gather(*(pool.model(tpm).complete(ASK) for _ in range(3)))
            return came

    assert asyncio.run(asyncio.wait_for(run(), 30)) == [0] * 3 + [60] * 3 + [120] * 3 + [180]
