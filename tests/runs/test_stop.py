"""Signals, limits and locks: a run stops without a loss, and only one process has it."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from pathlib import Path

import pytest

from emoharbor.runs.folder import open_run
from tests.fake_openai import fake_openai
from tests.processes import Forked
from tests.runs.steady import Steady, emoharbor, run_args
from tests.served import lines_of

CELLS, CALLS = 8, 10


def args(url: str, out: Path, *more: str) -> list[str]:
    return run_args(url, out, *more, repeats=1)


def whole(out: Path) -> None:
    """Every dialogue finished, every call once."""
    records = open_run(out).records().values()
    assert len(records) == CELLS and all(r.verdict and len(r.h_s) == 6 for r in records)
    calls = [e for e in lines_of(out / "calls.jsonl") if e["kind"] == "call"]
    keys = Counter((e["thread"], e["step"], e["node"], e["ordinal"], e["attempt"]) for e in calls)
    assert len(keys) == keys.total() == CELLS * CALLS


async def words_of(process: Forked) -> str:
    out, error = await process.communicate()
    return out.decode() + error.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_drains_and_resume_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    async def go() -> None:
        steady = Steady(at=25, pause=0.05)
        async with fake_openai(steady) as server:
            first = await emoharbor(*args(server.url, tmp_path / "run"))
            await steady.reached_by(first)
            first.send_signal(number)
            words = await words_of(first)
            assert first.returncode == 128 + number, words
            assert "emoharbor resume" in words and "Traceback" not in words
            asked = steady.asked.total()
            kept = [e for e in lines_of(tmp_path / "run" / "calls.jsonl") if e["kind"] == "call"]
            assert len(kept) == asked < CELLS * CALLS
            second = await emoharbor("resume", str(tmp_path / "run"))
            assert "Traceback" not in await words_of(second) and second.returncode == 0
            assert set(steady.asked.values()) == {1}

    asyncio.run(go())
    whole(tmp_path / "run")


def test_a_second_signal_stops_at_once_and_loses_nothing_finished(tmp_path: Path) -> None:
    async def go() -> None:
        steady = Steady(at=10, pause=30)
        async with fake_openai(steady) as server:
            steady.at = CELLS
            first = await emoharbor(*args(server.url, tmp_path / "run"))
            await steady.reached_by(first)
            first.send_signal(signal.SIGINT)
            assert first.stdout
            await first.stdout.readuntil(b"Stopping")
            first.send_signal(signal.SIGINT)
            words = await words_of(first)
            assert first.returncode == 130 and "Traceback" not in words
            steady.pause = 0
            second = await emoharbor("resume", str(tmp_path / "run"))
            await words_of(second)
            assert second.returncode == 0

    asyncio.run(go())
    whole(tmp_path / "run")


@pytest.mark.parametrize("limit", [("--max-calls", "20"), ("--max-time", "0.4")])
def test_a_limit_ends_a_run_resumably(tmp_path: Path, limit: tuple[str, str]) -> None:
    async def go() -> None:
        async with fake_openai(Steady(pause=0.05)) as server:
            first = await emoharbor(*args(server.url, tmp_path / "run", *limit))
            words = await words_of(first)
            assert first.returncode == 3 and limit[0] in words, words
            second = await emoharbor("resume", str(tmp_path / "run"))
            await words_of(second)
            assert second.returncode == 0

    asyncio.run(go())
    whole(tmp_path / "run")


def test_an_unknown_price_refuses_a_limit_on_money(tmp_path: Path) -> None:
    async def go() -> tuple[str, int | None]:
        async with fake_openai(Steady()) as server:
            process = await emoharbor(*args(server.url, tmp_path / "run", "--max-cost", "1"))
            return await words_of(process), process.returncode

    words, code = asyncio.run(go())
    assert code == 2 and "no price is known" in words and "prices.yaml" in words


@pytest.mark.parametrize("where", ["folder", "redis"])
def test_a_second_process_is_refused_by_name(tmp_path: Path, where: str, redis_url: str) -> None:
    out = tmp_path / f"held-{where}"
    more = ("--store", redis_url) if where == "redis" else ()

    async def go() -> None:
        steady = Steady(at=CELLS, hold=asyncio.Event())
        async with fake_openai(steady) as server:
            first = await emoharbor(*args(server.url, out, *more))
            await steady.reached_by(first)
            second = await emoharbor(*args(server.url, out, *more))
            words = await words_of(second)
            assert steady.hold
            steady.hold.set()
            assert second.returncode == 2 and f"process {first.pid}" in words, words
            await words_of(first)
            assert first.returncode == 0

    asyncio.run(go())
    whole(out)


def test_runs_and_watch_say_how_far_a_run_is(tmp_path: Path) -> None:
    out = tmp_path / "live"

    async def go() -> tuple[str, str, str]:
        steady = Steady(at=30, hold=asyncio.Event())
        async with fake_openai(steady) as server:
            first = await emoharbor(*args(server.url, out))
            await steady.reached_by(first)
            seen = await words_of(await emoharbor("runs", str(tmp_path)))
            watched = await emoharbor("watch", str(out), "--every", "0.1")
            assert watched.stdout and steady.hold
            begun = (await watched.stdout.readuntil(b"run by")).decode()
            steady.hold.set()
            await words_of(first)
            after = await words_of(await emoharbor("runs", str(tmp_path)))
            return seen, begun + await words_of(watched), after

    seen, watched, after = asyncio.run(go())
    assert "running" in seen and "live" in seen and "of 8" in seen
    assert "running" in watched and watched.strip().splitlines()[-1].count("finished") >= 1
    assert "8 of 8" in after and "running" not in after


def test_a_new_run_takes_over_what_is_the_same(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"

    async def go() -> Steady:
        steady = Steady(pause=0)
        async with fake_openai(steady) as server:
            await words_of(await emoharbor(*args(server.url, old)))
            steady.asked.clear()
            more = ("--supporter", f"two=openai:c@{server.url}", "--as", str(new))
            second = await emoharbor(*args(server.url, old, *more))
            words = await words_of(second)
            assert second.returncode == 0, words
        return steady

    steady = asyncio.run(go())
    assert {model for model, _ in steady.asked} == {"c", "m"}
    assert steady.asked.total() == CELLS * CALLS
    assert len(open_run(new).records()) == 2 * CELLS
    assert len(open_run(old).records()) == CELLS
    whole(old)
