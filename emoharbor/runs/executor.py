"""Running a suite: one event loop, a task a live cell, one failure never the batch's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.errors import ConfigError, ModelError
from emoharbor.graphs.dialogue import build_dialogue
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.journal import Journaled
from emoharbor.models.pool import ModelPool, describe
from emoharbor.runs.cells import CellRunner, Visit
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.journal import FileJournal
from emoharbor.runs.jsonl import Appender
from emoharbor.runs.plan import Cell, Plan, make_plan
from emoharbor.runs.seats import seat_all
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite


@dataclass(frozen=True)
class Listener:
    """Who is told what happens; every call returns at once."""

    on_plan: Callable[[Plan, int], None] = lambda plan, done: None
    on_visit: Callable[[Visit], None] = lambda visit: None
    on_record: Callable[[DialogueRecord], None] = lambda record: None


def plan_suite(suite: Suite) -> Plan:
    """The plan of a suite without running it or touching the network."""
    pool = ModelPool()
    return _plan(suite, pool.model)


async def run_suite(suite: Suite, out: Path, listener: Listener | None = None) -> RunFolder:
    """Runs what is not finished yet in the run folder `out`, and makes the folder if need be.

    Raises ConfigError or ModelError before any dialogue starts when the configuration, an endpoint
    or an existing folder is not right; afterwards a failure is a record.
    """
    listener = listener or Listener()
    folder = RunFolder(out)
    async with ModelPool() as pool:
        plan = _plan(suite, pool.model)
        await _probe(plan, pool)
        first_judge = folder.prepare(plan)
        journal = FileJournal(folder.calls_file)
        records = Appender(folder.records_file)
        try:
            plan = _plan(
                suite, lambda config, sampling: _journaled(pool, journal, config, sampling)
            )
            async with open_checkpointer(folder.checkpoints) as saver:
                graphs = {
                    name: build_dialogue(seating.agents, opening=suite.opening).compile(
                        checkpointer=saver
                    )
                    for name, seating in plan.seatings.items()
                }
                runner = CellRunner(plan, graphs, journal, first_judge, listener.on_visit)
                await _run_cells(runner, _open_cells(plan, folder), records, listener)
        finally:
            journal.close()
            records.close()
    return folder


def _plan(suite: Suite, make_model: Callable[[ModelConfig, Sampling], ChatModel]) -> Plan:
    seatings = {s.name: seat_all(suite, s, make_model) for s in suite.supporters}
    return make_plan(suite, seatings)


def _journaled(
    pool: ModelPool, journal: FileJournal, config: ModelConfig, sampling: Sampling
) -> ChatModel:
    described = {**describe(config), **sampling.model_dump(exclude_none=True)}
    return Journaled(pool.model(config, sampling), journal, described)


async def _probe(plan: Plan, pool: ModelPool) -> None:
    """One cheap call for every distinct endpoint and model; all that fails is told at once."""
    configs = {c.spec: c for s in plan.seatings.values() for c in s.models.values()}
    answers = await asyncio.gather(
        *(pool.probe(config) for config in configs.values()), return_exceptions=True
    )
    failed = [a for a in answers if isinstance(a, ConfigError | ModelError)]
    if len(failed) == 1:
        raise failed[0]
    if failed:
        raise ConfigError("\n".join(str(error) for error in failed))
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer


def _open_cells(plan: Plan, folder: RunFolder) -> list[Cell]:
    """The cells without a verdict by the plan's judge."""
    records = folder.records()
    return [c for c in plan.cells if not _is_done(records.get(c.key), c)]


def _is_done(record: DialogueRecord | None, cell: Cell) -> bool:
    return bool(record and record.verdict and record.verdict_hash == cell.verdict_hash)


async def _run_cells(
    runner: CellRunner, cells: list[Cell], records: Appender, listener: Listener
) -> None:
    """At most as many live dialogues as calls may be in flight: each has one call at a time."""
    listener.on_plan(runner.plan, len(runner.plan.cells) - len(cells))
    places = asyncio.Semaphore(_slots(runner.plan))

    async def run_one(cell: Cell) -> None:
        async with places:
            record = await runner.run(cell)
        records.append(record.model_dump(mode="json"))
        listener.on_record(record)

    try:
        async with asyncio.TaskGroup() as group:
            for cell in cells:
                group.create_task(run_one(cell))
    except BaseExceptionGroup as failed:
        # Only the run's own storage can fail here, and the first fault is the one to tell.
        raise failed.exceptions[0] from None


def _slots(plan: Plan) -> int:
    endpoints = {c.spec: c.concurrency for s in plan.seatings.values() for c in s.models.values()}
    return sum(endpoints.values()) or 16
