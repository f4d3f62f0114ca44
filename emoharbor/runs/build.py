"""Running a build: seeds to profiles, resumable as any run is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from langgraph.types import StateSnapshot

from emoharbor.graphs.profile_building import BuildContext, build_profile_building
from emoharbor.models.pool import ModelPool
from emoharbor.runs.budget import Meter
from emoharbor.runs.build_files import prepare_build, write_results
from emoharbor.runs.build_plan import Build, BuildPlan, Item, make_build_plan
from emoharbor.runs.build_records import Built, file_of, settled, stored_builds
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions, begun, work_through
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.store import RunStore, name_of
from emoharbor.runs.threads import AnyGraph, config_of, failure_of, go_on, now, tried
from emoharbor.runs.tracing import build_span
from emoharbor.state.building import BuildRecord, Made, profile_of
from emoharbor.state.verdict import Failure


@dataclass(frozen=True)
class BuildListener:
    """Who is told what happens; every call returns at once."""

    on_plan: Callable[[BuildPlan, int, Meter], None] = lambda plan, done, meter: None
    on_visit: Callable[[Item, str, dict[str, Any]], None] = lambda item, node, update: None
    on_record: Callable[[BuildRecord], None] = lambda record: None


def plan_build(build: Build) -> BuildPlan:
    """The plan of a build without running it or touching the network."""
    return make_build_plan(build, ModelPool().model)


async def run_build(
    build: Build,
    out: Path,
    listener: BuildListener | None = None,
    options: RunOptions | None = None,
    drain: Drain | None = None,
) -> Built:
    """Works through the seeds that are not done yet, and writes what was accepted.

    `drain` stops it early without a loss. Raises as `run_suite` does: once it has begun, a failure
    is a record, and only a store that is gone raises (CheckpointError).
    """
    listener, options, drain = (
        listener or BuildListener(), options or RunOptions(), drain or Drain()
    )  # fmt: skip

    async def prepared(plan: BuildPlan, store: RunStore) -> None:
        await prepare_build(plan, store, out)

    async with begun(partial(make_build_plan, build), prepared, out, options, drain) as run:
        plan, store, journal = run.plan, run.store, run.journal
        graph = build_profile_building(plan.agents).compile(checkpointer=store.saver)
        runner = _Runner(plan, graph, journal, run.meter, listener, drain, name_of(out))
        records = await stored_builds(store.records.all())
        left = [i for i in plan.items if not _is_done(records, i, options.retry_failed)]
        listener.on_plan(plan, len(plan.items) - len(left), run.meter)
        await work_through(left, runner.run, plan.models, drain, store.records, listener.on_record)
        records = await stored_builds(store.records.all())
    built = settled((i.person.id for i in plan.items), records, file_of(build.file, out))
    await write_results(built, out)
    return built


def _is_done(records: dict[str, BuildRecord], item: Item, retry_failed: bool) -> bool:
    """Accepted or set aside, or failed and not to be tried again."""
    record = records.get(item.person.id)
    return record is not None and (record.failure is None or not retry_failed)


@dataclass(frozen=True)
class _Runner:
    """Works on the seeds of one plan. `name` is the run's, for spans."""

    plan: BuildPlan
    graph: AnyGraph
    journal: RunJournal
    meter: Meter
    listener: BuildListener
    drain: Drain
    name: str

    async def run(self, item: Item) -> BuildRecord | None:
        """The seed's record, or None when the run is stopping. Raises CheckpointError alone."""
        with build_span(self.plan.build.build, self.name, item) as tell:
            record = await self._run(item)
            tell(record)
            return record

    async def _run(self, item: Item) -> BuildRecord | None:
        started = now()

        async def whole() -> BuildRecord:
            context = BuildContext(
                person=item.person.model_dump_json(),
                seed=item.seed,
                failures=self.journal.failures(item.thread),
            )
            start = {"made": Made()}
            told = partial(self._told, item)
            await go_on(self.graph, item.thread, start, context, self.drain, told)
            state = await self._state(item)
            self.journal.forget(item.thread)
            return self._record(item, state, None, started)

        async def failed(error: Exception) -> BuildRecord:
            state = await self._state(item)
            failure = await failure_of(error, item.thread, state, self.journal)
            return self._record(item, state, failure, started)

        return await tried(whole(), failed)

    def _told(self, item: Item, node: str, update: dict[str, Any]) -> None:
        self.meter.look(item.thread)
        self.listener.on_visit(item, node, update)

    async def _state(self, item: Item) -> StateSnapshot:
        return await self.graph.aget_state(config_of(item.thread))

    def _record(
        self, item: Item, state: StateSnapshot, failure: Failure | None, started: str
    ) -> BuildRecord:
        made, faults = state.values.get("made", Made()), state.values.get("faults", [])
        accepted = failure is None and not faults
        return BuildRecord(
            id=item.person.id,
            place=item.place,
            language=item.person.language,
            thread=item.thread,
            build_hash=item.build_hash,
            person=item.person,
            made=made,
            profile=profile_of(item.person, made) if accepted else None,
            faults=faults,
            mended=state.values.get("mended", []),
            failure=failure,
            models=self.plan.specs(item.thread),
            prompts=self.plan.prompts,
            usage=self.journal.usage(item.thread),
            started=started,
            finished=now(),
        )
