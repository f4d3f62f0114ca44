"""Whole runs with LangGraph graphs and LangChain runnables as supporters."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.config import get_config
from langgraph.graph import START, MessagesState, StateGraph

from emoharbor.agents.resolve import find
from emoharbor.errors import ConfigError
from emoharbor.runs.executor import plan_suite, run_suite
from emoharbor.suite import load_suite
from tests.agents.outside_runs import run, spoken, suite_of
from tests.processes import run_forked

GRAPH = """
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph


def reply(state):
    messages = state["messages"]
    return {"messages": [AIMessage(f"WORD {len(messages)}: {messages[-1].content}")]}


graph = StateGraph(MessagesState).add_node("reply", reply).add_edge(START, "reply")
compiled = graph.compile()
remembering = graph.compile(checkpointer=InMemorySaver())
runnable = RunnableLambda(lambda messages: f"WORD {len(messages)}: {messages[-1].content}")


class Flow:
    graph = compiled


async def function(history):
    asked = [("assistant" if m.role == "supporter" else "user", m.text) for m in history]
    done = await compiled.ainvoke({"messages": asked or [("user", "Hello.")]})
    return done["messages"][-1].content
"""


def importable(node: Any) -> str:
    """Where the graph of this one node can be imported from."""
    made = StateGraph(MessagesState).add_node("n", node).add_edge(START, "n").compile()
    setattr(sys.modules[__name__], node.__name__, made)
    return f"{__name__}:{node.__name__}"


def graph_file(tmp: Path, word: str = "Reply") -> Path:
    tmp.mkdir(exist_ok=True)
    (tmp / "my_graph.py").write_text(GRAPH.replace("WORD", word), encoding="utf-8")
    return tmp / "my_graph.py"


@pytest.mark.parametrize("name", ["graph", "compiled", "remembering", "runnable", "Flow.graph"])
@pytest.mark.parametrize("how", ["target", "use"])
def test_a_run_with_a_graph_or_runnable_of_ones_own(tmp_path: Path, name: str, how: str) -> None:
    target = f"{graph_file(tmp_path)}:{name}"
    supporter = {"use": "runnable", "target": target} if how == "target" else {"use": target}
    records = run(tmp_path, supporter)
    assert len(records) == 2
    for record in records:
        user = ["Hello.", *(m.text for m in record.h_s if m.role == "user")]
        lines = [f"Reply {n}: {words}" for n, words in zip((1, 3, 5), user, strict=False)]
        assert spoken(record) == lines
        assert "supporter" not in record.models and "supporter" not in record.usage


def test_a_run_with_a_function_that_calls_a_graph(tmp_path: Path) -> None:
    records = run(tmp_path, {"use": f"{graph_file(tmp_path)}:function"}, limit=1)
    assert spoken(records[0])[0] == "Reply 1: Hello."


def test_a_graph_inside_knows_nothing_of_the_dialogues_own(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []

    def spying(state: MessagesState) -> Any:
        seen.append(dict(get_config()["configurable"]))
        return {"messages": [AIMessage("Mm.")]}

    records = run(tmp_path, {"use": importable(spying)}, limit=1)
    assert len(spoken(records[0])) == len(seen) == 3
    threads = {config["thread_id"] for config in seen}
    assert len(threads) == 3 and records[0].thread not in threads
    outer = ("en-001", "h_u", records[0].dialogue_hash)
    assert not [config for config in seen if any(word in repr(config) for word in outer)]


def tell_hashes(suite: str) -> None:
    sys.stdout.write(" ".join(c.dialogue_hash for c in plan_suite(load_suite(suite)).cells))


@pytest.mark.parametrize("how", ["target", "use"])
def test_another_source_is_another_dialogue(tmp_path: Path, how: str) -> None:
    def hashes(folder: str, word: str) -> set[str]:
        target = f"{graph_file(tmp_path / folder, word)}:graph"
        # The path must not make the difference.
        relative = target.replace(f"{tmp_path / folder}/", "")
        supporter = (
            {"use": "runnable", "target": relative} if how == "target" else {"use": relative}
        )
        suite_of(tmp_path / folder, supporter)
        done = run_forked(tell_hashes, "outside.yaml", cwd=tmp_path / folder)
        assert done.returncode == 0, done.stderr
        return set(done.stdout.decode().split())

    first, same, other = hashes("a", "Reply"), hashes("b", "Reply"), hashes("c", "Answer")
    assert first == same and len(first) == 2 and not first & other


def test_a_graph_that_fails_fails_its_dialogue_alone(tmp_path: Path) -> None:
    def failing(state: MessagesState) -> Any:
        asked = state["messages"]
        if len(asked) == 3 and not failed:
            failed.append("once")
            raise ValueError("no such tool")
        return {"messages": [AIMessage(str(len(asked)))]}

    failed: list[str] = []

    async def go() -> None:
        suite = suite_of(tmp_path, {"use": importable(failing)})
        first = (await run_suite(suite, tmp_path / "run")).records().values()
        (failure,) = [r.failure for r in first if r.failure]
        assert failure.node == "supporter" and "no such tool" in failure.message
        again = (await run_suite(suite, tmp_path / "run")).records().values()
        assert [spoken(r) for r in again] == [["1", "3", "5"]] * 2

    asyncio.run(go())


@pytest.mark.parametrize(
    ("supporter", "words"),
    [
        ({"use": "runnable"}, "target"),
        (
            {"use": "runnable", "target": "json:dumps"},
            "supporter: json:dumps is a function; a Lang",
        ),
        (
            {"use": "runnable", "target": "langgraph.graph:StateGraph"},
            "is a type; a LangGraph graph",
        ),
        ({"use": "runnable", "target": "no_such.py:graph"}, "no file no_such.py"),
        ({"use": "runnable", "target": "no_such_module:graph"}, "No module named 'no_such_module'"),
        ({"use": "runnable", "target": "HERE:grahp"}, "has no attribute 'grahp'"),
        ({"use": "HERE:compiled", "mood": "low"}, "takes no 'mood'"),
        ({"use": "HERE:compiled", "model": "scripted:echo"}, "makes no model calls"),
        ({"use": "runable", "target": "HERE:graph"}, "did you mean 'runnable'"),
    ],
)
def test_what_is_wrong_is_told_before_any_dialogue(
    tmp_path: Path, supporter: dict[str, Any], words: str
) -> None:
    path = str(graph_file(tmp_path))
    with pytest.raises(ConfigError, match=words):
        run(tmp_path, {key: value.replace("HERE", path) for key, value in supporter.items()})
    assert not (tmp_path / "run").exists()


def test_only_a_supporter_can_be_a_graph(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="talker: .* does not fit"):
        find("talker", f"{graph_file(tmp_path)}:compiled")
