"""One process at a time on a run: a lease in Redis with a fencing token, a lock on a folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from emoharbor.checkpoints.batch import Word
from emoharbor.checkpoints.owner import describe, this_process
from emoharbor.checkpoints.redis_store import RedisStore
from emoharbor.errors import CheckpointError

TTL = 30.0

# KEYS[2]: lease, KEYS[3]: fence. ARGV[2]: owner, ARGV[3]: milliseconds. The counter only grows,
# so a token never comes back. An owner that asks twice (its answer was lost) is given its token.
ACQUIRE = """
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[2] then return owner end
if not owner then redis.call('INCR', KEYS[3]) end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return tonumber(redis.call('GET', KEYS[3]))
"""
# ARGV[2]: token, ARGV[3]: owner, ARGV[4]: milliseconds. A lease that ran out while nobody else
# took the run (the token still fits) goes on.
RENEW = """
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return 1
"""
RELEASE = """
if redis.call('GET', KEYS[3]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
return 1
"""


class RedisLease:
    """The right to write to a run in Redis, renewed in the background until it is released.

    While it is held every commit of `store` is checked against its fencing token by the server.
    An owner that dies loses the run after `ttl` seconds. One that slept for longer may go on if
    nobody took the run; if somebody did, its next commit raises CheckpointError. `lost` is set
    when that is noticed.
    """

    def __init__(self, store: RedisStore, *, ttl: float = TTL) -> None:
        self.lost = asyncio.Event()
        self._store = store
        self._ttl = ttl
        self._owner = ""
        self._keys = [store.key("lease"), store.key("fence")]
        self._acquire, self._renew, self._release = (
            store.script(text) for text in (ACQUIRE, RENEW, RELEASE)
        )
        self._renewing: asyncio.Task[None] | None = None

    async def acquire(self) -> None:
        """Takes the lease. Raises CheckpointError that names the owner when it is held."""
        self._owner = this_process()
        words: list[Word] = [self._owner, round(self._ttl * 1000)]
        answer = await self._store.run_script(self._acquire, self._keys, words)
        if isinstance(answer, bytes):
            raise CheckpointError(
                f"run '{self._store.run}' at {self._store.where} is being run by "
                f"{describe(answer.decode())}. Stop that process or wait until it has finished; "
                f"if it died, the run is free within {self._ttl:g} seconds."
            )
        self._store.token = str(answer)
        self._renewing = asyncio.create_task(self._keep())

    async def release(self) -> None:
        """Gives the run free; nothing happens when it is not held."""
        token, self._store.token = self._store.token, ""
        if self._renewing is None:
            return
        self._renewing.cancel()
        with suppress(asyncio.CancelledError):
            await self._renewing
        self._renewing = None
        # A server that cannot be reached lets the lease run out by itself.
        with suppress(CheckpointError):
            await self._store.run_script(self._release, self._keys, [token])

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """The lease for the length of a block."""
        await self.acquire()
        try:
            yield
        finally:
            await self.release()

    async def _keep(self) -> None:
        words: list[Word] = [self._store.token, self._owner, round(self._ttl * 1000)]
        while True:
            await asyncio.sleep(self._ttl / 3)
            # What an outage means is decided by the next commit, which is checked anyway.
            with suppress(CheckpointError):
                if not await self._store.run_script(self._renew, self._keys, words):
                    self.lost.set()
                    return


class FolderLock:
    """A run folder's lock: an operating system's lock on `path`, which dies with its owner.

    The file holds who has it. POSIX only; the file stays when the lock is given free.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> None:
        """Takes the lock. Raises CheckpointError that names the owner when it is held."""
        import fcntl

        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise CheckpointError(f"cannot write {self.path}: {error.strerror}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = describe(os.read(file, 1000).decode(errors="replace"))
            os.close(file)
            if not isinstance(error, BlockingIOError):
                raise CheckpointError(f"cannot lock {self.path}: {error.strerror}") from error
            raise CheckpointError(
                f"{self.path.parent} is being run by {owner}. Stop that process or wait until it "
                "has finished."
            ) from error
        os.ftruncate(file, 0)
        os.write(file, this_process().encode())
        self._file = file

    def release(self) -> None:
        """Gives the folder free; nothing happens when it is not held."""
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock for the length of a block."""
        self.acquire()
        try:
            yield
        finally:
            self.release()
