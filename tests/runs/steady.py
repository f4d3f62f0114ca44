"""A served model whose replies depend on the request alone, and a command line beside it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emoharbor.models.fill import fill
from emoharbor.runs.folder import open_run
from tests.fake_openai import Answer, chat
from tests.processes import Forked, emoharbor
from tests.served import role_of, schema_of

__all__ = ["Steady", "emoharbor", "run_args", "told"]


@dataclass
class Steady:
    """Answers by the seed of each request; counts how often each one came.

    From the `at`-th on, `reached` is set, and answers wait for `hold` where there is one.
    """

    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    pause: float = 0.002
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    at: int = 1 << 30
    hold: asyncio.Event | None = None

    async def reached_by(self, process: Forked) -> None:
        """Waits until it is reached; a process that ends before it is a failure in its words."""
        while not self.reached.is_set():
            assert process.returncode is None, await process.communicate()
            await asyncio.sleep(0.01)

    async def __call__(self, body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        role = role_of(body)
        if role == "probe":
            return chat("pong")
        seed = body["seed"]
        self.asked[body["model"], seed] += 1
        if self.asked.total() >= self.at:
            self.reached.set()
            if self.hold:
                await self.hold.wait()
        await asyncio.sleep(self.pause)
        text = f"Reply {seed}."
        if role != "supporter":
            value = fill(schema_of(body))
            if role == "talker":
                value["utterance"] = f"Words {seed}"
            text = json.dumps(value)
        return chat(text, usage={"prompt_tokens": 50, "completion_tokens": 5})


def run_args(url: str, out: Path, *more: str, repeats: int = 4, turns: int = 3) -> list[str]:
    """Thirty-two dialogues at once: eight profiles, four repeats."""
    args = ["run", "emoharbor", "--supporter", f"bot=openai:b@{url}", "--model", f"openai:m@{url}"]
    args += ["--turns", str(turns), "--limit", "8", "--repeats", str(repeats)]
    return [*args, "--concurrency", "32", "--out", str(out), *more]


def told(out: Path) -> dict[Any, Any]:
    """What a run came to, without its times."""
    return {
        key: (r.h_s, r.h_u, r.ending, r.verdict, r.failure, r.turns, r.seed)
        for key, r in open_run(out).records().items()
    }
