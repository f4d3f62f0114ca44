"""One endpoint's queue: in order, never over the limit, never stuck."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.errors import ModelCause, ModelError
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.limit import EndpointLimiter, Limited, Load
from emoharbor.models.stopping import Stopping
from emoharbor.state.verdict import Usage
from tests.models.fake_time import FakeTime

Outcome = tuple[int, ModelCause | None, float | None, bool]
NO_RETRY_AFTER = ModelError("m at h: busy", "overloaded")


def ask(text: str = "Hi.") -> list[ChatMessage]:
    return [{"role": "user", "content": text}]


class Recorder:
    """A model that notes when each call began."""

    def __init__(self, time: FakeTime, usage: Usage | None = None) -> None:
        self.time, self.usage = time, usage or Usage()
        self.began: list[float] = []

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Any = None, seed: int | None = None
    ) -> Completion:
        self.began.append(self.time.now)
        await asyncio.sleep(0)
        return Completion("Hello.", usage=self.usage)


def begun_under(
    rpm: int | None, tpm: int | None, usage: Usage, texts: Sequence[str], concurrency: int = 4
) -> list[float]:
    """When each call began, in seconds after the first one."""

    async def run() -> list[float]:
        time = FakeTime(lambda: limiter.load.in_flight == 0)
        limiter = EndpointLimiter(concurrency, Stopping(time.sleep), time.clock)
        limiter.narrow(rpm, tpm)
        recorder = Recorder(time, usage)
        model = Limited(recorder, limiter)
        await asyncio.gather(*(model.complete(ask(text)) for text in texts))
        return [at - recorder.began[0] for at in recorder.began]

    return asyncio.run(run())


def test_requests_a_minute() -> None:
    assert begun_under(5, None, Usage(), ["x"] * 12) == [0.0] * 5 + [60.0] * 5 + [120.0] * 2


def test_tokens_a_minute_are_estimated_and_then_corrected() -> None:
    used = Usage(input_tokens=30, output_tokens=20)
    assert begun_under(None, 100, used, ["x"] * 6, concurrency=1) == [0, 0, 60, 60, 120, 120]
    # Nothing is corrected where a server does not say: 40 tokens by the text.
    assert begun_under(None, 100, Usage(), ["x" * 156] * 4, concurrency=1) == [0, 0, 60, 60]


def test_a_call_larger_than_a_minute_is_made_all_the_same() -> None:
    assert begun_under(None, 10, Usage(), ["x" * 400, "x" * 400]) == [0, 60]


def test_the_smallest_rate_of_an_endpoint_holds() -> None:
    limiter = EndpointLimiter(4)
    for rpm in (7, None, 3, 9):
        limiter.narrow(rpm, None)
    assert limiter._requests and limiter._requests.most == 3 and not limiter.counts_tokens


def test_first_come_first_served() -> None:
    async def run() -> list[int]:
        limiter, order = EndpointLimiter(2), list[int]()

        async def call(number: int) -> None:
            await limiter.enter()
            order.append(number)
            for _ in range(random.Random(number).randrange(5)):
                await asyncio.sleep(0)
            limiter.leave()

        await asyncio.gather(*(call(number) for number in range(50)))
        return order

    assert asyncio.run(run()) == list(range(50))


def test_there_is_no_task_while_there_is_room() -> None:
    async def run() -> tuple[int, Load]:
        limiter = EndpointLimiter(4)
        limiter.narrow(100, 1000)
        places = [await limiter.enter(1) for _ in range(4)]
        assert len(places) == 4
        return len(asyncio.all_tasks()), limiter.load

    assert asyncio.run(run()) == (1, Load(in_flight=4, limit=4, waiting=0, throttled=0))


def test_a_pause_without_retry_after_holds_back_new_calls() -> None:
    async def run() -> tuple[list[float], float]:
        time = FakeTime()
        limiter = EndpointLimiter(4, Stopping(time.sleep), time.clock)
        began, place = time.now, await limiter.enter()
        limiter.failed(place, NO_RETRY_AFTER)
        limiter.leave()
        await limiter.enter()
        return time.slept, time.now - began

    assert asyncio.run(run()) == ([0.5], 0.5)


def test_a_later_retry_after_lengthens_the_pause_and_a_shorter_does_not() -> None:
    async def run() -> float:
        time = FakeTime()
        limiter = EndpointLimiter(8, Stopping(time.sleep), time.clock)
        began, places = time.now, [await limiter.enter() for _ in range(3)]
        for place, after in zip(places, (5.0, 20.0, 1.0), strict=True):
            limiter.failed(place, ModelError("busy", "server_error", after))
            limiter.leave()
        await limiter.enter()
        assert limiter.load.limit == 8  # a plain 500 asks for a pause, not for fewer calls
        return time.now - began

    assert asyncio.run(run()) == 20.0


def test_nobody_sits_out_an_hour() -> None:
    async def run() -> tuple[list[BaseException | object], list[float]]:
        time = FakeTime()
        limiter = EndpointLimiter(1, Stopping(time.sleep), time.clock)
        place = await limiter.enter()
        waiting = [asyncio.create_task(limiter.enter()) for _ in range(2)]
        await asyncio.sleep(0)
        limiter.failed(place, ModelError("m at h: busy", "rate_limited", 3600.0))
        limiter.leave()
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        with pytest.raises(ModelError) as caught:
            await limiter.enter()
        time.now += 3001.0
        await limiter.enter()
        return [*outcomes, caught.value], time.slept

    outcomes, slept = asyncio.run(run())
    for error in outcomes:
        assert isinstance(error, ModelError)
        assert (str(error), error.retry_after) == ("m at h: busy", 3600.0)
    assert slept == [599.0]


class Guarded(EndpointLimiter):
    """Checks at the moment in which a call begins."""

    def _begin(self, now: float, tokens: int) -> Any:
        assert self.load.in_flight < self.load.limit
        assert now >= self._paused_until
        return super()._begin(now, tokens)


outcomes = st.tuples(
    st.integers(0, 6),
    st.sampled_from([None, None, None, "rate_limited", "overloaded", "server_error"]),
    st.sampled_from([None, 0.0, 1.0, 30.0]),
    st.booleans(),
)


@settings(deadline=None, max_examples=150)
@given(
    st.integers(1, 6),
    st.sampled_from([None, 3]),
    st.sampled_from([None, 50]),
    st.lists(outcomes, min_size=1, max_size=25),
    st.randoms(use_true_random=False),
)
def test_never_over_the_limit_and_never_stuck(
    concurrency: int, rpm: int | None, tpm: int | None, calls: list[Outcome], rng: random.Random
) -> None:
    # Drawn before any task is: what cannot be drawn would be raised in a task nobody waits for.
    sizes, pauses = ([rng.randrange(n) for _ in calls] for n in (60, 4))

    async def one(limiter: EndpointLimiter, call: Outcome, tokens: int) -> None:
        ticks, cause, after, _ = call
        place = await limiter.enter(tokens)
        try:
            for _ in range(ticks):
                await asyncio.sleep(0)
            if cause:
                limiter.failed(place, ModelError("x", cause, after))
            else:
                limiter.succeeded(place, Completion("x"))
        finally:
            limiter.leave()

    async def run() -> Load:
        time = FakeTime()
        limiter = Guarded(concurrency, Stopping(time.sleep), time.clock)
        limiter.narrow(rpm, tpm)
        each = zip(calls, sizes, strict=True)
        tasks = [asyncio.create_task(one(limiter, call, size)) for call, size in each]
        for task, (*_, cancelled), pause in zip(tasks, calls, pauses, strict=True):
            for _ in range(pause):
                await asyncio.sleep(0)
            if cancelled:
                task.cancel()
        done, stuck = await asyncio.wait(tasks, timeout=20)
        assert not stuck
        for task in done:
            if not task.cancelled():
                task.result()
        return limiter.load

    load = asyncio.run(run())
    assert (load.in_flight, load.waiting) == (0, 0) and 1 <= load.limit <= concurrency
