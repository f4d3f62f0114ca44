"""`runs`, `watch` and `show` on a run that lives in Redis, from a folder that holds nothing."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
import redis

from emoharbor.flags import suite_from_flags
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.listing import Progress
from emoharbor.runs.reader import open_reader
from tests.checkpoints.test_deletion import everything
from tests.fake_openai import fake_openai
from tests.processes import Forked, emoharbor
from tests.runs.steady import Steady, run_args

PRICES = "b: {input: 1000, output: 2000}\nm: {input: 2000, output: 0}\n"
# 8 dialogues of 3 exchanges at these prices: 24 replies of b, 56 of m.
COST = 24 * 0.06 + 56 * 0.1


async def said(*args: str, cwd: Path, **env: str) -> str:
    """What a command prints, which must end well."""
    process = await emoharbor(*args, cwd=cwd, **{"COLUMNS": "300", **env})
    out, error = await process.communicate()
    assert process.returncode == 0, error.decode()
    return out.decode()


async def refused(*args: str, cwd: Path) -> str:
    process = await emoharbor(*args, cwd=cwd)
    out, error = await process.communicate()
    assert process.returncode == 2 and b"Traceback" not in error, (out, error)
    return " ".join(error.decode().split())


def of_run(table: str, name: str) -> list[str]:
    """The cells of a run's line in the table of `runs`."""
    (line,) = [line for line in table.splitlines() if f" {name} " in line]
    return [cell.strip() for cell in line.strip("│").split("│")]


async def echoed(folder: Path, store: str | None = None, limit: int = 1) -> None:
    suite = suite_from_flags(
        "emoharbor",
        supporters=["bot=scripted:echo"],
        model="scripted:echo",
        plain={"max_turns": 2, "limit": limit},
    )
    await run_suite(suite, folder, options=RunOptions(store))


def echo(folder: Path, store: str | None = None, limit: int = 1) -> Path:
    """A finished run that called nobody."""
    asyncio.run(echoed(folder, store, limit))
    return folder


def gone(url: str, name: str) -> None:
    """The lease of a dead owner has ended."""
    with redis.Redis.from_url(url) as client:
        assert client.delete(f"emoharbor:{name}:lease") == 1


async def seen_live(name: str, first: Forked, store: tuple[str, str], cwd: Path) -> Forked:
    """What `runs` and `watch` say of a live run; the watcher goes on."""
    table = await said("runs", *store, cwd=cwd)
    live = of_run(table, name)
    assert live[1:3] == ["Redis", "running"] and live[3].endswith("of 8")
    assert int(live[5]) > 0 and 0 < float(live[6]) < COST
    assert f"{name} (Redis): run by process {first.pid} on host" in table and "since 2" in table
    watching = await emoharbor("watch", name, *store, "--every", "0.1", cwd=cwd)
    line = (await watching.stdout.readuntil(b"\n")).decode()
    assert ": running, " in line and f"run by process {first.pid}" in line
    return watching


async def seen_dead(
    name: str, first: Forked, watching: Forked, store: tuple[str, str], cwd: Path
) -> None:
    """The same once it was killed: running until its lease ends, which looking does not hasten."""
    first.kill()
    await first.communicate()
    dead = await said("runs", *store, cwd=cwd)
    assert of_run(dead, name)[2] == "running" and f"run by process {first.pid}" in dead
    gone(store[1], name)
    lines = (await watching.communicate())[0].decode().splitlines()
    assert ": interrupted, " in lines[-1] and "run by" not in lines[-1]
    before = everything(store[1])
    stopped = await said("runs", *store, cwd=cwd)
    assert of_run(stopped, name)[2] == "interrupted" and f"{name} (" not in stopped
    assert "interrupted" in await said("watch", name, *store, cwd=cwd)
    assert everything(store[1]) == before


async def seen_finished(name: str, url: str, cwd: Path, unpriced: Path) -> None:
    """What is said at the end, with prices and without."""
    done = of_run(await said("runs", "--store", url, cwd=cwd), name)
    assert done == [name, "Redis", "finished", "8 of 8", "0", "80", f"{COST:.4f}"]
    table = await said("runs", cwd=unpriced, EMOHARBOR_STORE=url)
    assert of_run(table, name)[6] == "unknown"
    watched = await said("watch", name, "--store", url, cwd=unpriced)
    assert "finished, 8 of 8" in watched and "cost unknown" in watched


