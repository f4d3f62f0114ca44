"""A process is killed at every moment of a superstep; what goes on ends as if nothing had been."""

from __future__ import annotations

import asyncio
import os
import signal
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from emoharbor.checkpoints.redis import RedisSaver
from emoharbor.checkpoints.saver import ThreadSaver
from emoharbor.checkpoints.sqlite import SqliteSaver
from tests.checkpoints.growing import at, with_saver
from tests.graphs.playing import compiled, context, play
from tests.people import make_profile
from tests.processes import FORKS

MOMENTS = ("before anything is kept", "between writes and checkpoint", "after the checkpoint")
PUTS = 15


class Mortal(ThreadSaver):
    """Dies at a moment of its `number`th checkpoint."""

    moment: str
    number: int

    async def aput(self, config: RunnableConfig, *rest: Any) -> RunnableConfig:
        self.number -= 1
        if self.number == 0 and self.moment == MOMENTS[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.number == 0 and self.moment == MOMENTS[1]:
            await self.held.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        kept = await super().aput(config, *rest)
        if self.number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return kept


class MortalInRedis(Mortal, RedisSaver):
    pass


class MortalInFile(Mortal, SqliteSaver):
    pass


def victim(address: str, run: str, moment: str, number: int) -> None:
    """Plays a dialogue and dies."""
    in_redis = address.startswith("redis")
    path = Path(address.removeprefix("sqlite:///"))

    async def play_and_die() -> None:
        opened = MortalInRedis.open(address, run) if in_redis else MortalInFile.open(path)
        async with opened as saver:
            saver.moment, saver.number = moment, number
            await play(saver=saver)

    asyncio.run(play_and_die())


def killed(address: str, run: str, moment: str, number: int) -> BaseProcess:
    """A victim that has died."""
    process = FORKS.Process(target=victim, args=(address, run, moment, number))
    process.start()
    process.join(timeout=20)
    return process


async def go_on(saver: ThreadSaver) -> dict[str, Any]:
    """What resume does: start if there is no checkpoint, go on if a node is open."""
    found = await compiled(saver=saver).aget_state(at())
    if not found.created_at or found.tasks:
        await play(saver=saver, start=not found.created_at)
    return dict((await compiled(saver=saver).aget_state(at())).values)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_dialogue_goes_on_to_the_same_end(address: str, run: str, moment: str) -> None:
    undisturbed = asyncio.run(play()).state
    for number in (1, 2, 5, PUTS):
        name = f"{run}-{number}" if "sqlite" in address else run
        place = address.replace("checkpoints.sqlite", f"{number}.sqlite")
        process = killed(place, name, moment, number)
        assert process.exitcode == -signal.SIGKILL
        assert with_saver(place, name, go_on) == undisturbed
        with_saver(place, name, lambda saver: saver.adelete_thread("t"))


def test_a_dialogue_forked_before_its_judge_is_judged_again(address: str, run: str) -> None:
    given = context(make_profile())

    async def use(saver: ThreadSaver) -> None:
        final = (await play(saver=saver)).state
        graph = compiled(saver=saver)
        values = {k: v for k, v in (await graph.aget_state(at())).values.items() if k != "verdict"}
        await graph.aupdate_state(at("judged"), values, as_node="termination")
        assert (await graph.aget_state(at("judged"))).next == ("evaluator",)
        await graph.ainvoke(None, at("judged"), context=given, durability="sync")
        for thread in ("judged", "t"):
            assert dict((await graph.aget_state(at(thread))).values) == final

    with_saver(address, run, use)
