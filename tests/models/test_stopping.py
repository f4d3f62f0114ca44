"""Draining: who waits is woken, who is in flight finishes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from emoharbor.errors import EmoHarborError, ModelError, Stopped
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.config import ModelConfig
from emoharbor.models.journal import CallKey, Journaled, Request
from emoharbor.models.pool import ModelPool
from emoharbor.models.stopping import Stopping
from emoharbor.models.where import WHERE, Where
from tests.fake_openai import Answer, FakeOpenAI, chat, fake_openai, refusal

ASK: list[ChatMessage] = [{"role": "user", "content": "Hi."}]


def busy(after: int) -> Answer:
    status, _, body = refusal(429, "Slow down")
    return status, {"Retry-After": str(after)}, body


async def until(true: Any) -> None:
    while not true():
        await asyncio.sleep(0.001)


def drained(first: Answer | None, **config: Any) -> tuple[list[Any], FakeOpenAI]:
    """Four calls at an endpoint; the first is answered by `first`, the others after the stop."""
    stop = asyncio.Event()
    server: FakeOpenAI

    async def handler(body: dict[str, Any], headers: Any) -> Answer:
        if first is not None and len(server.bodies) == 1:
            return first
        await stop.wait()
        return chat("Done.")

    async def run() -> list[Any]:
        nonlocal server
        async with fake_openai(handler) as server, ModelPool() as pool:
            model = pool.model(ModelConfig(spec=f"openai:m@{server.url}", **config))
            calls = [asyncio.create_task(model.complete(ASK)) for _ in range(4)]
            await until(lambda: server.bodies and (first or server.in_flight))
            if first:
                await until(lambda: pool.loads()[server.url[7:-3]].throttled)
            pool.stop()
            pool.stop()
            stop.set()
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
            with pytest.raises(Stopped):
                await model.complete(ASK)
            with pytest.raises(Stopped):
                await pool.probe(ModelConfig(spec=f"openai:m@{server.url}"))
            return outcomes

    outcomes = asyncio.run(asyncio.wait_for(run(), 30))
    return outcomes, server


def test_who_waits_for_a_place_is_woken_and_who_is_in_flight_finishes() -> None:
    outcomes, server = drained(None, concurrency=1)
    assert isinstance(outcomes[0], Completion) and outcomes[0].text == "Done."
    assert [type(outcome) for outcome in outcomes[1:]] == [Stopped] * 3
    assert len(server.bodies) == 1


def test_who_waits_for_a_retry_after_or_backs_off_is_woken() -> None:
    outcomes, server = drained(busy(500), concurrency=1)
    assert [type(outcome) for outcome in outcomes] == [Stopped] * 4
    assert len(server.bodies) == 1


def test_who_waits_for_a_rate_is_woken() -> None:
    outcomes, server = drained(None, rpm=2)
    assert [type(outcome) for outcome in outcomes[2:]] == [Stopped] * 2
    assert [outcome.text for outcome in outcomes[:2]] == ["Done."] * 2
    assert len(server.bodies) == 2


def test_stopped_says_so() -> None:
    assert issubclass(Stopped, EmoHarborError) and not issubclass(Stopped, ModelError)
    assert str(Stopped()) == "the run is stopping"


def test_a_sleep_may_be_cancelled_by_its_owner() -> None:
    async def run() -> int:
        stopping = Stopping()
        sleeper = asyncio.create_task(stopping.sleep(1000))
        await asyncio.sleep(0)
        sleeper.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(run()) == 1


class Book:
    """A journal that remembers what was written."""

    def __init__(self) -> None:
        self.calls: dict[CallKey, tuple[str, Completion]] = {}
        self.errors: list[ModelError] = []

    async def find(self, key: CallKey) -> tuple[str, Completion] | None:
        return self.calls.get(key)

    async def write_call(self, key: CallKey, request: Request, completion: Completion) -> None:
        self.calls[key] = (request.hash, completion)

    async def write_error(self, where: Where, request: Request, error: ModelError) -> None:
        self.errors.append(error)


def test_a_stop_is_not_journaled_and_the_journal_still_answers() -> None:
    async def run() -> tuple[str, Book]:
        book = Book()
        async with ModelPool() as pool:
            model = Journaled(pool.model(ModelConfig(spec="scripted:echo")), book, {"model": "m"})
            WHERE.set(Where("t", 1, "talker", 1, 0))
            first = await model.complete(ASK)
            pool.stop()
            with pytest.raises(Stopped):
                await model.complete(ASK)
            WHERE.set(Where("t", 1, "talker", 1, 0))
            assert await model.complete(ASK) == first
            return first.text, book

    text, book = asyncio.run(run())
    assert text and len(book.calls) == 1 and book.errors == []
