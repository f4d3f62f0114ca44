"""One thread of a graph: begun or gone on with, and told apart if it fails or is stopped."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from emoharbor.errors import CheckpointError, EmoHarborError, ModelError, Stopped
from emoharbor.runs.drain import Drain
from emoharbor.runs.journal import RunJournal
from emoharbor.state.verdict import Failure

AnyGraph = CompiledStateGraph[Any, Any, Any, Any]
Told = Callable[[str, dict[str, Any]], None]
T = TypeVar("T")
F = TypeVar("F")


async def go_on(
    graph: AnyGraph,
    thread: str,
    start: Mapping[str, Any],
    context: Any,
    drain: Drain,
    told: Told,
    **how: Any,
) -> None:
    """No checkpoint: start. An open node: go on with it. Neither: it is finished.

    `told` hears of each node that has finished and of what it changed.
    """
    state = await graph.aget_state(config_of(thread))
    given: dict[str, Any] | None = dict(start)
    if state.created_at:
        if not state.tasks or [t.name for t in state.tasks] == how.get("interrupt_before"):
            return
        given = None
    control = drain.control()
    stream = graph.astream(
        given,
        config_of(thread),
        context=context,
        stream_mode="updates",
        durability="sync",
        control=control,
        **how,
    )
    try:
        async for chunk in stream:
            for node, update in chunk.items():
                if not node.startswith("__"):
                    told(node, update or {})
    finally:
        drain.done(control)


async def tried(work: Awaitable[T], failed: Callable[[Exception], Awaitable[F]]) -> T | F | None:
    """What `work` returns, or what `failed` makes of its error; None when the run is stopping.

    Raises CheckpointError alone: a run whose store is gone cannot go on.
    """
    try:
        return await work
    except (GraphDrained, Stopped):
        return None
    except CheckpointError:
        raise
    except Exception as error:
        # The one place where everything is caught: one thread's failure, a user's own agent's
        # included, is a record and must not take the others down.
        return await failed(error)


async def failure_of(
    error: Exception, thread: str, state: StateSnapshot, journal: RunJournal
) -> Failure:
    """Why a thread stopped; the visit is journaled as failed, and the next one another attempt."""
    node = state.tasks[0].name if state.tasks else None
    message = str(error) if isinstance(error, EmoHarborError) else f"{error!r}"
    if node:
        step = int((state.metadata or {}).get("step", -1)) + 1
        await journal.write_failure(thread, step, node, message)
    return Failure(
        error=type(error).__name__,
        cause=error.cause if isinstance(error, ModelError) else None,
        message=message,
        node=node,
        turn=state.values.get("turn", 0),
    )


def config_of(thread: str) -> RunnableConfig:
    """What LangGraph is told of a thread: its name, and no limit that a long dialogue meets."""
    return {"configurable": {"thread_id": thread}, "recursion_limit": 10_000}


def now() -> str:
    """This moment in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
