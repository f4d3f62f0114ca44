"""One process at a time on a run, tried with two."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from emoharbor.checkpoints.lease import FolderLock, RedisLease
from emoharbor.checkpoints.redis import RedisSaver
from emoharbor.checkpoints.redis_store import RedisStore
from emoharbor.errors import CheckpointError
from tests.checkpoints.growing import put


@contextmanager
def holder(*where: str) -> Iterator[subprocess.Popen[str]]:
    """A real process that holds the run."""
    command = [sys.executable, "-m", "tests.checkpoints.holder", *where]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout and process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


async def soon(lease: RedisLease) -> float:
    """Takes the lease as soon as it is free; returns the seconds that took."""
    began = time.monotonic()
    while time.monotonic() - began < 5:
        try:
            await lease.acquire()
        except CheckpointError:
            await asyncio.sleep(0.05)
        else:
            return time.monotonic() - began
    pytest.fail("the lease never ended")


def test_a_dead_owner_is_named_and_then_followed(redis_url: str, run: str) -> None:
    async def use(other: subprocess.Popen[str]) -> None:
        async with RedisStore.open(redis_url, run) as store:
            lease = RedisLease(store)
            host = re.escape(socket.gethostname())
            with pytest.raises(
                CheckpointError, match=f"process {other.pid} on host {host} since 2"
            ):
                await lease.acquire()
            other.kill()
            other.wait()
            with pytest.raises(CheckpointError, match=f"process {other.pid}"):
                await lease.acquire()
            assert await soon(lease) < 2
            await store.commit([("RPUSH", store.key("log"), "follower")])
            assert (await store.read("LRANGE", store.key("log"), -1, -1)) == [b"follower"]
            await lease.release()

    with holder("redis", redis_url, run) as other:
        asyncio.run(use(other))


def test_an_owner_that_slept_and_wakes_up_cannot_write_any_more(redis_url: str, run: str) -> None:
    async def use(other: subprocess.Popen[str]) -> None:
        async with RedisStore.open(redis_url, run) as store:
            lease = RedisLease(store)
            other.send_signal(signal.SIGSTOP)
            await soon(lease)
            await store.commit([("RPUSH", store.key("log"), "follower")])
            other.send_signal(signal.SIGCONT)
            said, _ = await asyncio.to_thread(other.communicate, timeout=10)
            assert other.returncode == 7
            assert f"is now run by process {os.getpid()} on host" in said
            assert "may not write to it any more" in said
            await store.commit([("RPUSH", store.key("log"), "follower")])
            assert await store.read("LRANGE", store.key("log"), -2, -1) == [b"follower"] * 2
            await lease.release()

    with holder("redis", redis_url, run) as other:
        asyncio.run(use(other))


def test_a_lease_is_renewed_and_given_free(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with RedisStore.open(redis_url, run) as one, RedisStore.open(redis_url, run) as two:
            async with RedisLease(one, ttl=0.3).held():
                await asyncio.sleep(0.8)
                with pytest.raises(CheckpointError, match="is being run by process"):
                    await RedisLease(two).acquire()
                await one.commit([("SET", one.key("x"), 1)])
                first = int(one.token)
            async with RedisLease(two).held():
                assert int(two.token) == first + 1
                await two.commit([("SET", two.key("x"), 2)])

    asyncio.run(use())


def test_a_lease_that_ran_out_goes_on_if_nobody_took_the_run(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with RedisStore.open(redis_url, run) as store:
            lease = RedisLease(store, ttl=0.3)
            async with lease.held():
                await store.commit([("DEL", store.key("lease"))])
                await store.commit([("SET", store.key("x"), 1)])
                await asyncio.sleep(0.2)
                assert await store.read("EXISTS", store.key("lease")) == 1
                assert not lease.lost.is_set()

    asyncio.run(use())


def test_a_lost_lease_is_noticed_and_no_checkpoint_is_put(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with RedisStore.open(redis_url, run) as one, RedisStore.open(redis_url, run) as two:
            saver, lease = RedisSaver(one), RedisLease(one, ttl=0.3)
            await lease.acquire()
            last = await put(saver, "t")
            await two.commit([("DEL", two.key("lease"))])
            async with RedisLease(two).held():
                with pytest.raises(CheckpointError, match="is now run by process"):
                    await put(saver, "t", last, step=1)
                await asyncio.wait_for(lease.lost.wait(), timeout=2)
                await lease.release()
                assert await two.read("EXISTS", two.key("lease")) == 1

    asyncio.run(use())


def test_a_folder_is_locked_until_its_owner_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "run" / ".lock"
    path.parent.mkdir()
    with holder("folder", str(path)) as other:
        told = f"run is being run by process {other.pid} on host .* since 2"
        with pytest.raises(CheckpointError, match=told):
            FolderLock(path).acquire()
        other.send_signal(signal.SIGSTOP)
        with pytest.raises(CheckpointError, match=told):
            FolderLock(path).acquire()
        other.kill()
        other.wait()
        with (
            FolderLock(path).held(),
            pytest.raises(CheckpointError, match=f"process {os.getpid()}"),
        ):
            FolderLock(path).acquire()
    with FolderLock(path).held():
        pass


def test_whoever_holds_a_lease_is_named_without_a_change(redis_url: str, run: str) -> None:
    async def use() -> None:
        async with (
            RedisStore.open(redis_url, run) as one,
            RedisStore.open(redis_url, run, begin=False) as two,
        ):
            looking = RedisLease(two)
            assert await looking.holder() is None
            async with RedisLease(one).held():
                said = await looking.holder()
                assert said and f"process {os.getpid()} on host" in said and "silent" not in said
                await one.commit([("PEXPIRE", one.key("lease"), 5000)])
                late = await looking.holder()
                assert late and "silent for 20 s" in late and "free within 10 s" in late
            assert await looking.holder() is None

    asyncio.run(use())


def test_whoever_holds_a_folder_is_named_without_a_change(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    assert FolderLock(path).holder() is None and not path.exists()
    with holder("folder", str(path)) as other:
        said = path.read_bytes()
        assert f"process {other.pid} on host" in str(FolderLock(path).holder())
        other.kill()
        other.wait()
        assert FolderLock(path).holder() is None
        assert path.read_bytes() == said
    with FolderLock(path).held():
        assert f"process {os.getpid()}" in str(FolderLock(path).holder())
    assert FolderLock(path).holder() is None


def test_a_folder_that_cannot_be_locked_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"cannot write .*nowhere"):
        FolderLock(tmp_path / "nowhere" / ".lock").acquire()
