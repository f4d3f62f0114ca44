"""Running a suite: one event loop, a task a live cell, one failure never the batch's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from emoharbor.graphs.dialogue import build_dialogue
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool
from emoharbor.runs.budget import Meter
from emoharbor.runs.cells import CellRunner, Graph, Visit
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions, begun, work_through
from emoharbor.runs.folder import Records, RunFolder, prepare, stored_records
from emoharbor.runs.fork import plant
from emoharbor.runs.inherit import inherit
from emoharbor.runs.plan import Cell, Plan, make_plan
from emoharbor.runs.seats import seat_all
from emoharbor.runs.store import RunStore, name_of
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite


@dataclass(frozen=True)
class Listener:
    """Who is told what happens; every call returns at once."""

    on_plan: Callable[[Plan, int, Meter], None] = lambda plan, done, meter: None
    on_visit: Callable[[Visit], None] = lambda visit: None
    on_record: Callable[[DialogueRecord], None] = lambda record: None


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
    first_judge = ""

    async def prepared(plan: Plan, store: RunStore) -> None:
        nonlocal first_judge
        first_judge = await prepare(plan, store, str(out))
        if options.parent:
            await inherit(plan, options.parent, store)

    async with begun(partial(_plan, suite), prepared, out, options, drain) as run:
        plan, store, journal = run.plan, run.store, run.journal
        graphs = _graphs(plan, store)
        for cell in plan.cells:
            await plant(graphs[cell.supporter], cell, options.seeds)
        told, name = _told(listener, run.meter), name_of(out)
        runner = CellRunner(plan, graphs, journal, first_judge, told, drain, name)
        records = await stored_records(store.records.all())
        cells = [c for c in plan.cells if not _is_done(records, c, options.retry_failed)]
        listener.on_plan(plan, len(plan.cells) - len(cells), run.meter)
        await work_through(cells, runner.run, plan.models, drain, store.records, listener.on_record)
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
