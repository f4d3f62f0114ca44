"""What every run does: ask its endpoints, hold its store, journal its calls, work its list off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.journal import Journaled
from emoharbor.models.pool import ModelPool, describe
from emoharbor.runs.budget import Budget, Meter
from emoharbor.runs.drain import Drain
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.lines import Lines
from emoharbor.runs.seats import MakeModel
from emoharbor.runs.store import RunStore, open_store

MOST_LIVE = 256
I = TypeVar("I")  # noqa: E741
R = TypeVar("R", bound=BaseModel)


class Planned(Protocol):
    """What is asked for: of which models, and of which one by each role in a thread."""

    @property
    def models(self) -> Sequence[ModelConfig]:
        """All that are asked."""
        ...

    def specs(self, thread: str) -> Mapping[str, str]:
        """The spec of each role's model."""
        ...


P = TypeVar("P", bound=Planned)


@dataclass(frozen=True)
class RunOptions:
    """How a run is run; nothing here shapes a dialogue.

    `store` is None for the run folder or a Redis URL; `parent` is the folder of a run whose
    dialogues are taken over where they are the same. `seeds` are the states that a new
    branch's dialogues begin with.
    """

    store: str | None = None
    retry_failed: bool = True
    budget: Budget = field(default_factory=Budget)
    parent: Path | None = None
    seeds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Begun(Generic[P]):
    """A run that may work: its models answer, its store is held, its calls are journaled."""

    plan: P
    store: RunStore
    journal: RunJournal
    meter: Meter


@asynccontextmanager
async def begun(
    make: Callable[[MakeModel], P],
    prepare: Callable[[P, RunStore], Awaitable[None]],
    where: Path,
    options: RunOptions,
    drain: Drain,
) -> AsyncIterator[Begun[P]]:
    """What every run begins with, and the closing of it all. `make` makes the plan of its models.

    `prepare` keeps the plan, or refuses a store that holds another. Raises ConfigError or
    ModelError before anything is written where an endpoint does not answer, Stopped where `drain`
    was asked meanwhile.
    """
    async with ModelPool() as pool:
        plan = make(pool.model)
        drain.wakes(pool.stop)
        await probe_all(plan.models, pool)
        meter = Meter(options.budget, plan.specs, plan.models, drain, pool)
        async with open_store(options.store, where) as store:
            await prepare(plan, store)
            journal = RunJournal(store.calls)
            await journal.load()
            meter.begin(journal)
            yield Begun(make(partial(journaled, pool, journal)), store, journal, meter)


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
