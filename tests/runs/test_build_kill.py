"""kill -9, a signal, a limit in the middle of a build: no finished call is made twice."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from emoharbor.profiles import load_profiles
from tests.building import USAGE, reply, role_of, seeds_file
from tests.fake_openai import Answer, chat, fake_openai
from tests.processes import emoharbor
from tests.runs.steady import Steady
from tests.runs.test_kill import journaled, let_go

SEEDS, CALLS = 12, 5


@dataclass
class Writers(Steady):
    """Writes people, each reply by its request alone."""

    async def __call__(self, body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        if role_of(body) == "probe":
            return chat("pong")
        self.asked[body["model"], body["seed"]] += 1
        if self.asked.total() >= self.at:
            self.reached.set()
            if self.hold:
                await self.hold.wait()
        await asyncio.sleep(self.pause)
        return chat(json.dumps(reply(body)), usage=USAGE)


def args(url: str, folder: Path, run: str, *more: str) -> list[str]:
    seeds = seeds_file(folder, SEEDS)
    out = ["--out", str(folder / run), "--prefix", "p"]
    return ["profiles", "build", str(seeds), "--model", f"openai:w@{url}", *out, *more]


def whole(run: Path) -> None:
    people = load_profiles(str(run / "profiles.jsonl"))
    assert [p.id for p in people] == [f"p-{n:03}" for n in range(1, SEEDS + 1)]


@pytest.mark.parametrize("where", ["folder", "redis"])
def test_a_kill_loses_and_repeats_nothing(
    tmp_path: Path, where: str, redis_url: str, run: str
) -> None:
    store = redis_url if where == "redis" else None
    more = ["--store", store] if store else []

    async def go() -> None:
        writers = Writers(at=23, pause=0.01)
        async with fake_openai(writers) as server:
            first = await emoharbor(*args(server.url, tmp_path, run, *more))
            await writers.reached_by(first)
            first.kill()
            await first.communicate()
            kept = await journaled(tmp_path / run, store)
            assert 0 < len(kept) < SEEDS * CALLS
            if store:
                await let_go(store, run)
                again = args(server.url, tmp_path, run, *more)
            else:
                again = ["resume", str(tmp_path / run)]
            second = await emoharbor(*again)
            words = await second.communicate()
            assert second.returncode == 0, words
        assert not {call for call in kept if writers.asked[call] > 1}
        assert len(writers.asked) == SEEDS * CALLS

    asyncio.run(go())
    whole(tmp_path / run)


def test_a_signal_drains_and_what_is_done_is_written(tmp_path: Path) -> None:
    async def go() -> None:
        writers = Writers(at=40, pause=0.02)
        async with fake_openai(writers) as server:
            first = await emoharbor(*args(server.url, tmp_path, "run", "--concurrency", "2"))
            await writers.reached_by(first)
            first.send_signal(signal.SIGTERM)
            words = (await first.communicate())[0].decode()
            assert first.returncode == 128 + signal.SIGTERM and "emoharbor resume" in words
            done = (tmp_path / "run" / "profiles.jsonl").read_text().splitlines()
            assert len(done) < SEEDS
            second = await emoharbor("resume", str(tmp_path / "run"))
            words = (await second.communicate())[0].decode()
            assert second.returncode == 0 and f"accepted   {SEEDS}" in words
            assert set(writers.asked.values()) == {1}

    asyncio.run(go())
    whole(tmp_path / "run")


def test_a_limit_stops_it_resumably(tmp_path: Path) -> None:
    async def go() -> None:
        writers = Writers()
        async with fake_openai(writers) as server:
            first = await emoharbor(*args(server.url, tmp_path, "run", "--max-calls", "20"))
            words = (await first.communicate())[0].decode()
            assert first.returncode == 3 and "--max-calls 20" in words and "not done yet" in words
            second = await emoharbor("resume", str(tmp_path / "run"))
            await second.communicate()
            assert second.returncode == 0 and set(writers.asked.values()) == {1}

    asyncio.run(go())
    whole(tmp_path / "run")


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    async def go() -> None:
        writers = Writers(at=5, hold=asyncio.Event())
        async with fake_openai(writers) as server:
            first = await emoharbor(*args(server.url, tmp_path, "run"))
            await writers.reached_by(first)
            second = await emoharbor(*args(server.url, tmp_path, "run"))
            words = (await second.communicate())[1].decode()
            assert second.returncode == 2 and str(first.pid) in words
            assert writers.hold
            writers.hold.set()
            await first.communicate()
            assert first.returncode == 0

    asyncio.run(go())
