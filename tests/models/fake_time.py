"""A time that passes only while somebody sleeps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class FakeTime:
    """`sleep` moves `now` on, though not before `quiet` says so: a call under way takes no time."""

    def __init__(self, quiet: Callable[[], bool] = lambda: True) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.quiet = quiet

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        until = self.now + seconds
        await asyncio.sleep(0)
        while not self.quiet():
            await asyncio.sleep(0.001)
        self.now = max(self.now, until)
