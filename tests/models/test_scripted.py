from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.scripted import Reply, ScriptedChat, ScriptExhausted, scripted_model

ASK: list[ChatMessage] = [{"role": "user", "content": "Hi."}]
HERE = __name__
LINES = ["one", "two"]
NOT_A_SCRIPT = 3
MODEL = ScriptedChat(["mine"])


def make_lines() -> list[str]:
    return list(LINES)


def make_model(model: ChatModel = MODEL) -> ChatModel:
    return model


class OwnModel(ScriptedChat):
    def __init__(self) -> None:
        super().__init__(["own"])


def reply_to(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    return f"{messages[-1]['content']} yourself"


def ask(model: ChatModel, schema: JsonSchema | None = None) -> Completion:
    return asyncio.run(model.complete(ASK, schema=schema, seed=5))


def test_replies_of_every_kind() -> None:
    model = ScriptedChat(["<think>a</think>b", {"x": 1}, Completion("c"), ModelError("d", "auth")])
    first, second, third = ask(model), ask(model, {}), ask(model)
    assert (first.text, first.reasoning, first.data) == ("b", "a", None)
    assert (second.text, second.data) == ('{"x": 1}', {"x": 1})
    assert third == Completion("c")
    with pytest.raises(ModelError, match="d"):
        ask(model)


def test_requests_are_kept() -> None:
    model = ScriptedChat(iter(["a"]))
    ask(model, {"type": "object"})
    (request,) = model.requests
    assert request.messages == tuple(ASK)
    assert (request.schema, request.seed) == ({"type": "object"}, 5)


def test_a_script_that_ran_out_says_so() -> None:
    model = ScriptedChat(["a"])
    ask(model)
    with pytest.raises(ScriptExhausted, match="has 1 replies, and a reply 2 was asked for"):
        ask(model)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (f"{HERE}:LINES", "one"),
        (f"{HERE}:make_lines", "one"),
        (f"{HERE}:make_model", "mine"),
        (f"{HERE}:OwnModel", "own"),
        (f"{HERE}:reply_to", "Hi. yourself"),
    ],
)
def test_scripts_of_ones_own(name: str, text: str) -> None:
    assert ask(scripted_model(name)).text == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ecco", "did you mean 'echo'?"),
        ("zzz", "known: echo"),
        ("no_such_module:x", "cannot be loaded: No module named 'no_such_module'"),
        (f"{HERE}:missing", "cannot be loaded"),
        (f"{HERE}:NOT_A_SCRIPT", "is neither a model"),
    ],
)
def test_a_script_that_is_not_there(name: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("?", r"\?")):
        scripted_model(name)


def test_echo_answers_anything() -> None:
    model = scripted_model("echo")
    schema: dict[str, Any] = {
        "properties": {
            "why": {"anyOf": [{"enum": ["unspecified", "satisfied"]}, {"type": "null"}]},
            "wants_to_end": {"type": "boolean"},
            "words": {"type": "string", "maxLength": 7},
            "score": {"$ref": "#/$defs/Score"},
        },
        "$defs": {
            "Score": {
                "type": "object",
                "properties": {
                    "evidence": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                    "value": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
                    "kind": {"const": "score"},
                },
            }
        },
    }
    assert ask(model, schema).data == {
        "why": "unspecified",
        "wants_to_end": False,
        "words": "Nothing",
        "score": {"evidence": [1], "value": 1, "kind": "score"},
    }
    assert ask(model).text == ask(model).text != ""
