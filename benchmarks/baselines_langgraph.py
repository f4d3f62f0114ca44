"""What most would write: LangGraph with ChatOpenAI in its nodes, the same loop and requests."""

from __future__ import annotations

import asyncio
import operator
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from benchmarks.baselines import bodies_of
from benchmarks.job import Meter


class State(TypedDict):
    """Two memories in plain list channels and the number of calls made."""

    h_s: Annotated[list[Any], operator.add]
    h_u: Annotated[list[Any], operator.add]
    calls: Annotated[int, operator.add]


def caller(
    model: ChatOpenAI, bodies: list[dict[str, Any]], heard: bool
) -> Callable[[State], Awaitable[dict[str, Any]]]:
    """A node that sends the next request and keeps the reply, in H_s too when it is `heard`."""

    async def node(state: State) -> dict[str, Any]:
        body = bodies[state["calls"]]
        form = body.get("response_format")
        asked: Any = model.bind(response_format=form) if form else model
        said = await asked.ainvoke([(m["role"], m["content"]) for m in body["messages"]])
        return {"h_s": [said] if heard else [], "h_u": [said], "calls": 1}

    return node


def graph_of(model: ChatOpenAI, bodies: list[dict[str, Any]]) -> StateGraph[State]:
    """Supporter, thinker, talker, a check, and the evaluator at the end."""
    builder: Any = StateGraph(State)
    for name in ("supporter", "thinker", "talker", "evaluator"):
        builder.add_node(name, caller(model, bodies, name in ("supporter", "talker")))
    builder.add_node("check", lambda state: {"calls": 0})
    builder.add_edge(START, "supporter")
    builder.add_edge("supporter", "thinker")
    builder.add_edge("thinker", "talker")
    builder.add_edge("talker", "check")
    builder.add_conditional_edges(
        "check",
        lambda state: "evaluator" if state["calls"] >= len(bodies) - 1 else "supporter",
        ["evaluator", "supporter"],
    )
    builder.add_edge("evaluator", END)
    graph: StateGraph[State] = builder
    return graph


@asynccontextmanager
async def saver_of(job: Mapping[str, Any]) -> AsyncIterator[AsyncSqliteSaver | None]:
    """The official SQLite saver on a file, or none."""
    if not job.get("saver"):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "checkpoints.sqlite")
        async with AsyncSqliteSaver.from_conn_string(file) as saver:
            yield saver


async def chain(job: Mapping[str, Any], meter: Meter) -> None:
    """All dialogues at once."""
    bodies = bodies_of(job)
    model = ChatOpenAI(model="bench", base_url=job["url"], api_key="none", max_retries=0)  # type: ignore[arg-type]
    async with saver_of(job) as saver:
        graph = graph_of(model, bodies).compile(checkpointer=saver)

        async def one(number: int) -> None:
            config = RunnableConfig(configurable={"thread_id": str(number)}, recursion_limit=10_000)
            await graph.ainvoke({"h_s": [], "h_u": [], "calls": 0}, config)

        meter.start()
        await asyncio.gather(*(one(number) for number in range(job["dialogues"])))
        meter.stop(finished=job["dialogues"])
