"""Running a suite: one event loop, a task a live cell, one failure never the batch's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from emoharbor.graphs.dialogue import build_dialogue
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool
from emoharbor.runs.budget import Budget, Meter
from emoharbor.runs.cells import CellRunner, Graph, Visit
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import journaled, probe_all, work_through
from emoharbor.runs.folder import Records, RunFolder, prepare, stored_records
from emoharbor.runs.fork import plant
from emoharbor.runs.inherit import inherit
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.plan import Cell, Plan, make_plan
from emoharbor.runs.seats import seat_all
from emoharbor.runs.store import RunStore, name_of, open_store
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite


@dataclass(frozen=True)
class Listener:
    """Who is told what happens; every call returns at once."""

    on_plan: Callable[[Plan, int, Meter], None] = lambda plan, done, meter: None
    on_visit: Callable[[Visit], None] = lambda visit: None
    on_record: Callable[[DialogueRecord], None] = lambda record: None


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


def plan_suite(suite: Suite) -> Plan:
    """The plan of a suite without running it or touching the network."""
    return _plan(suite, ModelPool().model)


async def run_suite(
    suite: Suite,
    out: Path,
    listener: Listener | None = None,
    options: RunOptions | None = None,
    drain: Drain | None = None,
) -> RunFolder:
    """Runs what is not finished yet of the run in `out`, and makes the folder if need be.

    `drain` stops it early without a loss. Raises ConfigError or ModelError before any dialogue
    starts when the configuration, an endpoint or an existing run is not right; afterwards a
    failure is a record, and only a store that is gone raises (CheckpointError).
    """
    listener, options, drain = listener or Listener(), options or RunOptions(), drain or Drain()
    async with ModelPool() as pool:
        plan = _plan(suite, pool.model)
        drain.wakes(pool.stop)
        await probe_all(plan.models, pool)
        meter = Meter(options.budget, plan.specs, plan.models, drain, pool)
        async with open_store(options.store, out) as store:
            first_judge = await prepare(plan, store, str(out))
            if options.parent:
                await inherit(plan, options.parent, store)
            journal = RunJournal(store.calls)
            await journal.load()
            meter.begin(journal)
            plan = _plan(suite, partial(journaled, pool, journal))
            graphs = _graphs(plan, store)
            for cell in plan.cells:
                await plant(graphs[cell.supporter], cell, options.seeds)
            told, name = _told(listener, meter), name_of(out)
            runner = CellRunner(plan, graphs, journal, first_judge, told, drain, name)
            records = await stored_records(store.records.all())
            cells = [c for c in plan.cells if not _is_done(records, c, options.retry_failed)]
            listener.on_plan(plan, len(plan.cells) - len(cells), meter)
            await work_through(
                cells, runner.run, plan.models, drain, store.records, listener.on_record
            )
    return RunFolder(out)


def _plan(suite: Suite, make_model: Callable[[ModelConfig, Sampling], ChatModel]) -> Plan:
    seatings = {s.name: seat_all(suite, s, make_model) for s in suite.supporters}
    return make_plan(suite, seatings)


def _graphs(plan: Plan, store: RunStore) -> dict[str, Graph]:
    return {
        name: build_dialogue(seating.agents, opening=plan.suite.opening).compile(
            checkpointer=store.saver
        )
        for name, seating in plan.seatings.items()
    }


def _told(listener: Listener, meter: Meter) -> Callable[[Visit], None]:
    def on_visit(visit: Visit) -> None:
        meter.look(visit.thread)
        listener.on_visit(visit)

    return on_visit


def _is_done(records: Records, cell: Cell, retry_failed: bool) -> bool:
    """Judged by the plan's judge, or failed and not to be tried again."""
    record = records.get(cell.key)
    if record is None or record.verdict_hash != cell.verdict_hash:
        return False
    return record.verdict is not None or not retry_failed
