"""One dialogue that stops after every node, and what may be changed by hand while it stands.

A change by hand is a branch: the state so far is planted in a new thread of the same run, under
the hash of what is in the nodes from then on. So a thread never mixes configurations, no journal
key is used twice, and everything that reads or goes on with a run does so with this one too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from langchain_core.runnables import RunnableConfig

from emoharbor.errors import ConfigError
from emoharbor.graphs.dialogue import Agents, build_dialogue
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.journal import Journaled
from emoharbor.models.pool import ModelPool, describe
from emoharbor.runs.by_hand import branched, keep, line_changes, swapped
from emoharbor.runs.cells import CellRunner, Graph
from emoharbor.runs.drain import Drain
from emoharbor.runs.edits import edited
from emoharbor.runs.folder import prepare, stored_records
from emoharbor.runs.fork import STATE, plant
from emoharbor.runs.history import Step, steps_of
from emoharbor.runs.journal import RunJournal, whole
from emoharbor.runs.plan import Cell, Plan, make_plan
from emoharbor.runs.seats import Seat, seat_all
from emoharbor.runs.store import RunStore, name_of
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Failure
from emoharbor.suite import Suite, make_suite


class Stepper:
    """One dialogue that stops after every node; made by `open_stepper`, one call at a time.

    `state` is the newest step; its `error` says why the next node has stayed open. `record` is
    there once the dialogue has its verdict, or its last node failed. `calls` are the journal's
    entries of the whole run, each with its request whole.
    """

    state: Step
    cell: Cell
    plan: Plan

    def __init__(self, pool: ModelPool, store: RunStore, journal: RunJournal, out: Path) -> None:
        self.record: DialogueRecord | None = None
        self.calls: list[dict[str, Any]] = []
        self._pool = pool
        self._store = store
        self._journal = journal
        self._out = out
        self._drain = Drain()
        self._graph: Graph
        self._first_judge = ""
        self._lines: list[dict[str, Any]] = []
        self._read: int | None = None

    @property
    def next_node(self) -> str | None:
        """The node to come, None when the dialogue is over."""
        return self.state.next[0] if self.state.next else None

    @property
    def next_seat(self) -> Seat | None:
        """Who is in it."""
        seating = self.plan.seatings[self.cell.supporter]
        return getattr(seating, self.next_node) if self.next_node else None

    @property
    def failure(self) -> Failure | None:
        """Why the last node that was run failed; it stays open and may be tried again."""
        return self.record.failure if self.record else None

    async def step(self) -> Step:
        """Runs the next node. Raises ConfigError when the dialogue is over."""
        self._refuse_over()
        await self._run()
        return self.state

    async def to_turn(self, told: Callable[[Step], None] = lambda step: None) -> Step:
        """Runs to the end of the exchange, or to a failure; `told` hears of every step."""
        first = self.plan.suite.opening.replace("user", "thinker")
        return await self._on(told, (first, "evaluator", None))

    async def to_end(self, told: Callable[[Step], None] = lambda step: None) -> Step:
        """Runs to the verdict, or to a failure; `told` hears of every step."""
        return await self._on(told, (None,))

    async def edit(self, edits: Mapping[str, Any]) -> Step:
        """Changes what was said or thought last, as `runs.edits.edited` does.

        Raises ConfigError, and nothing is changed, for an edit that does not fit.
        """
        return await self._change(dict(edits), {})

    async def swap(self, node: str, keys: Mapping[str, Any]) -> Step:
        """Puts another agent, or the same one with other `keys`, into a node from now on.

        With another `use`, of the keys of before only the model stays. Raises ConfigError, and
        nothing is changed, where the suite would not be valid.
        """
        return await self._change({}, swapped(self.plan.suite, node, keys))

    async def _on(self, told: Callable[[Step], None], stops: tuple[str | None, ...]) -> Step:
        self._refuse_over()
        while True:
            await self._run()
            if self.failure:
                return self.state
            told(self.state)
            if self.next_node in stops:
                return self.state

    def _refuse_over(self) -> None:
        if self.next_node is None:
            raise ConfigError(
                "the dialogue is over; emoharbor fork goes on from inside it, "
                "and a run with another --judge judges it again"
            )

    async def _run(self) -> None:
        self._drain = Drain()
        self.record = await self._runner().run(self.cell)
        if self.record is not None:
            await self._store.records.append(self.record.model_dump(mode="json"))
        await self._look()

    def _runner(self) -> CellRunner:
        return CellRunner(
            self.plan,
            {self.cell.supporter: self._graph},
            self._journal,
            self._first_judge,
            lambda visit: None,
            self._drain,
            name_of(self._out),
        )

    async def _change(self, edits: dict[str, Any], swaps: dict[str, Any]) -> Step:
        self._refuse_over()
        at = await self._newest_step(self.cell.thread)
        now = {key: at.values[key] for key in STATE if key in at.values}
        seed = edited(now, edits)
        values = self.plan.suite.model_dump(mode="json", exclude_unset=True)
        suite = make_suite(values, str(self._out), swaps)
        plan = self._planned(suite)
        # Another judge alone is no other dialogue: the run judges in a thread beside it.
        if edits or plan.cells[0].dialogue_hash != self.cell.dialogue_hash:
            run = name_of(self._out)
            plan = self._planned(branched(suite, run, self.cell, at, edits, swaps))
            await plant(self._graph, plan.cells[0], {self.cell.name: seed})
        await keep(plan, self._store)
        self._take(plan)
        await self._look()
        self.state = replace(self.state, changes=tuple(line_changes(now, self.state.values)))
        return self.state

    async def begin(self, suite: Suite) -> None:
        """Takes up the dialogue of `suite` where it stands. Called once, by `open_stepper`."""
        plan = self._planned(suite)
        self._first_judge = await prepare(plan, self._store, str(self._out))
        self._take(plan)
        await plant(self._graph, self.cell, {})
        config = _config(self.cell.thread)
        if not (await self._graph.aget_state(config)).created_at:
            # Up to the first node and not into it.
            await self._graph.ainvoke({"turn": 0}, config, interrupt_before="*", durability="sync")
        record = (await stored_records(self._store.records.all())).get(self.cell.key)
        if record and record.verdict_hash == self.cell.verdict_hash:
            self.record = record
        await self._look()
        if self.next_node is None and not (self.record and self.record.verdict):
            # It ended as its process died, before its record was written.
            await self._run()

    def _planned(self, suite: Suite) -> Plan:
        return make_plan(suite, {s.name: seat_all(suite, s, self._model) for s in suite.supporters})

    def _model(self, config: ModelConfig, sampling: Sampling) -> ChatModel:
        described = {**describe(config), **sampling.model_dump(exclude_none=True)}
        return Journaled(self._pool.model(config, sampling), self._journal, described)

    def _take(self, plan: Plan) -> None:
        self.plan, self.cell, self.record = plan, plan.cells[0], None
        agents = plan.seatings[self.cell.supporter].agents
        watched = Agents(**{name: self._watched(agent) for name, agent in vars(agents).items()})
        self._graph = build_dialogue(watched, opening=plan.suite.opening).compile(
            checkpointer=self._store.saver
        )

    def _watched(self, agent: Callable[[Any], Awaitable[Any]]) -> Any:
        """The agent; once it is asked, the dialogue stops when its node is over."""

        async def asked(view: Any) -> Any:
            self._drain.request("one step")
            return await agent(view)

        return asked

    async def _look(self) -> None:
        async for position, entry in self._store.calls.all(self._read):
            self._read = position
            self._lines.append(entry)
        self.calls = list(whole(dict(line) for line in self._lines))
        judged = f"{self.cell.thread}.{self.cell.verdict_hash}"
        self.state = await self._newest_step(self.cell.thread)
        if (await self._graph.aget_state(_config(judged))).created_at:
            step = await self._newest_step(judged)
            # Where another judge begins, it has the state before it and nothing new.
            self.state = step if step.node or step.error else self.state

    async def _newest_step(self, thread: str) -> Step:
        """The last step alone: reading all of them after each would take long."""
        last_two = partial(self._graph.aget_state_history, limit=2)
        graph = SimpleNamespace(aget_state_history=last_two)
        return (await steps_of(graph, thread, self.calls))[-1]


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}
