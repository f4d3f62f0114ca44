"""One cell: start it, go on with it, judge it again, or read it off its finished checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from emoharbor.graphs.context import Context
from emoharbor.runs.drain import Drain
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.plan import Cell, Plan
from emoharbor.runs.seats import Seating
from emoharbor.runs.shared import Shared
from emoharbor.runs.threads import config_of, failure_of, go_on, now, tried
from emoharbor.runs.tracing import dialogue_span
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Failure
from emoharbor.suite import Suite

Graph = CompiledStateGraph[Any, Context, Any, Any]


@dataclass(frozen=True)
class Visit:
    """A node of a live dialogue has finished; `update` is what it changed."""

    cell: Cell
    thread: str
    node: str
    update: dict[str, Any]


@dataclass(frozen=True)
class CellRunner:
    """Runs the cells of one plan. `first_judge` is the judge of the dialogues' own threads.

    `name` is the run's, for spans.
    """

    plan: Plan
    graphs: dict[str, Graph]
    journal: RunJournal
    first_judge: str
    on_visit: Callable[[Visit], None]
    drain: Drain
    name: str = ""
    shared: Shared = field(default_factory=Shared)

    async def run(self, cell: Cell) -> DialogueRecord | None:
        """The cell's record, of a finished dialogue or of a failure; None when the run is stopping.

        Raises CheckpointError alone: a run whose store is gone cannot go on.
        """
        with dialogue_span(self.plan.suite.name, self.name, cell) as tell:
            record = await self._run(cell)
            tell(record)
            return record

    async def _run(self, cell: Cell) -> DialogueRecord | None:
        started = now()

        async def whole() -> DialogueRecord:
            thread = await self._finish(cell)
            state = await self._state(cell, thread)
            self.journal.forget(thread)
            return self._record(cell, thread, state, None, started)

        return await tried(whole(), lambda error: self._failed(cell, error, started))

    async def _finish(self, cell: Cell) -> str:
        """Brings the cell to its verdict; returns the thread in which it stands."""
        await self._open(cell)
        own_judge = digest(self.plan.fingerprint["judge"]) == self.first_judge
        if own_judge:
            await self._go_on(cell, cell.thread)
            return cell.thread
        judged = self._judged_thread(cell)
        if not (await self._state(cell, judged)).created_at:
            await self._go_on(cell, cell.thread, interrupt_before=["evaluator"])
            await self._fork(cell, cell.thread, judged)
        await self._go_on(cell, judged)
        return judged

    def _judged_thread(self, cell: Cell) -> str:
        return f"{cell.thread}.{cell.verdict_hash}"

    async def _open(self, cell: Cell) -> None:
        """Gives a new dialogue the user's first words, where all supporters hear the same."""
        if cell.opening is None or (await self._state(cell, cell.thread)).created_at:
            return
        async with self.shared.locks[cell.opening]:
            # Not into the node that stands behind them, now or when a stopped run goes on.
            behind = ("supporter", "evaluator")
            if not set((await self._state(cell, cell.opening)).next) & {*behind}:
                await self._go_on(cell, cell.opening, interrupt_before=[*behind])
                self.journal.forget(cell.opening)
        await self._fork(cell, cell.opening, cell.thread)

    async def _go_on(self, cell: Cell, thread: str, **how: Any) -> None:
        def told(node: str, update: dict[str, Any]) -> None:
            self.on_visit(Visit(cell, thread, node, update))

        graph, context = self.graphs[cell.supporter], await self._context(cell, thread)
        await go_on(graph, thread, {"turn": 0}, context, self.drain, told, **how)

    async def _fork(self, cell: Cell, source: str, new: str) -> None:
        """A new thread that stands where `source` does, which is not touched, unjudged."""
        values = dict((await self._state(cell, source)).values)
        values.pop("verdict", None)
        last = "termination" if values["h_s"][-1].role == "user" else "supporter"
        await self.graphs[cell.supporter].aupdate_state(config_of(new), values, as_node=last)

    async def _context(self, cell: Cell, thread: str) -> Context:
        suite = self.plan.suite
        process = self.plan.seatings[cell.supporter].profile.agent
        person = await self.shared.person(cell, process, self.journal) if process else cell.profile
        return Context(
            profile=person.model_dump_json(),
            seed=cell.seed,
            max_turns=suite.max_turns,
            language=suite.language,
            failures=self.journal.failures(thread),
        )

    async def _state(self, cell: Cell, thread: str) -> StateSnapshot:
        return await self.graphs[cell.supporter].aget_state(config_of(thread))

    async def _failed(self, cell: Cell, error: Exception, started: str) -> DialogueRecord:
        threads = (self._judged_thread(cell), cell.thread, cell.opening or cell.thread)
        for at in threads:
            state = await self._state(cell, at)
            if state.created_at:
                break
        failure = await failure_of(error, at, state, self.journal)
        thread = cell.thread if at == cell.opening else at
        return self._record(cell, thread, state, failure, started)

    def _record(
        self,
        cell: Cell,
        thread: str,
        state: StateSnapshot,
        failure: Failure | None,
        started: str,
    ) -> DialogueRecord:
        values = state.values
        seating = self.plan.seatings[cell.supporter]
        return DialogueRecord(
            suite=self.plan.suite.name,
            supporter=cell.supporter,
            profile=cell.profile.id,
            repeat=cell.repeat,
            language=self.plan.suite.language,
            thread=thread,
            branched=_branched(self.plan.suite, cell),
            dialogue_hash=cell.dialogue_hash,
            verdict_hash=cell.verdict_hash,
            seed=cell.seed,
            h_s=values.get("h_s", []),
            h_u=values.get("h_u", []),
            turns=values.get("turn", 0),
            ending=values.get("ending"),
            verdict=None if failure else values.get("verdict"),
            failure=failure,
            models=_models(seating),
            prompts=seating.prompts,
            usage=self.journal.usage(cell.thread) | self.journal.usage(thread),
            started=started,
            finished=now(),
        )


def _branched(suite: Suite, cell: Cell) -> str | None:
    if suite.branch is None or cell.origin is None:
        return None
    return f"{suite.branch.run}: {cell.origin.thread}, step {cell.origin.step}"


def _models(seating: Seating) -> dict[str, str]:
    return {role: config.spec or "" for role, config in seating.models.items()}
