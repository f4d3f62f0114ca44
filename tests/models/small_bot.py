"""A bot of a few lines that is really started, and what it is asked."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from tests.models.fake_time import FakeTime

T = TypeVar("T")
PRIVATE = "I hid the letter from my sister in the piano stool"
# What every bot begins with; `start` counts from 1, `say` and `answer` write to stdout.
HEAD = """
import json, os, signal, sys, time
folder = sys.argv[1]
with open(folder + "/starts", "a") as file: print(os.getpid(), file=file)
start = len(open(folder + "/starts").readlines())
say = lambda text: print(text)
answer = lambda asked, **reply: say(json.dumps({"id": asked["id"], **reply}))
words = lambda asked: asked["messages"][-1]["content"]
"""
EACH = "for line in sys.stdin:\n    asked = json.loads(line)\n"
ECHO = EACH + "    answer(asked, text='You said: ' + words(asked))\n"


def user(text: str) -> list[ChatMessage]:
    return [{"role": "user", "content": text}]


def with_bot(
    tmp: Path, code: str, use: Callable[[ModelPool, ModelConfig], Awaitable[T]], **config: Any
) -> T:
    """What `use` makes of a pool and a bot with this code; pauses between tries take no time."""
    (tmp / "bot.py").write_text(HEAD + code, encoding="utf-8")
    command = shlex.join([sys.executable, "-S", str(tmp / "bot.py"), str(tmp)])

    async def run() -> T:
        time = FakeTime()
        async with ModelPool(sleep=time.sleep, clock=time.clock) as pool:
            given = {"tries": 1, "timeout": 20, **config}
            return await use(pool, ModelConfig(spec=f"process:{command}", **given))

    return asyncio.run(run())


def ask(tmp: Path, code: str, *texts: str, **config: Any) -> list[Completion | BaseException]:
    """Asks all at once; what came back, in the order of the texts."""

    async def use(pool: ModelPool, entry: ModelConfig) -> list[Completion | BaseException]:
        model = pool.model(entry)
        calls = [model.complete(user(text)) for text in texts]
        return await asyncio.gather(*calls, return_exceptions=True)

    return with_bot(tmp, code, use, **config)


def refused(tmp: Path, code: str, text: str = "Hi.", **config: Any) -> ModelError:
    (failure,) = ask(tmp, code, text, **config)
    assert isinstance(failure, ModelError), failure
    return failure


def told(replies: Sequence[Completion | BaseException]) -> list[str]:
    return [reply.text if isinstance(reply, Completion) else str(reply) for reply in replies]


def pids(tmp: Path) -> list[int]:
    return [int(line) for line in (tmp / "starts").read_text().split()]


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
