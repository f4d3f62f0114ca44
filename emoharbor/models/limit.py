"""Which call may begin at an endpoint, and when: in the order in which they came."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from emoharbor.errors import EmoHarborError, ModelError, Stopped
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.pace import Pace
from emoharbor.models.rate import MinuteWindow, Spent, estimated_tokens, used_tokens
from emoharbor.models.retry import LONGEST_RETRY_AFTER
from emoharbor.models.stopping import Stopping

Clock = Callable[[], float]


@dataclass(frozen=True)
class Load:
    """How an endpoint stands: calls in flight and their limit, calls waiting, refusals so far."""

    in_flight: int
    limit: int
    waiting: int
    throttled: int


@dataclass(slots=True, eq=False)
class Place:
    """A call in flight: the how-manieth, since when, and the tokens it is taken to need."""

    number: int
    started: float
    tokens: Spent | None


@dataclass(slots=True, eq=False)
class _Turn:
    """A call in the queue; its future brings its place, or why it gets none."""

    tokens: int
    future: asyncio.Future[Place | EmoHarborError]


class EndpointLimiter:
    """One endpoint's places, pauses and minutes. While there is room, a call costs no timer."""

    def __init__(
        self, concurrency: int, stopping: Stopping | None = None, clock: Clock = time.monotonic
    ) -> None:
        self._pace = Pace(concurrency)
        self._stopping = stopping or Stopping()
        self._clock = clock
        self._in_flight = self._begun = 0
        self._queue: deque[_Turn] = deque()
        self._requests: MinuteWindow | None = None
        self._tokens: MinuteWindow | None = None
        self._paused_until = -math.inf
        self._refusal: ModelError | None = None
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at = math.inf

    @property
    def load(self) -> Load:
        """The figures of this moment."""
        pace = self._pace
        return Load(self._in_flight, pace.limit, len(self._queue), pace.throttled)

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens a minute are limited, so that a call has to name its own."""
        return self._tokens is not None

    def narrow(self, rpm: int | None, tpm: int | None) -> None:
        """Sets requests and tokens a minute; where they are set already, the smaller one holds."""
        self._requests = _narrowed(self._requests, rpm)
        self._tokens = _narrowed(self._tokens, tpm)

    async def enter(self, tokens: int = 0) -> Place:
        """Waits for a place, which must be given back with `leave`.

        Raises:
            Stopped: the run is stopping.
            ModelError: the endpoint asked for a pause too long to sit out.
        """
        now = self._clock()
        if error := self._closed(now):
            raise error
        if not self._queue and self._wait(now, tokens) <= 0:
            return self._begin(now, tokens)
        turn = _Turn(tokens, asyncio.get_running_loop().create_future())
        self._queue.append(turn)
        self.admit()
        try:
            outcome = await turn.future
        except asyncio.CancelledError:
            self._give_up(turn)
            raise
        if isinstance(outcome, Place):
            return outcome
        raise outcome

    def succeeded(self, place: Place, reply: Completion) -> None:
        """Learns from a reply: how fast the endpoint is, and what the call truly used."""
        now = self._clock()
        self._pace.succeeded(place.number, (now - place.started) / (reply.usage.output_tokens or 1))
        used = used_tokens(reply)
        if self._tokens and place.tokens and used is not None:
            self._tokens.correct(place.tokens, used, now)

    def failed(self, place: Place, error: ModelError) -> None:
        """Makes fewer calls when overloaded, and none before the server's Retry-After is over."""
        pause = error.retry_after
        if error.cause in ("rate_limited", "overloaded"):
            default = self._pace.overloaded(place.number, self._begun)
            pause = default if pause is None else pause
        if pause is not None and self._clock() + pause > self._paused_until:
            self._paused_until = self._clock() + pause
            # A new error: this one holds the frames of its call, and so the prompt.
            self._refusal = ModelError(str(error), error.cause)

    def leave(self) -> None:
        """Gives a place to whoever waits longest."""
        self._in_flight -= 1
        if self._queue:
            self.admit()

    def admit(self) -> None:
        """Lets in whoever may begin now; wakes all when the run is stopping."""
        now = self._clock()
        while self._queue:
            turn = self._queue[0]
            error = self._closed(now)
            wait = 0.0 if error else self._wait(now, turn.tokens)
            if wait > 0:
                self._ring_in(wait, now)
                return
            self._queue.popleft()
            # A cancelled call stands in the queue until its task runs again.
            if not turn.future.done():
                turn.future.set_result(error or self._begin(now, turn.tokens))

    def _closed(self, now: float) -> EmoHarborError | None:
        if self._stopping.stopped:
            return Stopped()
        left = self._paused_until - now
        if left > LONGEST_RETRY_AFTER and self._refusal:
            # Nobody sits out an hour unseen: each call fails as the one that was told so.
            return ModelError(str(self._refusal), self._refusal.cause, left)
        return None

    def _wait(self, now: float, tokens: int) -> float:
        """Seconds until a call may begin; infinite while it waits for another one to end."""
        if self._in_flight >= self._pace.limit:
            return math.inf
        wait = self._paused_until - now
        if self._requests:
            wait = max(wait, self._requests.wait(now, 1))
        if self._tokens:
            wait = max(wait, self._tokens.wait(now, tokens))
        return wait

    def _begin(self, now: float, tokens: int) -> Place:
        self._in_flight += 1
        self._begun += 1
        if self._requests:
            self._requests.take(now, 1)
        spent = self._tokens.take(now, tokens) if self._tokens else None
        return Place(self._begun, now, spent)

    def _give_up(self, turn: _Turn) -> None:
        """A waiting call was cancelled, perhaps in the moment in which it got its place."""
        with suppress(ValueError):
            self._queue.remove(turn)
        if turn.future.cancelled():
            self.admit()
        elif isinstance(turn.future.result(), Place):
            self.leave()

    def _ring_in(self, seconds: float, now: float) -> None:
        """One alarm for the head of the queue; none while it waits for a place."""
        if seconds == math.inf or (self._alarm and self._alarm_at <= now + seconds):
            return
        if self._alarm:
            self._alarm.cancel()
        self._alarm_at = now + seconds
        self._alarm = asyncio.create_task(self._ring(seconds))

    async def _ring(self, seconds: float) -> None:
        with suppress(Stopped):
            await self._stopping.sleep(seconds)
        self._alarm = None
        self.admit()


@dataclass(frozen=True)
class Limited:
    """A model whose calls wait for their endpoint's `limiter`."""

    inner: ChatModel
    limiter: EndpointLimiter

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Calls the inner model as soon as there is room. Raises Stopped and ModelError."""
        limiter = self.limiter
        place = await limiter.enter(estimated_tokens(messages) if limiter.counts_tokens else 0)
        try:
            reply = await self.inner.complete(messages, schema=schema, seed=seed)
            limiter.succeeded(place, reply)
            return reply
        except ModelError as error:
            limiter.failed(place, error)
            raise
        finally:
            limiter.leave()


def _narrowed(window: MinuteWindow | None, most: int | None) -> MinuteWindow | None:
    if most is None:
        return window
    if window is None:
        return MinuteWindow(most)
    window.most = min(window.most, most)
    return window
