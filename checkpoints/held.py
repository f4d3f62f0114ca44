"""Writes that wait a moment for the checkpoint they lead to, so that both are sent as one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from emoharbor.checkpoints.storage import Change, Place, Storage, Write
from emoharbor.errors import CheckpointError

HOLD = 0.1


class HeldWrites:
    """By thread, for `HOLD` seconds. What could not be sent stays, and the next flush says so."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._writes: dict[str, list[Write]] = {}
        self._since: dict[str, float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._sending: asyncio.Task[None] | None = None

    def add(self, thread: str, writes: Sequence[Write]) -> None:
        """Holds these writes."""
        self._writes.setdefault(thread, []).extend(writes)
        self._since.setdefault(thread, time.monotonic())
        self._look_later()

    def take(self, thread: str, place: Place) -> list[Write]:
        """The writes on one checkpoint, which are then no longer held."""
        held = self._writes.pop(thread, [])
        left = [write for write in held if write.place != place]
        if left:
            self._writes[thread] = left
        else:
            self._since.pop(thread, None)
        return [write for write in held if write.place == place]

    def drop(self, thread: str) -> None:
        """Forgets a thread's writes."""
        self._writes.pop(thread, None)
        self._since.pop(thread, None)

    def close(self) -> None:
        """Sends nothing by itself any more."""
        if self._timer is not None:
            self._timer.cancel()

    async def flush(self, thread: str | None = None) -> None:
        """Sends what is held of a thread, or of all.

        Raises CheckpointError when it cannot be sent; it is then held on.
        """
        for name in list(self._writes) if thread is None else [thread]:
            writes = self._writes.pop(name, None)
            if not writes:
                continue
            since = self._since.pop(name)
            change = Change()
            change.add(writes)
            try:
                await self._storage.change(name, change)
            except BaseException:
                self._writes[name] = [*writes, *self._writes.get(name, [])]
                self._since[name] = since
                raise

    def _look_later(self) -> None:
        if self._timer is None and self._sending is None:
            self._timer = asyncio.get_running_loop().call_later(HOLD, self._look)

    def _look(self) -> None:
        """Sends what no checkpoint came for: a task has finished and its neighbours still run."""
        self._timer = None
        now = time.monotonic()
        overdue = [name for name, since in self._since.items() if now - since >= HOLD]
        if overdue:
            self._sending = asyncio.create_task(self._send(overdue))
        elif self._writes:
            self._look_later()

    async def _send(self, threads: Sequence[str]) -> None:
        try:
            for thread in threads:
                await self.flush(thread)
        except CheckpointError:
            # Whoever reads or goes on with the thread flushes first, and is told.
            return
        finally:
            self._sending = None
        if self._writes:
            self._look_later()
