"""Threads in plain Redis or Valkey, a hash each, with an index of a run's threads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import chain
from typing import Self

from langgraph.checkpoint.serde.base import SerializerProtocol

from emoharbor.checkpoints.batch import Word
from emoharbor.checkpoints.redis_store import Expected, Op, RedisStore
from emoharbor.checkpoints.saver import ThreadSaver
from emoharbor.checkpoints.storage import Change, Found, Place
from emoharbor.errors import CheckpointError

# KEYS[2]: the thread's hash. ARGV[2]: namespace. ARGV[3]: checkpoint, or empty for the newest.
# Answers the checkpoint, its record, and its writes' fields and values.
FIND = """
local id = ARGV[3]
if id == '' then id = redis.call('HGET', KEYS[2], 'head|' .. ARGV[2]) end
if not id then return false end
local found = {id, redis.call('HGET', KEYS[2], 'c|' .. id .. '|' .. ARGV[2])}
local start, finish = 'w|' .. id .. '|', '|' .. ARGV[2]
for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
  if string.sub(field, 1, #start) == start and string.sub(field, -#finish) == finish then
    found[#found + 1] = field
    found[#found + 1] = redis.call('HGET', KEYS[2], field)
  end
end
return found
"""
# KEYS[2]: the thread's hash. Answers the lengths of all fields and values, and all of them as one
# string: a client takes that apart ten times as fast as a long list.
WHOLE = """
local parts, lengths = redis.call('HGETALL', KEYS[2]), {}
for i, part in ipairs(parts) do lengths[i] = #part end
return {table.concat(lengths, ' '), table.concat(parts)}
"""
CHUNK = 400


class RedisThreads:
    """A Storage in a run's share of a Redis server.

    With `ttl` (seconds), a thread vanishes when nothing of it was written for so long.
    """

    def __init__(self, store: RedisStore, ttl: float | None = None) -> None:
        self._store = store
        self._ttl = ttl
        self._index = store.key("threads")
        self._find, self._whole = store.script(FIND), store.script(WHOLE)

    def key(self, thread: str) -> str:
        """The key of a thread's hash."""
        return self._store.key("thread", thread)

    async def change(self, thread: str, change: Change) -> None:
        """Applies a change in one command, with the thread in the index and alive for `ttl`."""
        key = self.key(thread)
        ops: list[Op] = [("DEL", key)] if change.clear else []
        ops += (("HDEL", key, *fields) for fields in _chunks(change.drop))
        put: list[Word] = list(chain.from_iterable(change.put.items()))
        ops += (("HSET", key, *words) for words in _chunks(put))
        ops += (("HSETNX", key, *pair) for pair in change.first.items())
        if change.clear and not (put or change.first):
            ops.append(("SREM", self._index, thread))
        else:
            ops += self._living(thread)
        expect: list[Expected] = [(key, *change.expect)] if change.expect else []
        await self._store.commit(ops, expect=expect, conflict=change.conflict)

    async def find(self, thread: str, place: Place) -> Found | None:
        """One checkpoint, or the newest of its namespace."""
        found = await self._store.run_script(self._find, [self.key(thread)], list(place))
        if not found or (not found[1] and place.checkpoint):
            return None
        if not found[1]:
            raise CheckpointError(f"thread {thread}: its newest checkpoint {found[0]!r} is missing")
        writes = {name.decode(): v for name, v in zip(found[2::2], found[3::2], strict=True)}
        return Found(Place(place.namespace, found[0].decode()), found[1], writes)

    async def fields(self, thread: str) -> dict[str, bytes]:
        """All of a thread."""
        lengths, joined = await self._store.run_script(self._whole, [self.key(thread)])
        parts, start = [], 0
        for length in map(int, lengths.split()):
            parts.append(joined[start : start + length])
            start += length
        return {name.decode(): value for name, value in zip(parts[::2], parts[1::2], strict=True)}

    async def names(self) -> list[str]:
        """The threads that are there, from the index."""
        names = sorted(name.decode() for name in await self._store.read("SMEMBERS", self._index))
        if self._ttl is None:
            return names
        return [name for name in names if await self._store.read("EXISTS", self.key(name))]

    def _living(self, thread: str) -> Iterable[Op]:
        yield ("SADD", self._index, thread)
        if self._ttl is not None:
            for key in (self.key(thread), self._index, self._store.key("format")):
                yield ("PEXPIRE", key, round(self._ttl * 1000))


class RedisSaver(ThreadSaver):
    """Checkpoints of one run in plain Redis ≥ 6 or Valkey; `store` may be shared with a journal."""

    def __init__(
        self,
        store: RedisStore,
        *,
        ttl: float | None = None,
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(RedisThreads(store, ttl), serde=serde)
        self.store = store

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, run: str, *, ttl: float | None = None) -> AsyncIterator[Self]:
        """A saver with a store of its own, closed at the end."""
        async with RedisStore.open(url, run) as store:
            async with cls(store, ttl=ttl).closing() as saver:
                yield saver


def _chunks(words: Sequence[Word]) -> Iterable[Sequence[Word]]:
    """Lua passes some thousands of words to a command and no more."""
    return (words[start : start + CHUNK] for start in range(0, len(words), CHUNK))
