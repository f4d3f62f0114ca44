"""What is Redis's alone: cost, time to live, keys, formats, outages."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import redis

from emoharbor.checkpoints.redis import RedisSaver
from emoharbor.checkpoints.redis_store import RedisStore, runs_at
from emoharbor.checkpoints.saver import ThreadSaver
from emoharbor.errors import CheckpointError, ConfigError
from tests.checkpoints.growing import at, play, put, row, says, state, with_saver
from tests.graphs.playing import compiled, context
from tests.people import make_profile


def keys(url: str, run: str) -> set[str]:
    with redis.Redis.from_url(url) as client:
        return {key.decode() for key in client.scan_iter(f"emoharbor:{run}:*")}


def size(url: str, run: str, thread: str) -> int:
    with redis.Redis.from_url(url) as client:
        return int(client.memory_usage(f"emoharbor:{run}:thread:{thread}", samples=0))


def test_a_superstep_is_one_command_and_costs_what_it_adds(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> tuple[float, float]:
        assert isinstance(saver, RedisSaver)
        graph, batcher = compiled(saver=saver), saver.store.batcher
        before = batcher.commands
        for turns in (15, 30):
            given = context(make_profile(), max_turns=turns)
            await graph.ainvoke({"turn": 0}, at(str(turns)), context=given, durability="sync")
        commands = batcher.commands - before
        steps = 4 * (15 + 30) + 2 * 2
        return commands / steps, size(redis_url, run, "30") / size(redis_url, run, "15")

    commands_a_step, growth = with_saver(redis_url, run, use)
    assert commands_a_step <= 1.1
    assert growth <= 2.1


def test_what_a_step_wrote_is_stored_once(redis_url: str, run: str) -> None:
    word, said = "w" * 1000, []

    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, *[says(word)] * 10)
        said.extend((await play(graph, words=["x"]))["words"])

    with_saver(redis_url, run, use)
    assert said == ["x", *[word] * 10]
    with redis.Redis.from_url(redis_url) as client:
        fields: Any = client.hgetall(f"emoharbor:{run}:thread:t")
    assert sum(value.count(b"w" * 1000) for value in fields.values()) == 10


def test_commits_of_many_dialogues_share_a_trip(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> int:
        assert isinstance(saver, RedisSaver)
        before = saver.store.batcher.trips
        await asyncio.gather(*(put(saver, f"t{i}") for i in range(200)))
        return saver.store.batcher.trips - before

    assert with_saver(redis_url, run, use) <= 2


def test_every_key_of_a_live_thread_lives_on_and_a_dead_one_leaves_none(
    redis_url: str, run: str
) -> None:
    async def use() -> None:
        async with RedisSaver.open(redis_url, run, ttl=0.5) as saver:
            first = last = await put(saver, "live")
            await put(saver, "dead")
            for step in range(1, 5):
                await asyncio.sleep(0.2)
                last = await put(saver, "live", last, step)
            kept = [at_one async for at_one in saver.alist(at("live"))]
            assert len(kept) == 5
            assert kept[-1].checkpoint["id"] == first
            assert await saver.storage.names() == ["live"]
            assert await saver.aget_tuple(at("dead")) is None
            await asyncio.sleep(0.7)
            with pytest.raises(CheckpointError, match="vanished from Redis"):
                await saver.aget_tuple(at("live"))

    asyncio.run(use())
    assert keys(redis_url, run) == set()


def test_deletion_leaves_no_key(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"))
        for thread in ("s", "t"):
            await play(graph, thread, words=["x"])
        await saver.adelete_thread("s")
        assert await saver.storage.names() == ["t"]
        assert await state(graph, at("s")) == {}
        await saver.adelete_thread("t")

    with_saver(redis_url, run, use)
    assert keys(redis_url, run) == {f"emoharbor:{run}:format"}


def test_threads_are_found_by_an_index_and_runs_are_kept_apart(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        for thread in ("b", "a"):
            await put(saver, thread)
        async with RedisSaver.open(redis_url, f"{run}-2") as other:
            await put(other, "c")
            assert [kept.config async for kept in other.alist(None)] != []
            assert await other.storage.names() == ["c"]
            assert await other.aget_tuple(at("a")) is None
            await other.adelete_thread("c")
        assert await saver.storage.names() == ["a", "b"]
        listed = [kept.config["configurable"]["thread_id"] async for kept in saver.alist(None)]
        assert listed == ["a", "b"]
        assert {run, f"{run}-2"} <= set(await runs_at(redis_url))

    with_saver(redis_url, run, use)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(f"emoharbor:{run}-2:format")
        client.srem("emoharbor:runs", f"{run}-2")


def test_another_format_is_refused_at_the_door_and_inside(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        await put(saver, "t")
        with redis.Redis.from_url(redis_url) as client:
            client.set(f"emoharbor:{run}:format", "7")
        with pytest.raises(CheckpointError, match="kept in format 7"):
            await put(saver, "t")
        with pytest.raises(CheckpointError, match="kept in format 7"):
            await saver.aget_tuple(at())
        with pytest.raises(CheckpointError, match="kept in format 7"):
            async with RedisSaver.open(redis_url, run):
                pytest.fail("it opened")

    with_saver(redis_url, run, use)


def test_a_run_that_vanished_is_no_new_run(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        last = await put(saver, "t")
        with redis.Redis.from_url(redis_url) as client:
            client.delete(*keys(redis_url, run))
        with pytest.raises(CheckpointError, match="has vanished from Redis"):
            await saver.aget_tuple(at())
        with pytest.raises(CheckpointError, match="has vanished from Redis"):
            await put(saver, "t", last)

    with_saver(redis_url, run, use)


def test_a_damaged_thread_is_no_new_thread(redis_url: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        last = await put(saver, "t")
        with redis.Redis.from_url(redis_url) as client:
            client.hdel(f"emoharbor:{run}:thread:t", f"c|{last}|")
        with pytest.raises(CheckpointError, match="newest checkpoint .* is missing"):
            await saver.aget_tuple(at())

    with_saver(redis_url, run, use)


@pytest.mark.parametrize("name", ["", "a b", "a:b"])
def test_a_name_that_cannot_be_a_prefix_is_refused(redis_url: str, name: str) -> None:
    with pytest.raises(ConfigError, match="no blanks and no ':'"):
        with_saver(redis_url, name, lambda saver: put(saver, "t"))


@pytest.mark.parametrize("url", ["redis://localhost:port/0", "redis://h:1/x?db=a"])
def test_an_address_that_cannot_be_read_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="address cannot be used"):
        with_saver(url, "r", lambda saver: put(saver, "t"))


def test_a_password_is_in_no_message(redis_url: str, run: str) -> None:
    url = redis_url.replace("redis://", "redis://nobody:hush@")

    async def use() -> None:
        async with RedisStore.open(url, run):
            pytest.fail("it opened")

    with pytest.raises(CheckpointError) as told:
        asyncio.run(use())
    assert "hush" not in str(told.value)
    assert redis_url.removeprefix("redis://") in str(told.value)
