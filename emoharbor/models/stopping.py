"""The end of a run: who waits is woken, and no new call begins."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from emoharbor.errors import Stopped

Sleep = Callable[[float], Awaitable[object]]


class Stopping:
    """Whether a run is stopping, and sleeps that end when it does.

    Belongs to one event loop; `stop` is called in that loop's thread.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep) -> None:
        self.stopped = False
        self._sleep = sleep
        self._sleeping: set[asyncio.Future[Any]] = set()

    def stop(self) -> None:
        """Ends all sleeps. Harmless when called twice."""
        self.stopped = True
        for sleeper in self._sleeping:
            sleeper.cancel()

    def check(self) -> None:
        """Raises Stopped once the run is stopping."""
        if self.stopped:
            raise Stopped()

    async def sleep(self, seconds: float) -> None:
        """Sleeps; raises Stopped as soon as the run is stopping."""
        self.check()
        sleeper = asyncio.ensure_future(self._sleep(seconds))
        self._sleeping.add(sleeper)
        try:
            # Unlike `await sleeper`, this tells the sleep's cancellation from our own.
            await asyncio.wait([sleeper])
        finally:
            self._sleeping.discard(sleeper)
            sleeper.cancel()
        self.check()
