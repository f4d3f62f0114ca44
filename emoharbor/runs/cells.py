"""One cell: start it, go on with it, judge it again, or read it off its finished checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from emoharbor.errors import CheckpointError, EmoHarborError, ModelError, Stopped
from emoharbor.graphs.context import Context
from emoharbor.runs.drain import Drain
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.plan import Cell, Plan
from emoharbor.runs.seats import Seating
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

    async def run(self, cell: Cell) -> DialogueRecord | None:
        """The cell's record, of a finished dialogue or of a failure; None when the run is stopping.

        Raises CheckpointError alone: a run whose store is gone cannot go on.
        """
        with dialogue_span(self.plan.suite.name, self.name, cell) as tell:
            record = await self._run(cell)
            tell(record)
            return record

    async def _run(self, cell: Cell) -> DialogueRecord | None:
        started = _now()
        try:
            thread = await self._finish(cell)
        except (GraphDrained, Stopped):
            return None
        except CheckpointError:
            raise
        except Exception as error:
            # The one place where everything is caught: one dialogue's failure, a user's own
            # agent's included, is a record and must not take the others down.
            return await self._failed(cell, error, started)
        state = await self._state(cell, thread)
        self.journal.forget(thread)
        return self._record(cell, thread, state, None, started)

    async def _finish(self, cell: Cell) -> str:
        """Brings the cell to its verdict; returns the thread in which it stands."""
        own_judge = digest(self.plan.fingerprint["judge"]) == self.first_judge
        if own_judge:
            await self._go_on(cell, cell.thread)
            return cell.thread
        judged = self._judged_thread(cell)
        if not (await self._state(cell, judged)).created_at:
            await self._go_on(cell, cell.thread, interrupt_before=["evaluator"])
            await self._fork(cell, judged)
        await self._go_on(cell, judged)
        return judged

    def _judged_thread(self, cell: Cell) -> str:
        return f"{cell.thread}.{cell.verdict_hash}"

    async def _go_on(self, cell: Cell, thread: str, **how: Any) -> None:
        """No checkpoint: start. An open node: go on with it. Neither: it is finished."""
        state = await self._state(cell, thread)
        start: dict[str, Any] | None = {"turn": 0}
        if state.created_at:
            if not state.tasks or [t.name for t in state.tasks] == how.get("interrupt_before"):
                return
            start = None
        control = self.drain.control()
        stream = self.graphs[cell.supporter].astream(
            start,
            _config(thread),
            context=self._context(cell, thread),
            stream_mode="updates",
            durability="sync",
            control=control,
            **how,
        )
        try:
            async for chunk in stream:
                for node, update in chunk.items():
                    if not node.startswith("__"):
                        self.on_visit(Visit(cell, thread, node, update or {}))
        finally:
            self.drain.done(control)

    async def _fork(self, cell: Cell, judged: str) -> None:
        """A new thread that stands before the evaluator; the dialogue's own is not touched."""
        values = dict((await self._state(cell, cell.thread)).values)
        values.pop("verdict", None)
        last = "termination" if values["h_s"][-1].role == "user" else "supporter"
        await self.graphs[cell.supporter].aupdate_state(_config(judged), values, as_node=last)

    def _context(self, cell: Cell, thread: str) -> Context:
        suite = self.plan.suite
        return Context(
            profile=cell.profile.model_dump_json(),
            seed=cell.seed,
            max_turns=suite.max_turns,
            language=suite.language,
            failures=self.journal.failures(thread),
        )

    async def _state(self, cell: Cell, thread: str) -> StateSnapshot:
        return await self.graphs[cell.supporter].aget_state(_config(thread))

    async def _failed(self, cell: Cell, error: Exception, started: str) -> DialogueRecord:
        judged = self._judged_thread(cell)
        state = await self._state(cell, judged)
        thread = judged if state.created_at else cell.thread
        state = state if state.created_at else await self._state(cell, thread)
        node = state.tasks[0].name if state.tasks else None
        message = str(error) if isinstance(error, EmoHarborError) else f"{error!r}"
        if node:
            step = int((state.metadata or {}).get("step", -1)) + 1
            await self.journal.write_failure(thread, step, node, message)
        failure = Failure(
            error=type(error).__name__,
            cause=error.cause if isinstance(error, ModelError) else None,
            message=message,
            node=node,
            turn=state.values.get("turn", 0),
        )
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
            finished=_now(),
        )


def _branched(suite: Suite, cell: Cell) -> str | None:
    if suite.branch is None or cell.origin is None:
        return None
    return f"{suite.branch.run}: {cell.origin.thread}, step {cell.origin.step}"


def _models(seating: Seating) -> dict[str, str]:
    return {role: config.spec or "" for role, config in seating.models.items()}


def _config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}, "recursion_limit": 10_000}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
