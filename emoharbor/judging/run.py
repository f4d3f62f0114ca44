"""Judging recorded dialogues: a run of its own, resumable as any run is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from emoharbor.judging.asking import Asker, Told
from emoharbor.judging.plan import (
    Item,
    JudgingPlan,
    make_judging_plan,
    prepare_judging,
    seats_for,
)
from emoharbor.judging.source import read_source
from emoharbor.judging.wanted import Work
from emoharbor.runs.budget import Meter
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions, begun, work_through
from emoharbor.runs.folder import Records, stored_records
from emoharbor.runs.seats import MakeModel
from emoharbor.runs.store import RunStore, name_of
from emoharbor.state.record import DialogueRecord


@dataclass(frozen=True)
class JudgingListener:
    """Who is told what happens; every call returns at once."""

    on_plan: Callable[[JudgingPlan, int, Meter], None] = lambda plan, done, meter: None
    on_visit: Callable[[Item, str, dict[str, Any]], None] = lambda item, node, update: None
    on_record: Callable[[DialogueRecord], None] = lambda record: None


@dataclass(frozen=True)
class Judged:
    """What has come of a judging so far: the records of its plan in order.

    `left_out` says of each dialogue that was not judged why.
    """

    work: Work
    records: tuple[DialogueRecord, ...]
    left_out: Mapping[str, str]

    @property
    def failed(self) -> int:
        """How many answers failed."""
        return sum(record.failure is not None for record in self.records)


async def run_judging(
    work: Work,
    listener: JudgingListener | None = None,
    options: RunOptions | None = None,
    drain: Drain | None = None,
) -> Judged:
    """Asks what was not answered yet. The judged run is only read.

    `drain` stops it early without a loss. Raises as `run_suite` does: once it has begun, a failure
    is a record, and only a store that is gone raises (CheckpointError).
    """
    listener, options, drain = (
        listener or JudgingListener(), options or RunOptions(), drain or Drain()
    )  # fmt: skip
    source = await read_source(work, options.store)

    def make(make_model: MakeModel) -> JudgingPlan:
        return make_judging_plan(work, source, seats_for(work, source, make_model))

    async def prepared(plan: JudgingPlan, store: RunStore) -> None:
        await prepare_judging(plan, store, str(work.folder))

    async with begun(make, prepared, work.folder, options, drain) as run:
        plan, store = run.plan, run.store
        told, name = _told(listener, run.meter), name_of(work.folder)
        asker = Asker(plan, store.saver, run.journal, told, drain, name)
        records = await stored_records(store.records.all())
        left = [i for i in plan.items if not _is_done(records, i, options.retry_failed)]
        listener.on_plan(plan, len(plan.items) - len(left), run.meter)
        await work_through(left, asker.run, plan.models, drain, store.records, listener.on_record)
        records = await stored_records(store.records.all())
    found = (records.get(item.key) for item in plan.items)
    return Judged(work, tuple(record for record in found if record), plan.left_out)


def _told(listener: JudgingListener, meter: Meter) -> Told:
    def on_visit(item: Item, node: str, update: dict[str, Any]) -> None:
        meter.look(item.thread)
        listener.on_visit(item, node, update)

    return on_visit


def _is_done(records: Records, item: Item, retry_failed: bool) -> bool:
    """Answered as it would be now, or failed and not to be tried again."""
    record = records.get(item.key)
    if record is None or record.thread != item.thread:
        return False
    return record.failure is None or not retry_failed
