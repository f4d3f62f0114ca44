"""An event loop that goes on while a person thinks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Beside:
    """A loop in a thread of its own, for a thread that waits at a prompt in between.

    What is held in it stays held: a lease is renewed, a program that was started is heard. Ctrl-C
    cancels what `run` waits for, and is raised once that has ended; a second one at once.
    """

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` returns or raises."""
        task = asyncio.run_coroutine_threadsafe(_begun(work), self._loop).result()
        try:
            return self._result(task)
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(task.cancel)
            asyncio.run_coroutine_threadsafe(asyncio.wait({task}), self._loop).result()
            raise

    @contextmanager
    def opened(self, manager: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """`manager` entered and left in the loop, which is told of no error of this thread."""
        value = self.run(_entered(manager))
        try:
            yield value
        finally:
            self.run(_left(manager))

    def _result(self, task: asyncio.Task[T]) -> T:
        asyncio.run_coroutine_threadsafe(asyncio.wait({task}), self._loop).result()
        return task.result()


async def _begun(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    return asyncio.create_task(work)


async def _entered(manager: AbstractAsyncContextManager[T]) -> T:
    return await manager.__aenter__()


async def _left(manager: AbstractAsyncContextManager[Any]) -> None:
    await manager.__aexit__(None, None, None)
