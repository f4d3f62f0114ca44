"""Small graphs and long dialogues for the savers' tests."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypedDict, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.checkpoints.saver import ThreadSaver


def joined(old: Sequence[str], new: Sequence[Sequence[str]]) -> list[str]:
    return [*old, *(word for words in new for word in words)]


class Words(TypedDict):
    words: Annotated[list[str], DeltaChannel(joined, snapshot_frequency=100)]
    count: Annotated[int, operator.add]


T = TypeVar("T")
Node = Callable[[Words], Awaitable[dict[str, Any]]]
Graph = CompiledStateGraph[Any, Any, Any, Any]
Saver = BaseCheckpointSaver[Any]


def says(word: str) -> Node:
    async def node(state: Words) -> dict[str, Any]:
        return {"words": [word], "count": 1}

    return node


def row(saver: Saver, *nodes: Node) -> Graph:
    """The nodes one after the other: n0, n1, …"""
    builder = StateGraph(Words)
    node: Any  # LangGraph's overloads do not agree on which of them a callable fits.
    for i, node in enumerate(nodes):
        builder.add_node(f"n{i}", node)
    names = [START, *(f"n{i}" for i in range(len(nodes)))]
    for before, after in zip(names, names[1:], strict=False):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=saver)


def at(thread: str = "t", **more: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, **more}}


async def play(graph: Graph, thread: str = "t", words: list[str] | None = None) -> dict[str, Any]:
    start = None if words is None else {"words": words, "count": 0}
    return dict(await graph.ainvoke(start, at(thread), durability="sync"))


async def state(graph: Graph, config: RunnableConfig | None = None) -> dict[str, Any]:
    return dict((await graph.aget_state(config or at())).values)


async def put(saver: Saver, thread: str, parent: str = "", step: int = 0) -> str:
    """A bare checkpoint as a running loop puts it; returns its id."""
    known = {"checkpoint_id": parent} if parent else {}
    checkpoint = empty_checkpoint()
    config = at(thread, checkpoint_ns="", **known)
    await saver.aput(config, checkpoint, {"source": "loop", "step": step}, {})
    return checkpoint["id"]


def with_saver(address: str, run: str, use: Callable[[ThreadSaver], Awaitable[T]]) -> T:
    """What `use` makes of a saver that is opened and closed around it."""

    async def whole() -> T:
        async with open_checkpointer(address, run) as saver:
            assert isinstance(saver, ThreadSaver)
            return await use(saver)

    return asyncio.run(whole())
