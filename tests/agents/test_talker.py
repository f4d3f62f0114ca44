from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from emoharbor.agents.talker import SCHEMA
from emoharbor.errors import ModelError, SimulatorFailed
from emoharbor.models.base import Completion
from emoharbor.models.scripted import Reply, ScriptedChat
from emoharbor.state.dialogue import Utterance
from tests.agents import seats
from tests.people import felt, heard, view

SEEN = view([heard("hello"), felt()])
GOOD = {"utterance": "ok", "wants_to_end": False, "why": "unspecified", "reason": ""}
BROKEN = '{"utterance": "hi", "wants_to_end": fal'


def reply(**changes: Any) -> dict[str, Any]:
    return {**GOOD, **changes}


def asked(*replies: Reply) -> tuple[Utterance, ScriptedChat]:
    model = ScriptedChat(replies)
    return asyncio.run(seats.talker(model)(SEEN)), model


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (reply(utterance="  hey\n"), Utterance(text="hey")),
        (reply(why="satisfied", reason="all said"), Utterance(text="ok")),
        (
            reply(wants_to_end=True, why="gave_up", reason=" no use "),
            Utterance(text="ok", wants_to_end=True, why="gave_up", reason="no use"),
        ),
        (f"```json\n{json.dumps(GOOD)}\n```", Utterance(text="ok")),
        (f"Here it is:\n{json.dumps(GOOD)}\nI hope this fits.", Utterance(text="ok")),
        ("<think>as an AI I would say bye</think>hey", Utterance(text="hey")),
        (f"<think>{{</think>{json.dumps(GOOD)}", Utterance(text="ok")),
        ("hey", Utterance(text="hey")),
        ("two\nlines", Utterance(text="two\nlines")),
        ("bye then\n<END>", Utterance(text="bye then", wants_to_end=True)),
        ("bye\nthen\n\n  <END>  \n", Utterance(text="bye\nthen", wants_to_end=True)),
        ("[sighs] fine", Utterance(text="[sighs] fine")),
        ("bye <END>", Utterance(text="bye <END>")),
        ("<END>\nor so I thought", Utterance(text="<END>\nor so I thought")),
        ("he wrote <END> on the wall", Utterance(text="he wrote <END> on the wall")),
        (reply(utterance="bye\n<END>"), Utterance(text="bye", wants_to_end=True)),
        (
            reply(utterance="bye\n<END>", wants_to_end=True, why="satisfied"),
            Utterance(text="bye", wants_to_end=True, why="satisfied"),
        ),
        ("x" * 30_000, Utterance(text="x" * 30_000)),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_usable_reply_costs_one_call(given: Reply, wanted: Utterance) -> None:
    said, model = asked(given)
    assert said == wanted
    assert len(model.requests) == 1
    assert model.requests[0].schema == SCHEMA


UNUSABLE: list[tuple[str, Reply, str]] = [
    ("broken JSON", BROKEN, "not one JSON object"),
    ("broken and fenced", f"```json\n{BROKEN}\n```", "not one JSON object"),
    ("broken after prose", f"Here it is:\n{BROKEN}", "not one JSON object"),
    ("two objects", f"{json.dumps(GOOD)}\n{json.dumps(reply(utterance='no'))}", "not one JSON"),
    ("a list", f"[{json.dumps(GOOD)}]", "not one JSON object"),
    ("a missing key", {"utterance": "hi"}, "wants_to_end: Field required"),
    ("a key too many", reply(mood="low"), "mood: Extra inputs"),
    ("a word for a boolean", reply(wants_to_end="false"), "wants_to_end: Input should be a valid"),
    ("another why", reply(why="bored"), "why: Input should be 'unspecified', 'satisfied'"),
    ("no text", reply(utterance=None), "utterance: Input should be a valid string"),
    ("blank words", reply(utterance=" \n"), "empty"),
    ("the end alone", reply(utterance="<END>"), "empty"),
    ("the end alone in plain text", "<END>", "empty"),
    ("nothing", "", "empty"),
    ("white space", " \n\t ", "empty"),
    ("a thought alone", "<think>what now</think>", "empty"),
    ("cut off", Completion('{"utterance": "I', finish_reason="length"), "broke off"),
    ("cut off in plain text", Completion("I never sa", finish_reason="length"), "broke off"),
    ("out of role", reply(utterance="As an AI language model, I cannot."), "as an assistant"),
    ("out of role in plain text", "作为一个人工智能，我没有感情。", "as an assistant"),
]


@pytest.mark.parametrize("bad", [case[1] for case in UNUSABLE], ids=[case[0] for case in UNUSABLE])
def test_an_unusable_reply_is_asked_for_again_once(bad: Reply) -> None:
    said, model = asked(bad, GOOD)
    assert said == Utterance(text="ok")
    first, second = (list(request.messages) for request in model.requests)
    assert second[: len(first)] == first
    assert all(message["content"].strip() for message in second)


@pytest.mark.parametrize(("name", "bad", "told"), UNUSABLE, ids=[case[0] for case in UNUSABLE])
def test_unusable_twice_is_the_simulators_failure(name: str, bad: Reply, told: str) -> None:
    model = ScriptedChat([bad, bad])
    with pytest.raises(SimulatorFailed, match=f"talker: .*{told}"):
        asyncio.run(seats.talker(model)(SEEN))
    assert len(model.requests) == 2


def test_a_repair_names_what_was_wrong_and_quotes_it() -> None:
    _, model = asked(reply(why="bored"), GOOD)
    quoted, problem = model.requests[1].messages[-2:]
    assert (quoted["role"], problem["role"]) == ("assistant", "user")
    assert "bored" in quoted["content"]
    assert "why: Input should be" in problem["content"]


def test_after_an_empty_reply_nothing_is_quoted() -> None:
    _, model = asked("", GOOD)
    assert len(model.requests[1].messages) == len(model.requests[0].messages) + 1


def test_after_a_truncation_the_same_is_asked_again() -> None:
    _, model = asked(Completion(BROKEN, finish_reason="length"), GOOD)
    assert model.requests[1].messages == model.requests[0].messages


def test_a_models_error_passes() -> None:
    with pytest.raises(ModelError, match="down"):
        asked(ModelError("down", "unreachable"))


def test_the_undecided_value_comes_first() -> None:
    assert list(SCHEMA["properties"]) == ["utterance", "wants_to_end", "why", "reason"]
    assert SCHEMA["properties"]["why"]["enum"][0] == "unspecified"
