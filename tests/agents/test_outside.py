"""Finished bots as supporters: what they see, whole runs with them, a kill in the midst."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from emoharbor.agents.outside import BotSupporter
from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage
from emoharbor.models.scripted import ScriptedChat
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.state.dialogue import Message
from tests.agents.outside_runs import process_bot, run, spoken, suite_of
from tests.fake_openai import Answer, always, chat, fake_openai, refusal
from tests.people import heard, said
from tests.processes import ROOT
from tests.served import lines_of


def asked_with(history: list[Message]) -> list[ChatMessage]:
    model = ScriptedChat(["  fine \n"])
    reply = asyncio.run(BotSupporter(model, "Hello.")(history))
    assert reply.text == "fine"
    return list(model.requests[0].messages)


def test_a_bot_is_sent_the_dialogue_and_no_word_more() -> None:
    assert asked_with([said("hi"), heard("Yes?"), said("well")]) == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "well"},
    ]


def test_a_bot_that_opens_is_sent_the_opening_line() -> None:
    first: ChatMessage = {"role": "user", "content": "Hello."}
    assert asked_with([]) == [first]
    assert asked_with([heard("Yes?"), said("hi")]) == [
        first,
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "hi"},
    ]


def test_a_run_with_a_program(tmp_path: Path) -> None:
    supporter = process_bot(tmp_path)
    records = run(tmp_path, supporter)
    asked = lines_of(tmp_path / "log")
    assert sorted(text for r in records for text in spoken(r)) == sorted(a["text"] for a in asked)
    assert len(records) == 2 and len(asked) == 6
    # The same bot for both, each dialogue under a name of its own that tells nothing.
    assert sorted(Counter(a["dialogue"] for a in asked).values()) == [3, 3]
    assert not [a for a in asked if "en-00" in a["dialogue"]]
    assert {m["role"] for a in asked for m in a["messages"]} == {"user", "assistant"}
    assert asked[0]["messages"] == [{"role": "user", "content": "Hello."}]
    for record in records:
        assert record.models["supporter"] == supporter["model"]
        assert record.usage["supporter"].calls == record.usage["supporter"].unknown == 3
    (pid,) = {a["pid"] for a in asked}
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def served(supporter: dict[str, Any], handler: Any, tmp: Path, **plain: Any) -> tuple[Any, Any]:
    """The records of a run with the bot that `handler` plays, and the server; URL is filled in."""

    async def go() -> tuple[Any, Any]:
        async with fake_openai(handler) as server:
            filled = {k: v.replace("URL", server.root) for k, v in supporter.items()}
            made: RunFolder = await run_suite(suite_of(tmp, filled, **plain), tmp / "run")
            return list(made.records().values()), server

    return asyncio.run(go())


@pytest.mark.parametrize("opening", ["supporter", "user"])
def test_a_run_with_a_url(tmp_path: Path, opening: str) -> None:
    def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        return 200, {}, {"text": f"Reply to {len(body['messages'])}"}

    records, server = served(
        {"use": "bot", "model": "URL/chat"}, handler, tmp_path, opening=opening
    )
    lengths = (1, 3, 5)
    assert [spoken(r) for r in records] == [[f"Reply to {n}" for n in lengths]] * 2
    assert all(body.keys() == {"dialogue", "messages"} for body in server.bodies)
    assert len(server.bodies) == 6 and len({body["dialogue"] for body in server.bodies}) == 2


def test_a_served_model_keeps_its_own_prompt(tmp_path: Path) -> None:
    supporter = {"use": "bot", "model": "openai:tuned@URL/v1"}
    records, server = served(supporter, always(chat("Mm.")), tmp_path, limit=1)
    assert spoken(records[0]) == ["Mm."] * 3
    talked = [b for b in server.bodies if b.get("max_tokens") != 1]
    assert {m["role"] for b in talked for m in b["messages"]} == {"user", "assistant"}


def test_a_failing_bot_fails_its_dialogue_alone_and_is_asked_again(tmp_path: Path) -> None:
    state = {"down": True}

    def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        second = len(body["messages"]) > 1 and body["messages"][0]["content"] == "Hello."
        if (
            state["down"]
            and second
            and state.setdefault("bad", body["dialogue"]) == body["dialogue"]
        ):
            return refusal(400, "the dialogue is too odd")
        return 200, {}, {"text": "Mm."}

    async def go() -> None:
        async with fake_openai(handler) as server:
            suite = suite_of(tmp_path, {"use": "bot", "model": f"{server.root}/chat"})
            first = (await run_suite(suite, tmp_path / "run")).records().values()
            failures = [r.failure for r in first if r.failure]
            assert len(failures) == 1 and failures[0].cause == "refused_request"
            assert "the dialogue is too odd" in failures[0].message
            state["down"] = False
            before = len(server.bodies)
            again = (await run_suite(suite, tmp_path / "run")).records().values()
            assert [spoken(r) for r in again] == [["Mm."] * 3] * 2
            assert len(server.bodies) == before + 2

    asyncio.run(go())


@pytest.mark.parametrize(
    ("supporter", "roles", "words"),
    [
        (
            {"use": "chat", "model": "process:true"},
            {},
            "process:true is a finished bot, chat would",
        ),
        ({"use": "chat", "model": "http://127.0.0.1:9/"}, {}, "own instructions; use: bot"),
        ({"use": "bot", "model": "process:true", "temperature": 1}, {}, "takes no 'temperature'"),
        ({"use": "bot"}, {}, "no model for the supporter"),
        ({"use": "bot", "model": "process:true", "prompt": "mine"}, {}, "bot takes no 'prompt'"),
        (
            {"use": "scripted"},
            {"talker": {"use": "talker", "model": "process:true"}},
            "agents.talker: process:true .* it can only be a supporter",
        ),
    ],
)
def test_what_does_not_go_together_is_told_before_any_dialogue(
    tmp_path: Path, supporter: dict[str, Any], roles: dict[str, Any], words: str
) -> None:
    agents = {role: {"use": "scripted"} for role in ("thinker", "talker", "evaluator")}
    with pytest.raises(ConfigError, match=words):
        run(tmp_path, supporter, agents={**agents, **roles})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("process:/no/such/bot", "process:/no/such/bot cannot be started"),
        (f"process:{sys.executable} -S -c 'import nothing_there'", "No module named"),
        ("http://127.0.0.1:9/chat", "connection refused; is the server running"),
    ],
)
def test_a_bot_that_is_not_there_is_told_before_any_dialogue(
    tmp_path: Path, model: str, words: str
) -> None:
    with pytest.raises((ConfigError, ModelError), match=words):
        run(tmp_path, {"use": "bot", "model": model})
    assert not (tmp_path / "run").exists()


def test_the_documented_request_is_what_is_sent(tmp_path: Path) -> None:
    shown = (ROOT / "docs" / "supporters.md").read_text(encoding="utf-8")
    run(tmp_path, process_bot(tmp_path), limit=1, max_turns=2)
    (_, asked) = lines_of(tmp_path / "log")
    example = next(json.loads(line) for line in shown.splitlines() if line.startswith('{"id"'))
    assert example.keys() == asked.keys() - {"text", "pid"}
    assert {frozenset(m) for m in example["messages"]} == {frozenset(m) for m in asked["messages"]}
