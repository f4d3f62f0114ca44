"""The graphs as LangGraph Studio opens them, and the real development server where it is there."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from pydantic import ValidationError

from emoharbor.agents.shape import NODES
from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.state.dialogue import Message
from emoharbor.studio import StudioGraph
from emoharbor.suite import shipped_suites
from tests.fake_openai import fake_openai
from tests.people import make_profile
from tests.processes import ROOT
from tests.served import plays_all

LISTED = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
CONFIG: Any = {"configurable": {"thread_id": "t"}}
SAID = {"kind": "message", "role": "user", "text": "Nobody asked me that before."}
server_wanted = pytest.mark.skipif(
    find_spec("langgraph_api") is None, reason="the extra studio is not installed"
)


def opened(name: str) -> Callable[[], Any]:
    module, _, attribute = LISTED["graphs"][name].partition(":")
    factory: Callable[[], Any] = vars(importlib.import_module(module))[attribute]
    return factory


async def at_the_end(graph: StudioGraph, **context: Any) -> dict[str, Any]:
    values: dict[str, Any] = await graph.ainvoke({}, CONFIG, context=context)
    return values


def test_it_lists_the_shipped_suites_and_no_other() -> None:
    assert sorted(LISTED["graphs"]) == shipped_suites()


@pytest.mark.parametrize("name", sorted(LISTED["graphs"]))
def test_every_graph_opens_and_runs_with_nothing_named(name: str) -> None:
    async def run() -> dict[str, Any]:
        async with opened(name)() as graph:
            assert set(graph.get_graph().nodes) == {"__start__", *NODES, "__end__"}
            return await at_the_end(graph, max_turns=1)

    ended = asyncio.run(run())
    assert ended["ending"].reason == "max_turns" and ended["verdict"].scores


def test_the_form_has_a_default_for_everything() -> None:
    async def run() -> dict[str, Any]:
        async with opened("demo")() as graph:
            return graph.get_context_jsonschema() or {}

    fields = asyncio.run(run())["properties"]
    assert {name: field["default"] for name, field in fields.items()} == {
        "profile": "en-001",
        "seed": 0,
        "max_turns": 3,
    }


@pytest.mark.parametrize("who", ["en-003", make_profile().model_dump_json()])
def test_a_person_is_named_by_id_or_given_whole(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> str:
        async with fake_openai(plays_all()) as server:
            monkeypatch.setenv("EMOHARBOR_MODEL", f"openai:m@{server.url}")
            async with opened("emoharbor")() as graph:
                await at_the_end(graph, max_turns=1, profile=who)
            return json.dumps(server.bodies)

    asked = asyncio.run(run())
    assert ("chemist" in asked) == who.startswith("{")


@pytest.mark.parametrize(
    "context, words",
    [({"profile": "en-03"}, "did you mean 'en-0"), ({"max_turns": 0}, "greater than")],
)
def test_a_context_that_does_not_fit_is_told(context: dict[str, Any], words: str) -> None:
    async def run() -> None:
        async with opened("demo")() as graph:
            await at_the_end(graph, **context)

    with pytest.raises(ValidationError, match=words):
        asyncio.run(run())


def test_json_from_outside_becomes_what_the_channels_hold() -> None:
    async def run() -> tuple[Any, Any]:
        async with opened("demo")() as graph, open_checkpointer("memory:") as saver:
            kept = graph.copy({"checkpointer": saver})
            await kept.ainvoke({"h_s": [SAID]}, CONFIG, context={}, interrupt_before="*")
            first = (await kept.aget_state(CONFIG)).values["h_s"]
            await kept.aupdate_state(CONFIG, {"h_u": [SAID]}, as_node="talker")
            return first, (await kept.aget_state(CONFIG)).values["h_u"]

    line = Message(role="user", text=SAID["text"])
    assert asyncio.run(run()) == ([line], [line])


def test_an_edit_that_does_not_fit_is_refused() -> None:
    async def run() -> None:
        async with opened("demo")() as graph, open_checkpointer("memory:") as saver:
            kept = graph.copy({"checkpointer": saver})
            await kept.aupdate_state(CONFIG, {"utterance": {"txt": "?"}}, as_node="talker")

    with pytest.raises(ValidationError, match="text"):
        asyncio.run(run())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`langgraph dev` as docs/studio.md starts it, in a folder of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    names = ("LANGSMITH", "LANGCHAIN", "EMOHARBOR")
    env = {key: value for key, value in os.environ.items() if not key.startswith(names)}
    env |= {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_STRICT_MSGPACK": "true"}
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--port", port, "--config", str(ROOT / "langgraph.json")]
    folder = tmp_path_factory.mktemp("studio")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
    try:
        asyncio.run(_answers(port, process, folder / "log"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
    said = (folder / "log").read_text()
    assert "Deserializing unregistered" not in said and "Blocked deserialization" not in said


async def _answers(port: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", int(port))
        except OSError:
            await asyncio.sleep(0.1)
            continue
        writer.close()
        return
    raise AssertionError(log.read_text())


@server_wanted
def test_the_server_lists_and_draws_the_graphs(server: str) -> None:
    async def run() -> tuple[Any, ...]:
        client = get_client(url=server, api_key=None)
        assistants = {a["graph_id"]: a for a in await client.assistants.search(limit=100)}
        drawn = await client.assistants.get_graph("emoharbor")
        schemas = await client.assistants.get_schemas(assistants["emoharbor"]["assistant_id"])
        return assistants, drawn, schemas

    assistants, drawn, schemas = asyncio.run(run())
    assert sorted(assistants) == shipped_suites()
    assert {node["id"] for node in drawn["nodes"]} == {"__start__", *NODES, "__end__"}
    assert {
        "source": "termination",
        "target": "supporter",
        "data": "goes on",
        "conditional": True,
    } in [dict(edge) for edge in drawn["edges"]]
    assert set(schemas["context_schema"]["properties"]) == {"profile", "seed", "max_turns"}
    assert "h_s" in schemas["input_schema"]["properties"]


@server_wanted
def test_the_server_runs_a_thread_node_by_node_and_forks_it(server: str) -> None:
    async def run() -> tuple[Any, ...]:
        client = get_client(url=server, api_key=None)
        thread = (await client.threads.create())["thread_id"]
        nodes: list[Any] = []
        asked: dict[str, Any] | None = {}
        for _ in range(4):
            await client.runs.wait(thread, "demo", input=asked, interrupt_after="*")
            nodes.append((await client.threads.get_state(thread))["next"])
            asked = None
        steps = await client.threads.get_history(thread, limit=20)
        before = next(step for step in steps if step["next"] == ["talker"])
        where = before["checkpoint"]["checkpoint_id"]
        said = {"h_s": [SAID], "h_u": [SAID], "utterance": {"text": SAID["text"]}}
        await client.threads.update_state(thread, said, as_node="talker", checkpoint_id=where)
        ended = await client.runs.wait(thread, "demo", input=None, context={"max_turns": 1})
        return nodes, steps, ended

    nodes, steps, ended = asyncio.run(run())
    assert nodes == [["thinker"], ["talker"], ["termination"], ["supporter"]]
    assert [step["metadata"]["step"] for step in steps] == [4, 3, 2, 1, 0, -1]
    assert [len(step["values"]["h_s"]) for step in steps] == [2, 2, 1, 1, 0, 0]
    assert ended["h_s"][-1] == SAID and ended["ending"]["words"] == SAID["text"]
    assert set(ended["verdict"]["scores"])
