"""Stepping through a dialogue beside a server that plays every role."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from emoharbor.runs.folder import RunFolder
from emoharbor.runs.stepping import one_dialogue
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite
from tests.fake_openai import FakeOpenAI, fake_openai
from tests.served import plays_all, small_suite

# A folder, and the store that its run is kept in if it is not kept there.
Place = tuple[Path, str | None]


def served(go: Callable[[FakeOpenAI], Awaitable[None]], handler: Any = None) -> None:
    """Runs `go` beside a server that plays every role."""

    async def serve() -> None:
        async with fake_openai(handler or plays_all()) as server:
            await go(server)

    asyncio.run(serve())


def record_of(folder: Path) -> DialogueRecord:
    (record,) = RunFolder(folder).records().values()
    return record


def one(url: str, **how: Any) -> Suite:
    return one_dialogue(small_suite(url, **how))
