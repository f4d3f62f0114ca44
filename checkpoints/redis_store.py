"""What one run keeps in Redis: atomic fenced commits, simple reads, keys under one prefix.

Plain Redis ≥ 6 or Valkey, no modules; not Redis Cluster (a commit touches several keys).
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

from redis.asyncio import BlockingConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ResponseError

from emoharbor.checkpoints.batch import Batcher, Word
from emoharbor.checkpoints.owner import describe
from emoharbor.checkpoints.storage import FORMAT
from emoharbor.errors import CheckpointError, ConfigError, nearest

CONNECTIONS = 8
PATIENCE = 10.0
RUNS = "emoharbor:runs"

# Every script begins with this: KEYS[1] is the format's key and ARGV[1] the version known here.
# A run whose keys have vanished must not look like one in which nothing has happened yet.
CHECKED = """
local version = redis.call('GET', KEYS[1])
if version ~= ARGV[1] then return {err = 'FORMAT ' .. (version or '')} end
"""

# KEYS: format, fence, lease, last numbers by writer. ARGV: version, token, writer, number, how many
# expectations, then (key, field, value) each, then (count, words…) for each operation. All checks
# come first: Redis does not take back what a script has done. A commit whose answer was lost is
# sent again with the same number and is not applied twice.
COMMIT = """
if ARGV[2] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[2] then
  return {err = 'FENCED ' .. (redis.call('GET', KEYS[3]) or '')}
end
if tonumber(redis.call('HGET', KEYS[4], ARGV[3]) or '0') >= tonumber(ARGV[4]) then return 0 end
local i = 6
for _ = 1, tonumber(ARGV[5]) do
  if redis.call('HGET', ARGV[i], ARGV[i + 1]) ~= ARGV[i + 2] then return {err = 'CONFLICT'} end
  i = i + 3
end
redis.call('HSET', KEYS[4], ARGV[3], ARGV[4])
redis.call('EXPIRE', KEYS[4], 600)
while i <= #ARGV do
  local count = tonumber(ARGV[i])
  redis.call(unpack(ARGV, i + 1, i + count))
  i = i + 1 + count
