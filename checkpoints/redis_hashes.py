"""A run's threads in Redis, a hash each, with an index of them: raw fields in, raw fields out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from emoharbor.checkpoints.held import HeldWrites
from emoharbor.checkpoints.redis_store import Expected, Op, RedisStore
from emoharbor.checkpoints.redis_thread import Place, Write, pairs
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
CHUNK = 200


class ThreadHashes:
    """What a saver and its copies share. `ttl` in seconds, from the last change of a thread."""

    def __init__(self, store: RedisStore, ttl: float | None) -> None:
        self.store = store
        self.held = HeldWrites(self._send)
        self._ttl = ttl
        self._find = store.script(FIND)
        self._index = store.key("threads")

    def key(self, thread: str) -> str:
        """The key of a thread's hash."""
        return self.store.key("thread", thread)

    async def change(
        self,
        thread: str,
        ops: Sequence[Op],
        expect: Sequence[Expected] = (),
        conflict: str = "",
    ) -> None:
        """Applies `ops`, with the thread in the index and its keys alive for another `ttl`."""
        living: list[Op] = [("SADD", self._index, thread)]
        if self._ttl is not None:
            keys = (self.key(thread), self._index, self.store.key("format"))
            living += (("PEXPIRE", key, round(self._ttl * 1000)) for key in keys)
        await self.store.commit([*ops, *living], expect=expect, conflict=conflict)

    async def delete(self, thread: str) -> None:
        """Everything of a thread, what is held of it included."""
        self.held.drop(thread)
        await self.store.commit([("DEL", self.key(thread)), ("SREM", self._index, thread)])

    async def replace(self, thread: str, fields: Mapping[str, bytes]) -> None:
        """Gives a thread exactly these fields."""
        key, pieces = self.key(thread), list(fields.items())
        ops: list[Op] = [("DEL", key)]
        for start in range(0, len(pieces), CHUNK):
            ops.append(("HSET", key, *(w for pair in pieces[start : start + CHUNK] for w in pair)))
        self.held.drop(thread)
        await self.change(thread, ops)

    async def find(self, thread: str, place: Place) -> tuple[Place, bytes, dict[str, bytes]] | None:
        """One checkpoint, or the newest of its namespace: where, its record, its writes' fields."""
        await self.held.flush(thread)
        found = await self.store.run_script(self._find, [self.key(thread)], list(place))
        if not found or (not found[1] and place.checkpoint):
            return None
        if not found[1]:
            raise CheckpointError(f"thread {thread}: its newest checkpoint {found[0]!r} is missing")
        return Place(place.namespace, found[0].decode()), found[1], pairs(found[2:])

    async def fields(self, thread: str) -> dict[str, bytes]:
        """All of a thread."""
        await self.held.flush(thread)
        return pairs(await self.store.read("HGETALL", self.key(thread)))

    async def names(self) -> list[str]:
        """The threads that are there."""
        await self.held.flush()
        names = sorted(name.decode() for name in await self.store.read("SMEMBERS", self._index))
        if self._ttl is None:
            return names
        return [name for name in names if await self.store.read("EXISTS", self.key(name))]

    async def _send(self, thread: str, writes: Sequence[Write]) -> None:
        await self.change(thread, write_ops(self.key(thread), writes))


def write_ops(key: str, writes: Sequence[Write]) -> list[Op]:
    """Of a task's ordinary write the first counts, of an error or interrupt the newest."""
    return [("HSET" if w.special else "HSETNX", key, w.field, w.packed) for w in writes]
