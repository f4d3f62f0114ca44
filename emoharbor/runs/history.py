"""What a dialogue went through: every checkpoint, what its node changed, and the calls it made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import StateSnapshot

from emoharbor.agents.replay import RecordedEnd, ReplaySupporter, ReplayTalker
from emoharbor.agents.scripted import ScriptedEvaluator
from emoharbor.agents.thinker import no_thinker
from emoharbor.graphs.dialogue import Agents, Opening, build_dialogue

MEMORIES = ("h_s", "h_u")


@dataclass(frozen=True)
class Change:
    """What a step did to one channel: items appended to a memory, or one value for another."""

    channel: str
    appended: tuple[Any, ...] = ()
    before: Any = None
    after: Any = None


@dataclass(frozen=True)
class Step:
    """One checkpoint of a thread.

    `number` is LangGraph's step: -1 for the input, and the same for a node's visit and its calls
    in the journal. `node` made it (None where the thread begins); `next` is what comes after it,
    empty when the dialogue is over. `error` is why the next node has stayed open.
    """

    number: int
    at: str
    node: str | None
    next: tuple[str, ...]
    values: dict[str, Any]
    changes: tuple[Change, ...]
    calls: tuple[dict[str, Any], ...]
    error: str | None

    @property
    def seconds(self) -> float:
        """Time in answered model calls."""
        return sum(float(call.get("seconds") or 0.0) for call in self.calls)


def topology(saver: BaseCheckpointSaver[Any], opening: Opening) -> Any:
    """The dialogue graph over `saver` with nobody in its nodes: for reading and seeding states."""
    nobody = Agents(
        ReplaySupporter(()), no_thinker, ReplayTalker(()), RecordedEnd(()), ScriptedEvaluator()
    )
    return build_dialogue(nobody, opening=opening).compile(checkpointer=saver)


async def steps_of(graph: Any, thread: str, calls: Iterable[dict[str, Any]] = ()) -> list[Step]:
    """Every checkpoint of `thread` in order, with those of `calls` (journal entries) it made."""
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    snapshots = [snapshot async for snapshot in graph.aget_state_history(config)]
    made: dict[int, list[dict[str, Any]]] = {}
    for entry in calls:
        if entry["thread"] == thread and entry["kind"] != "failure":
            made.setdefault(entry["step"], []).append(entry)
    steps: list[Step] = []
    for snapshot in reversed(snapshots):
        steps.append(_step(snapshot, steps[-1] if steps else None, made))
    return steps


def _step(
    snapshot: StateSnapshot, before: Step | None, made: dict[int, list[dict[str, Any]]]
) -> Step:
    number = int((snapshot.metadata or {}).get("step", -1))
    values = dict(snapshot.values)
    return Step(
        number=number,
        at=snapshot.created_at or "",
        node=before.next[0] if before and before.next and before.next != ("__start__",) else None,
        next=tuple(snapshot.next),
        values=values,
        changes=tuple(changes(before.values if before else {}, values)),
        calls=tuple(made.get(number, ())),
        error=next((str(task.error) for task in snapshot.tasks if task.error), None),
    )


def changes(before: dict[str, Any], after: dict[str, Any]) -> Iterable[Change]:
    """What differs between two states, channel by channel."""
    for channel in after:
        old, new = before.get(channel), after[channel]
        if channel in MEMORIES and _begins_with(new, old or ()):
            if added := tuple(new[len(old or ()) :]):
                yield Change(channel, appended=added)
        elif old != new:
            yield Change(channel, before=old, after=new)


def _begins_with(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return list(new[: len(old)]) == list(old)