end
return 1
"""
NUMBER_AT = 10

READ = "return redis.call(unpack(ARGV, 2))"

Op = tuple[Word, ...]
Expected = tuple[str, str, str | bytes]


class RedisStore:
    """One run's share of a Redis server; made by `RedisStore.open`.

    `token` is the fencing token while a lease is held, and empty otherwise: with a token, a
    commit is refused once another process has taken the run over.
    """

    def __init__(self, pool: BlockingConnectionPool, run: str, where: str):
        self.run = run
        self.where = where
        self.token = ""
        self._scripts: dict[str, str] = {}
        self.batcher = Batcher(pool, self._scripts, where)
        self._commit = self.script(COMMIT)
        self._read = self.script(READ)
        self._format = self.key("format")
        self._checked = [self._format, self.key("fence"), self.key("lease")]
        self._seen, self._writer = self.key("seen"), uuid.uuid4().hex

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, run: str, *, patience: float = PATIENCE, begin: bool = True
    ) -> AsyncIterator[Self]:
        """The store of `run` at `url`; an outage is waited out for `patience` seconds.

        Without `begin` the run must be there, and opening it changes nothing. Raises ConfigError
        for an address or a run's name that cannot be used, and for such a run that is not there;
        CheckpointError when the server is not there or holds the run in a format that is not known.
        """
        if not re.fullmatch(r"[^\s:]+", run):
            raise ConfigError(f"run '{run}': a name in Redis has no blanks and no ':'")
        pool = _pool(url)
        store = cls(pool, run, _where(pool))
        try:
            await store._check_format(begin)
            store.batcher.patience = patience
            yield store
        finally:
            store.batcher.patience = 0.0
            if begin:
                with suppress(CheckpointError, ResponseError):
                    await store.batcher.send(["HDEL", store._seen, store._writer])
            await store.batcher.close()

    def key(self, *parts: str) -> str:
        """The name of one of the run's keys."""
        return ":".join(("emoharbor", self.run, *parts))

    def script(self, text: str) -> str:
        """Makes a Lua script known; returns the name that `run_script` wants.

        Its own keys begin at KEYS[2] and its words at ARGV[2].
        """
        whole = CHECKED + text
        name = hashlib.sha1(whole.encode(), usedforsecurity=False).hexdigest()
        self._scripts[name] = whole
        return name

    async def commit(
        self,
        ops: Sequence[Op],
        *,
        expect: Sequence[Expected] = (),
        conflict: str = "another process has changed this",
    ) -> None:
        """Applies `ops` (write commands as tuples: `("RPUSH", key, line)`) all or none, once.

        `expect` holds (key, field, value) of hashes that must be so; if not, CheckpointError says
        `conflict`. CheckpointError too when the run was taken over, or when the server cannot be
        reached. Commits of one tick share a round trip; a reply that was lost is no second RPUSH.
        """
        keys = [*self._checked, self._seen]
        command: list[Word] = ["EVALSHA", self._commit, 4, *keys]
        command += (FORMAT, self.token, self._writer, 0, len(expect))
        for wanted in expect:
            command += wanted
        for op in ops:
            command.append(len(op))
            command += op
        await self._answer(command, NUMBER_AT, conflict)

    async def read(self, *words: Word) -> Any:
        """The raw reply (bytes, int, list or None) to one command that changes nothing.

        `await store.read("HGET", key, field)`, `read("LRANGE", key, 0, -1)`, `read("EXISTS", key)`.
        """
        return await self.run_script(self._read, (), words)

    async def run_script(self, name: str, keys: Sequence[str], words: Sequence[Word] = ()) -> Any:
        """The reply of a script made known by `script`, which may be sent twice in an outage."""
        command: list[Word] = ["EVALSHA", name, 1 + len(keys), self._format, *keys]
        return await self._answer([*command, FORMAT, *words])

    async def _answer(
        self, command: list[Word], number_at: int | None = None, conflict: str = ""
    ) -> Any:
        try:
            return await self.batcher.send(command, number_at)
        except ResponseError as error:
            raise self._refusal(str(error), conflict) from error

    def _refusal(self, said: str, conflict: str) -> CheckpointError:
        kind, _, rest = said.partition(" ")
        if kind == "FENCED":
            now = f"is now run by {describe(rest)}" if rest else "is no longer this process's"
            return CheckpointError(
                f"run '{self.run}' at {self.where} {now}: this process may not write to it any "
                "more. Stop this one; the other goes on from the last checkpoint."
            )
        if kind == "FORMAT":
            return CheckpointError(self._wrong_format(rest))
        if kind == "CONFLICT":
            return CheckpointError(conflict)
        return CheckpointError(f"Redis at {self.where}: {said}")

    def _wrong_format(self, found: str) -> str:
        if not found:
            return (
                f"run '{self.run}' has vanished from Redis at {self.where}: its keys were deleted, "
                "ran out of time, or the server was restarted without its data"
            )
        return (
            f"run '{self.run}' at {self.where} is kept in format {found}, this version of "
            f"EmoHarbor knows {FORMAT}: use the version that began the run, or a new run"
        )

    async def _check_format(self, begin: bool) -> None:
        send = self.batcher.send
        try:
            if begin:
                await send(["SET", self._format, FORMAT, "NX"])
            found = await send(["GET", self._format])
            if found is None:
                known = nearest(self.run, await _runs(self.batcher))
                raise ConfigError(f"Redis at {self.where} holds no run '{self.run}'{known}")
            if found.decode() != FORMAT:
                raise CheckpointError(self._wrong_format(found.decode()))
            if begin:
                await send(["SADD", RUNS, self.run])
        except ResponseError as error:
            raise CheckpointError(f"Redis at {self.where}: {error}") from error


async def runs_at(url: str) -> list[str]:
    """The names of the runs that are kept at `url`. Raises ConfigError and CheckpointError."""
    pool = _pool(url)
    batcher = Batcher(pool, {}, _where(pool))
    try:
        return await _runs(batcher)
    except ResponseError as error:
        raise CheckpointError(f"Redis at {_where(pool)}: {error}") from error
    finally:
        await batcher.close()


async def _runs(batcher: Batcher) -> list[str]:
    names = sorted(name.decode() for name in await batcher.send(["SMEMBERS", RUNS]))
    there = await asyncio.gather(
        *(batcher.send(["EXISTS", f"emoharbor:{name}:format"]) for name in names)
    )
    return [name for name, exists in zip(names, there, strict=True) if exists]


def _pool(url: str) -> BlockingConnectionPool:
    try:
        return BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=None,
            socket_connect_timeout=5,
        )
    except ValueError as error:
        raise ConfigError(f"the Redis address cannot be used: {error}") from error


def _where(pool: BlockingConnectionPool) -> str:
    """The server without the password that its address may hold."""
    known = pool.connection_kwargs
    if "path" in known:
        return str(known["path"])
    return f"{known.get('host', 'localhost')}:{known.get('port', 6379)}/{known.get('db', 0)}"
