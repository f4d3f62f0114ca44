"""A whole run taken out of Redis: no key stays, and the late cannot bring it back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest
import redis

from emoharbor.checkpoints.deletion import delete_run
from emoharbor.checkpoints.lease import RedisLease
from emoharbor.checkpoints.redis import RedisSaver
from emoharbor.checkpoints.redis_store import RedisStore, runs_at
from emoharbor.errors import CheckpointError, ConfigError
from tests.checkpoints.growing import at, play, put, row, says
from tests.checkpoints.test_lease import holder


def everything(url: str) -> dict[bytes, Any]:
    """All keys of the server with what is in them."""
    with redis.Redis.from_url(url) as client:
        read: dict[bytes, Callable[[bytes], Any]] = {
            b"string": client.get,
            b"hash": client.hgetall,
            b"set": client.smembers,
            b"list": lambda key: client.lrange(key, 0, -1),
        }
        return {key: read[client.type(key)](key) for key in client.keys()}


async def begun(url: str, run: str) -> None:
    async with RedisStore.open(url, run) as store, RedisLease(store).held():
        async with RedisSaver(store).closing() as saver:
            for thread in ("s", "t/1/2", "t:3"):
                await play(row(saver, says("a"), says("b")), thread, words=["x"])
        await store.commit([("RPUSH", store.key("log"), "line")])


def test_no_key_of_a_run_stays_and_no_other_goes(redis_url: str, run: str) -> None:
    before = everything(redis_url)
    asyncio.run(begun(redis_url, f"{run}-2"))
    other = everything(redis_url)
    asyncio.run(begun(redis_url, run))
    assert everything(redis_url).keys() - other.keys()
    asyncio.run(delete_run(redis_url, run, "log"))
    assert everything(redis_url) == other
    assert f"{run}-2" in asyncio.run(runs_at(redis_url))
    asyncio.run(delete_run(redis_url, f"{run}-2", "log"))
    assert everything(redis_url) == before


def test_what_a_killed_process_leaves_goes_too(redis_url: str, run: str) -> None:
    before = everything(redis_url)
    with holder("redis", redis_url, run) as other:
        told = f"is being run by process {other.pid} on host"
        with pytest.raises(CheckpointError, match=told):
            asyncio.run(delete_run(redis_url, run, "log"))
        with redis.Redis.from_url(redis_url) as client:
            assert client.llen(f"emoharbor:{run}:log")
            other.kill()
            other.wait()
            client.delete(f"emoharbor:{run}:lease")
    asyncio.run(delete_run(redis_url, run, "log"))
    assert everything(redis_url) == before


def test_an_owner_that_slept_cannot_write_to_what_was_deleted(redis_url: str, run: str) -> None:
    """Not to nothing, and not to a new run of the same name either."""

    async def use() -> None:
        async with RedisStore.open(redis_url, run) as late:
            lease = RedisLease(late)
            await lease.acquire()
            await late.commit([("RPUSH", late.key("log"), "old"), ("DEL", late.key("lease"))])
            await delete_run(redis_url, run, "log")
            with pytest.raises(CheckpointError, match="has vanished from Redis"):
                await late.commit([("RPUSH", late.key("log"), "late")])
            async with RedisStore.open(redis_url, run) as new, RedisLease(new).held():
                with pytest.raises(CheckpointError, match=f"now run by process {os.getpid()}"):
                    await late.commit([("RPUSH", late.key("log"), "late")])
                await put(RedisSaver(new), "t")
                assert await new.read("EXISTS", new.key("log")) == 0
            await lease.release()

    asyncio.run(use())


def test_who_only_reads_makes_and_changes_no_key(redis_url: str, run: str) -> None:
    async def read(name: str) -> None:
        async with RedisStore.open(redis_url, name, begin=False) as store:
            assert await RedisSaver(store).aget_tuple(at("s"))
            assert await store.read("LRANGE", store.key("log"), 0, -1) == [b"line"]
            assert await RedisLease(store).holder() is None

    asyncio.run(begun(redis_url, run))
    before = everything(redis_url)
    asyncio.run(read(run))
    with pytest.raises(ConfigError, match=f"holds no run '{run}x'; did you mean '{run}'"):
        asyncio.run(read(f"{run}x"))
    with pytest.raises(ConfigError, match=f"holds no run '{run}x'"):
        asyncio.run(delete_run(redis_url, f"{run}x"))
    assert everything(redis_url) == before
