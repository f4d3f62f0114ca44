"""Commands of many callers, one round trip: what comes during one goes with the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis.asyncio import BlockingConnectionPool
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ConnectionError,
    NoScriptError,
    RedisError,
    ResponseError,
    TimeoutError,
)

from emoharbor.errors import CheckpointError

Word = str | bytes | int | float
OUTAGES = (ConnectionError, TimeoutError, OSError)
REFUSALS = (AuthenticationError, AuthorizationError)
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
FIRST_PATIENCE = 5.0


@dataclass(slots=True)
class Queued:
    """A command that waits for its trip, and who waits for its answer.

    `number_at` is where its number goes, if it has one: a number is given when the command is
    first sent and kept when it is sent again after an outage, so that the server can tell.
    """

    command: list[bytes]
    answer: asyncio.Future[Any]
    number_at: int | None


class Batcher:
    """One round trip at a time; an outage is waited out for `patience` seconds.

    `scripts` maps a script's hash to its text, for a server that does not know it.
    """

    def __init__(self, pool: BlockingConnectionPool, scripts: Mapping[str, str], where: str):
        self.patience = 0.0
        self.commands = 0
        self.trips = 0
        self._pool = pool
        self._scripts = scripts
        self._where = where
        self._queue: list[Queued] = []
        self._trip: asyncio.Task[None] | None = None
        self._number = 0

    def send(self, command: Sequence[Word], number_at: int | None = None) -> asyncio.Future[Any]:
        """The command's answer to come, an error of its own included.

        Raises (in the future) ResponseError when the server refuses this command, and
        CheckpointError when it cannot be reached.
        """
        answer = asyncio.get_running_loop().create_future()
        # Encoded here, so that a word that cannot be sent fails its own caller and no other.
        self._queue.append(Queued([encoded(word) for word in command], answer, number_at))
        if self._trip is None:
            self._trip = asyncio.create_task(self._run())
        return answer

    async def close(self) -> None:
        """Waits for what is under way and lets go of the connections."""
        if self._trip is not None:
            await self._trip
        await self._pool.disconnect()

    async def _run(self) -> None:
        try:
            while self._queue:
                batch, self._queue = self._queue, []
                await self._deliver(batch)
        finally:
            self._trip = None

    async def _deliver(self, batch: list[Queued]) -> None:
        try:
            self._give_numbers(batch)
            replies = await self._persist(batch)
            unknown = [i for i, r in enumerate(replies) if isinstance(r, NoScriptError)]
            if unknown:
                again = [batch[i] for i in unknown]
                for queued in again:
                    text = self._scripts[queued.command[1].decode()]
                    queued.command[:2] = [b"EVAL", text.encode()]
                # None of them ran, and others may have run in between: new numbers.
                self._give_numbers(again)
                for i, reply in zip(unknown, await self._persist(again), strict=True):
                    replies[i] = reply
        except Exception as error:
            replies = [self._explained(error) for _ in batch]
        for queued, reply in zip(batch, replies, strict=True):
            if queued.answer.done():
                continue
            if isinstance(reply, BaseException):
                queued.answer.set_exception(reply)
            else:
                queued.answer.set_result(reply)

    def _give_numbers(self, batch: list[Queued]) -> None:
        for queued in batch:
            if queued.number_at is not None:
                self._number += 1
                queued.command[queued.number_at] = b"%d" % self._number

    async def _persist(self, batch: list[Queued]) -> list[Any]:
        """The replies, in order; tries again during an outage as long as patience lasts."""
        commands = [queued.command for queued in batch]
        ends, pause = time.monotonic() + self.patience, FIRST_PAUSE
        while True:
            try:
                return await self._exchange(commands)
            except REFUSALS:
                raise
            except OUTAGES:
                if time.monotonic() + pause > ends:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _exchange(self, commands: Sequence[list[bytes]]) -> list[Any]:
        async with asyncio.timeout(self.patience or FIRST_PATIENCE):
            connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
            try:
                packed = connection.pack_commands(commands)
                await connection.send_packed_command(packed, check_health=False)
                replies = [await _reply(connection) for _ in commands]
            except BaseException:
                # Replies may still be on their way: nobody else must read them.
                await connection.disconnect(nowait=True)
                raise
            finally:
                await self._pool.release(connection)
        self.commands += len(commands)
        self.trips += 1
        return replies

    def _explained(self, error: Exception) -> CheckpointError:
        if isinstance(error, OUTAGES) and not isinstance(error, REFUSALS):
            said = str(error) or "no answer in time"
            failed = CheckpointError(f"Redis at {self._where} cannot be reached: {said}")
        elif isinstance(error, RedisError):
            failed = CheckpointError(f"Redis at {self._where}: {error}")
        else:
            failed = CheckpointError(f"Redis at {self._where}: {error!r}")
        failed.__cause__ = error
        return failed


def encoded(word: Word) -> bytes:
    """A word as it is sent. Raises CheckpointError for what is neither text, bytes nor number."""
    if isinstance(word, bytes):
        return word
    if isinstance(word, str | int | float) and not isinstance(word, bool):
        try:
            return str(word).encode()
        except UnicodeEncodeError as error:
            raise CheckpointError(f"{word!r} cannot be stored: {error.reason}") from error
    raise CheckpointError(f"{word!r} cannot be stored: text, bytes or a number is wanted")


async def _reply(connection: Any) -> Any:
    try:
        return await connection.read_response(disable_decoding=True)
    except ResponseError as error:
        return error