def test_a_run_in_redis_is_running_then_interrupted_then_finished(
    tmp_path: Path, redis_url: str, run: str
) -> None:
    empty, store = tmp_path / "empty", ("--store", redis_url)
    empty.mkdir()
    (empty / "prices.yaml").write_text(PRICES)

    async def go() -> None:
        steady = Steady(at=30, hold=asyncio.Event())
        async with fake_openai(steady) as server:
            args = run_args(server.url, tmp_path / run, *store, repeats=1)
            first = await emoharbor(*args)
            await steady.reached_by(first)
            watching = await seen_live(run, first, store, empty)
            await seen_dead(run, first, watching, store, empty)
            assert steady.hold
            steady.hold.set()
            await said(*args, cwd=tmp_path)
        await seen_finished(run, redis_url, empty, tmp_path)
        assert [path.name for path in empty.iterdir()] == ["prices.yaml"]

    asyncio.run(go())


@pytest.mark.parametrize("where", ["folder", "redis"])
def test_a_second_look_takes_in_what_is_new_and_nothing_twice(
    tmp_path: Path, redis_url: str, run: str, where: str
) -> None:
    store = redis_url if where == "redis" else None

    async def go() -> None:
        await echoed(tmp_path / run, store)
        async with open_reader(tmp_path / run, store) as reader:
            progress = Progress(reader, {})
            first = await progress.look()
            assert (first.cells, first.finished, first.calls, first.cost) == (1, 1, 7, 0.0)
            assert await progress.look() == first
            await echoed(tmp_path / run, store, limit=3)
            second = await progress.look()
            assert (second.cells, second.finished, second.calls) == (3, 3, 21)
            assert second == await Progress(reader, {}).look()

    asyncio.run(go())


def test_a_dialogue_is_shown_from_redis_alone(tmp_path: Path, redis_url: str, run: str) -> None:
    out = echo(tmp_path / run, redis_url, limit=2)
    empty = tmp_path / "empty"
    empty.mkdir()
    asked = ((), ("en-001",), ("bot/en-002/0", "--prompts", "talker"))

    async def go() -> None:
        folder = [await said("show", str(out), *what, cwd=empty) for what in asked]
        shutil.rmtree(out)
        before = everything(redis_url)
        shown = [await said("show", run, *what, "--store", redis_url, cwd=empty) for what in asked]
        assert shown == folder
        assert "ended in exchange 2" in shown[1] and shown[2].count("== call at step") == 2
        again = await said("show", f"runs/{run}", "en-001", cwd=empty, EMOHARBOR_STORE=redis_url)
        assert again == shown[1]
        told = await refused("show", run[:-1], "--store", redis_url, cwd=empty)
        assert f"holds no run '{run[:-1]}'; did you mean '{run}'?" in told
        told = await refused("show", run, "nobody", "--store", redis_url, cwd=empty)
        assert f"run '{run}' at {redis_url.removeprefix('redis://')} has no dialogue" in told
        assert everything(redis_url) == before and not list(empty.iterdir())

    asyncio.run(go())


def test_folders_and_a_store_are_listed_together(tmp_path: Path, redis_url: str, run: str) -> None:
    echo(tmp_path / run, redis_url)
    echo(tmp_path / "in-folder")
    (tmp_path / "no-run").mkdir()

    async def go() -> None:
        alone = await said("runs", ".", cwd=tmp_path)
        done = ["in-folder", "folder", "finished", "1 of 1", "0", "7", "0.0000"]
        assert of_run(alone, "in-folder") == done
        assert "Redis" not in alone and "no-run" not in alone
        both = await said("runs", ".", "--store", redis_url, cwd=tmp_path)
        lines = [line for line in both.splitlines() if f" {run} " in line]
        assert ["folder" in lines[0], "Redis" in lines[1]] == [True, True] and len(lines) == 2

    asyncio.run(go())


def test_a_store_that_is_none_or_not_there_is_told(tmp_path: Path) -> None:
    async def go() -> None:
        for verb in ("runs", "watch x", "show x", "delete x --yes"):
            told = await refused(*verb.split(), "--store", "sqlite:///x", cwd=tmp_path)
            assert "redis://HOST:PORT/DB is wanted" in told
        told = await refused("runs", "--store", "redis://127.0.0.1:9/0", cwd=tmp_path)
        assert "Redis at 127.0.0.1:9/0 cannot be reached" in told
        assert not list(tmp_path.iterdir())

    asyncio.run(go())
