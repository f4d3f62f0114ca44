"""kill -9 in the middle of 32 dialogues: no finished call is made twice, nothing differs after."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest

from emoharbor.checkpoints.redis_store import RedisStore
from emoharbor.runs.lines import FileLines, RedisLines
from tests.fake_openai import fake_openai
from tests.runs.steady import Steady, emoharbor, run_args, told

CELLS, CALLS = 32, 7
MOMENTS = int(os.environ.get("EMOHARBOR_KILLS", "3"))


async def undisturbed(out: Path) -> dict[Any, Any]:
    async with fake_openai(Steady(pause=0)) as server:
        process = await emoharbor(*run_args(server.url, out, turns=2))
        words = await process.communicate()
        assert process.returncode == 0, words
    return told(out)


async def journaled(out: Path, store: str | None) -> set[tuple[str, int]]:
    """The calls that the journal holds, as the server counts them."""
    if store is None:
        file = FileLines(out / "calls.jsonl")
        lines = [entry async for _, entry in file.all()]
        file.close()
    else:
        async with RedisStore.open(store, out.name) as redis:
            lines = [entry async for _, entry in RedisLines(redis, "calls").all()]
    return {(e["model_asked"]["model"], e["seed"]) for e in lines if e["kind"] == "call"}


async def killed_and_resumed(out: Path, store: str | None, moment: int) -> None:
    steady = Steady(at=moment)
    more = ["--store", store] if store else []
    async with fake_openai(steady) as server:
        first = await emoharbor(*run_args(server.url, out, *more, turns=2))
        await steady.reached_by(first)
        first.kill()
        await first.communicate()
        kept = await journaled(out, store)
        assert len(kept) < CELLS * CALLS
        if store:
            # The dead owner's lease has to run out first, as on another machine.
            await let_go(store, out.name)
        second = await emoharbor(*run_args(server.url, out, *more, turns=2))
        words = await second.communicate()
        assert second.returncode == 0, words
    again = {call for call in kept if steady.asked[call] > 1}
    assert not again, f"{len(again)} of {len(kept)} journaled calls were made again"
    assert len(steady.asked) == CELLS * CALLS


async def let_go(store: str, run: str) -> None:
    async with RedisStore.open(store, run) as redis:
        await redis.commit([("DEL", redis.key("lease"))])


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    return asyncio.run(undisturbed(tmp_path_factory.mktemp("undisturbed") / "run"))


@pytest.mark.parametrize("where", ["folder", "redis"])
@pytest.mark.parametrize("seed", range(1, MOMENTS + 1))
def test_a_kill_loses_and_repeats_nothing(
    tmp_path: Path, where: str, seed: int, redis_url: str, wanted: dict[Any, Any]
) -> None:
    moment = random.Random(seed).randrange(20, CELLS * CALLS - 20)
    out = tmp_path / f"kill-{where}-{seed}"
    asyncio.run(killed_and_resumed(out, redis_url if where == "redis" else None, moment))
    assert told(out) == wanted
