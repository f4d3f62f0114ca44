"""What every run does: ask its endpoints once, journal its calls, and work through its list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.journal import Journaled
from emoharbor.models.pool import ModelPool, describe
from emoharbor.runs.drain import Drain
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.lines import Lines

MOST_LIVE = 256
I = TypeVar("I")  # noqa: E741
R = TypeVar("R", bound=BaseModel)


async def probe_all(configs: Iterable[ModelConfig], pool: ModelPool) -> None:
    """One cheap call for every distinct endpoint and model; all that fails is told at once."""
    distinct = {config.spec: config for config in configs}
    answers = await asyncio.gather(
        *(pool.probe(config) for config in distinct.values()), return_exceptions=True
    )
    failed = [a for a in answers if isinstance(a, ConfigError | ModelError)]
    if len(failed) == 1:
        raise failed[0]
    if failed:
        raise ConfigError("\n".join(str(error) for error in failed))
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer


def journaled(
    pool: ModelPool, journal: RunJournal, config: ModelConfig, sampling: Sampling
) -> ChatModel:
    """A model of the pool whose calls are kept."""
    described = {**describe(config), **sampling.model_dump(exclude_none=True)}
    return Journaled(pool.model(config, sampling), journal, described)


async def work_through(
    items: Sequence[I],
    work: Callable[[I], Awaitable[R | None]],
    configs: Iterable[ModelConfig],
    drain: Drain,
    records: Lines,
    told: Callable[[R], None],
) -> None:
    """Works at the items side by side and keeps each record; None is of one that was stopped.

    Many more are live than calls may be in flight, up to MOST_LIVE. Each has one call at a time,
    and they are of unequal length: with few of them live, the long ones that start last leave
    slots idle at the end.
    """
    places = asyncio.Semaphore(_slots(configs))

    async def one(item: I) -> None:
        async with places:
            if drain.reason is not None:
                return
            record = await work(item)
            if record is not None:
                await records.append(record.model_dump(mode="json"))
                told(record)

    try:
        async with asyncio.TaskGroup() as group:
            for item in items:
                group.create_task(one(item))
    except BaseExceptionGroup as failed:
        # Only the run's own storage can fail here, and the first fault is the one to tell.
        raise failed.exceptions[0] from None


def _slots(configs: Iterable[ModelConfig]) -> int:
    endpoints = {describe(c)["base_url"] or c.spec: c.concurrency for c in configs}
    slots = sum(endpoints.values()) or 16
    return 1 if slots == 1 else min(8 * slots, max(slots, MOST_LIVE))
