"""One process at a time on a run: a lease in Redis with a fencing token, a lock on a folder."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from emoharbor.checkpoints.owner import describe, this_process
from emoharbor.errors import CheckpointError

# A folder's lock does without Redis.
if TYPE_CHECKING:
    from emoharbor.checkpoints.batch import Word
    from emoharbor.checkpoints.redis_store import RedisStore

TTL = 30.0
LOOK = 0.02

# KEYS[2]: lease, KEYS[3]: fence. ARGV[2]: owner, ARGV[3]: milliseconds. The counter only grows,
# so a token never comes back, and it begins at the server's time: a run that was deleted and begun
# anew under its old name has no token of the old one. An owner that asks twice (its answer was
# lost) is given its token.
ACQUIRE = """
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[2] then return owner end
if not owner then
  local now = redis.call('TIME')
  redis.call('SET', KEYS[3], now[1] .. string.format('%06d', now[2]), 'NX')
  redis.call('INCR', KEYS[3])
end
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

    async def holder(self) -> str | None:
        """Who holds the lease now, in words, or None. Nothing is changed.

        The dead hold it until it ends: of an owner that has missed two renewals that is said.
        """
        owner, left = await asyncio.gather(
            self._store.read("GET", self._keys[0]), self._store.read("PTTL", self._keys[0])
        )
        if owner is None:
            return None
        third = self._ttl / 3
        late = f", silent for {2 * third:g} s; if it died, the run is free within {third:g} s"
        return describe(owner.decode()) + (late if left < 1000 * third else "")

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
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise CheckpointError(f"cannot write {self.path}: {error.strerror}") from error
        try:
            _lock(file)
        except OSError as error:
            owner = describe(os.read(file, 1000).decode(errors="replace"))
            os.close(file)
            if not isinstance(error, BlockingIOError):
                raise CheckpointError(f"cannot lock {self.path}: {error.strerror}") from error
            raise CheckpointError(
                f"{self.path.parent} is being run by {owner}. Stop that process or wait until it "
                "has finished."
            ) from error
        if not os.fstat(file).st_nlink:
            # Its owner deleted the run, with this file, since it was opened.
            os.close(file)
            return self.acquire()
        os.ftruncate(file, 0)
        os.write(file, this_process().encode())
        self._file = file

    def release(self) -> None:
        """Gives the folder free; nothing happens when it is not held."""
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    def holder(self) -> str | None:
        """Who holds the lock now, in words, or None. The file is looked at and not changed."""
        import fcntl

        try:
            file = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CheckpointError(f"cannot read {self.path}: {error.strerror}") from error
        try:
            if owner := os.read(file, 1000):
                # It was killed if this can be had, which is given free again at once.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return describe(owner.decode(errors="replace"))
        finally:
            os.close(file)
        return None

    @contextmanager
    def held(self) -> Iterator[None]:
        """The lock for the length of a block."""
        self.acquire()
        try:
            yield
        finally:
            self.release()


def _lock(file: int) -> None:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # Who looks whether the owner was killed has the file for a moment; an owner keeps it.
        time.sleep(LOOK)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
